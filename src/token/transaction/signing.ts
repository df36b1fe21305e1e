// imported individually, so that a bundle contains nothing else of the SDK
import BigNumber from '@bsv/sdk/primitives/BigNumber';
import type PrivateKey from '@bsv/sdk/primitives/PrivateKey';
import PublicKey from '@bsv/sdk/primitives/PublicKey';
import Signature from '@bsv/sdk/primitives/Signature';
import {
  concatBytes,
  equalBytes,
  fromHex,
  hash160,
  leadingP2pkh,
  parseTx,
  pushData,
  type Satoshis,
  satoshis,
  serializeTx,
  sha256,
  sighashPreimage,
  type Tx,
  toHex,
  txidOf,
  txSize,
  type Utxo,
} from '../../chain/index.ts';
import { ParameterError, SignatureError } from '../errors.ts';
import { SIGNATURE_BYTES } from '../parameters/fees.ts';
import { publicHalfOf, requirePrivateKey } from '../parameters/keys.ts';
import type { AnyKey, PublicKeyBytes, SigningKey, VerifyingKey } from '../parameters/params.ts';
import { guarded, isRecord, readParams } from '../values/values.ts';
import {
  type Plan,
  type PreparedTransaction,
  prepare,
  SIGHASH,
  type SigningInfo,
  type UnsignedTransaction,
} from './transaction.ts';

/** A signed transaction, ready to broadcast. */
export interface BuiltTransaction {
  readonly tx: Tx;
  readonly hex: string;
  readonly txid: string;
  readonly fee: Satoshis;
  readonly size: number;
  /** Predicted maximum of {@link size}. */
  readonly estimatedSize: number;
  /** The created outputs, ready to be spent. */
  readonly outputs: readonly Utxo[];
}

/** Argument of a signing callback: the input's signing info and the complete unsigned transaction. */
export interface SigningRequest extends SigningInfo {
  readonly tx: Tx;
}

/** Signs one input externally. Returns DER with a low S followed by the hash type, as hex or bytes. */
export type SignCallback = (request: SigningRequest) => Promise<string | Uint8Array>;

/** The callbacks of one transaction. The payment's inputs may have a different signer. */
export interface SignCallbacks {
  readonly owner: SignCallback;
  /** Defaults to the owner's. */
  readonly payment?: SignCallback;
}

/** Maximum difference between the estimated and the actual size, in bytes. */
const SIZE_TOLERANCE = 4;

/** Every second signature has full length, so this many attempts practically always succeed, and the loop always ends. */
const MAX_ATTEMPTS = 64;

/** The hex form that the unsigned functions write. */
const HEX = /^(?:[0-9a-f]{2})+$/;

const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

interface Keys<Key extends AnyKey> {
  readonly issuerKey?: Key;
  readonly ownerKey?: Key;
  readonly paymentKey?: Key | null;
}

/** A function of the library in its three forms, which build the same transaction. */
export interface Forms<Params, PublicParams> {
  /** Signs with the private keys among the parameters. */
  withKeys(this: void, params: Params): BuiltTransaction;
  /** Signs every input with a callback. */
  withCallback(this: void, params: PublicParams, callbacks: SignCallbacks): Promise<BuiltTransaction>;
  /** Returns the unsigned transaction: see {@link finishTransaction}. */
  unsigned(this: void, params: PublicParams): UnsignedTransaction;
}

/** Creates the three forms of a function from its planning function, which uses public keys only. */
export function formsOf<Params extends Keys<SigningKey>, PublicParams extends Keys<VerifyingKey>>(
  plan: (params: PublicParams) => Plan,
): Forms<Params, PublicParams> {
  const planned = (params: PublicParams) => prepare(plan(readParams(params)));
  return {
    withKeys: (params) => guarded('params', () => buildWithKeys(planned, params)),
    withCallback: (params, callbacks) => buildWithCallbacks(planned, params, callbacks),
    unsigned: (params) => guarded('params', () => toUnsigned(planned(params))),
  };
}

function buildWithKeys<PublicParams>(
  planned: (params: PublicParams) => PreparedTransaction,
  params: Keys<SigningKey>,
): BuiltTransaction {
  const keys = new Map<string, PrivateKey>();
  const replaced: Record<string, unknown> = { ...readParams(params) };
  for (const name of ['issuerKey', 'ownerKey', 'paymentKey'] as const) {
    const given = replaced[name];
    if (given === null || given === undefined) continue;
    const key = requirePrivateKey(given, name);
    const publicKey = publicHalfOf(key, name);
    keys.set(toHex(publicKey), key);
    replaced[name] = publicKey;
  }
  const prepared = planned(replaced as PublicParams);
  const signers = prepared.inputs.map(({ planned, preimage }) => ({
    key: keys.get(toHex(planned.key)) as PrivateKey,
    message: sha256(preimage),
  }));
  let signatures = signers.map(({ key, message }) => signMessage(key, message, 0));
  const tolerance = SIZE_TOLERANCE - overestimate(prepared);
  for (let attempt = 1; attempt <= MAX_ATTEMPTS && slack(signatures) > tolerance; attempt++) {
    signatures = signatures.map((signature, index) => {
      const { key, message } = signers[index] as (typeof signers)[number];
      return slack([signature]) > 0 ? signMessage(key, message, attempt) : signature;
    });
  }
  return complete(prepared.tx, prepared, (index) => signatures[index] as Uint8Array);
}

async function buildWithCallbacks<PublicParams>(
  planned: (params: PublicParams) => PreparedTransaction,
  params: PublicParams,
  callbacks: SignCallbacks,
): Promise<BuiltTransaction> {
  const prepared = guarded('params', () => planned(params));
  const { owner, payment } = readCallbacks(callbacks);
  const unsigned = toUnsigned(prepared);
  const signatures: (string | Uint8Array)[] = [];
  for (const [index, info] of unsigned.signingInfo.entries()) {
    const isPayment = prepared.inputs[index]?.planned.field.startsWith('payment') === true;
    const sign = isPayment ? (payment ?? owner) : owner;
    // sequentially, because a signer may prompt its user
    signatures.push(await signed(sign, { ...info, tx: prepared.tx }));
  }
  return finishTransaction(unsigned, signatures);
}

/** @throws TokenError `signing-failed`; the cause is what the callback threw */
async function signed(sign: SignCallback, request: SigningRequest): Promise<string | Uint8Array> {
  try {
    return await sign(request);
  } catch (error) {
    const field = `signatures[${request.inputIndex}]`;
    const message = 'Input {input} was not signed: its callback failed.';
    throw new SignatureError('signing-failed', field, message, { input: request.inputIndex }, { cause: error });
  }
}

/** @throws TokenError `parameter-missing`, `parameter-invalid` */
function readCallbacks(callbacks: SignCallbacks | null | undefined): SignCallbacks {
  const { owner, payment }: Record<string, unknown> = guarded('callbacks', () => ({
    ...readParams(callbacks, 'callbacks'),
  }));
  const missing = owner === undefined || owner === null;
  if (typeof owner !== 'function') {
    const message = missing ? '{field} is missing.' : '{field} is not a function.';
    throw new ParameterError(missing ? 'parameter-missing' : 'parameter-invalid', 'callbacks.owner', message);
  }
  if (payment !== undefined && payment !== null && typeof payment !== 'function')
    throw new ParameterError('parameter-invalid', 'callbacks.payment', '{field} is not a function.');
  return { owner, payment } as unknown as SignCallbacks;
}

function toUnsigned(prepared: PreparedTransaction): UnsignedTransaction {
  return {
    hex: toHex(serializeTx(prepared.tx)),
    signingInfo: prepared.inputs.map(({ planned, preimage }, inputIndex) => ({
      inputIndex,
      publicKey: toHex(planned.key),
      sighash: SIGHASH,
      script: toHex(planned.utxo.lockingScript),
      satoshis: planned.utxo.satoshis,
      type: planned.unlock ? 'token' : 'p2pkh',
      digest: toHex(sha256(sha256(preimage))),
    })),
    fee: prepared.fee,
    estimatedSize: prepared.estimatedSize,
  };
}

/**
 * Inserts signatures into an unsigned transaction.
 * @param signatures one per entry of `signingInfo`, in order: DER with a low S followed by the hash type 41, as hex or bytes.
 * @throws TokenError `unsigned-invalid` if transaction and signing info do not match, `signature-invalid` if a signature is missing or
 *   does not verify with that key for that input.
 */
export function finishTransaction(
  unsigned: UnsignedTransaction,
  signatures: readonly (string | Uint8Array)[],
): BuiltTransaction {
  return guarded('unsigned', () => finish(unsigned, signatures));
}

function finish(unsigned: UnsignedTransaction, signatures: readonly (string | Uint8Array)[]): BuiltTransaction {
  const tx = readUnsigned(unsigned);
  const { signingInfo } = unsigned;
  const given = Array.isArray(signatures) ? signatures.length : 0;
  if (given !== signingInfo.length) {
    throw new SignatureError('signature-invalid', 'signatures', 'signatures is not a list of one for each input.', {
      given,
      wanted: signingInfo.length,
    });
  }
  const inputs = signingInfo.map((info, index) => {
    const lockingScript = fromHex(info.script);
    // the digest is recomputed: the one in the signing info may have been modified
    const preimage = sighashPreimage(tx, index, lockingScript, satoshis(info.satoshis), SIGHASH);
    return { planned: { key: fromHex(info.publicKey) }, preimage };
  });
  const checked = Array.from(signatures, (signature, index) => {
    const { planned, preimage } = inputs[index] as (typeof inputs)[number];
    return readSignature(signature, planned.key, preimage, `signatures[${index}]`);
  });
  const prepared = { inputs, fee: satoshis(unsigned.fee), estimatedSize: unsigned.estimatedSize };
  return complete(tx, prepared, (index) => checked[index] as Uint8Array);
}

function readUnsigned(unsigned: UnsignedTransaction): Tx {
  const invalid = (field: string, message: string) => new SignatureError('unsigned-invalid', field, message);
  if (!isRecord(unsigned)) throw invalid('unsigned', 'unsigned is missing, or not the result of an unsigned function.');
  const { hex, signingInfo, fee, estimatedSize } = unsigned;
  let tx: Tx;
  try {
    tx = parseTx(fromHex(hex));
    satoshis(fee);
  } catch (error) {
    throw new SignatureError(
      'unsigned-invalid',
      'hex',
      'The unsigned transaction cannot be read.',
      {},
      { cause: error },
    );
  }
  if (!Number.isSafeInteger(estimatedSize)) throw invalid('estimatedSize', 'The estimated size is not a whole number.');
  const infos = Array.isArray(signingInfo) ? Array.from<unknown>(signingInfo) : [];
  const matches =
    infos.length === tx.inputs.length && infos.every((info, i) => isRecord(info) && info.inputIndex === i);
  if (!matches) throw invalid('signingInfo', 'The signing info does not list the inputs of the transaction in order.');
  for (const [index, info] of signingInfo.entries()) {
    const isHex = [info.script, info.publicKey].every((text) => typeof text === 'string' && HEX.test(text));
    const owner = isHex ? leadingP2pkh(fromHex(info.script)) : undefined;
    const isOwn =
      owner && /^0[23][0-9a-f]{64}$/.test(info.publicKey) && equalBytes(owner, hash160(fromHex(info.publicKey)));
    if (!isOwn || !Number.isSafeInteger(info.satoshis) || info.satoshis < 0)
      throw invalid(`signingInfo[${index}]`, 'The signing info does not name an output and the key it belongs to.');
    const isToken = (tx.inputs[index]?.script.length ?? 0) > 0;
    if (isToken !== (info.type === 'token'))
      throw invalid(`signingInfo[${index}].type`, 'The input is signed already, or not of the type named.');
  }
  return tx;
}

function complete(
  partial: Tx,
  prepared: Pick<PreparedTransaction, 'fee' | 'estimatedSize'> & {
    readonly inputs: readonly { readonly planned: { readonly key: PublicKeyBytes } }[];
  },
  signatureOf: (index: number) => Uint8Array,
): BuiltTransaction {
  const tx: Tx = {
    ...partial,
    inputs: partial.inputs.map((input, index) => {
      const key = prepared.inputs[index]?.planned.key as PublicKeyBytes;
      return { ...input, script: concatBytes(input.script, pushData(signatureOf(index)), pushData(key)) };
    }),
  };
  const bytes = serializeTx(tx);
  const txid = txidOf(bytes);
  return {
    tx,
    hex: toHex(bytes),
    txid,
    fee: prepared.fee,
    size: bytes.length,
    estimatedSize: prepared.estimatedSize,
    outputs: tx.outputs.map(({ satoshis, script }, vout) => ({ txid, vout, satoshis, lockingScript: script })),
  };
}

/** Bytes by which the scripts are shorter than estimated, assuming full-length signatures. */
function overestimate({ tx, inputs, estimatedSize }: PreparedTransaction): number {
  const lengths = inputs.map((_, index) => (tx.inputs[index]?.script.length ?? 0) + SIGNATURE_BYTES);
  const full = {
    ...tx,
    inputs: tx.inputs.map((input, index) => ({ ...input, script: new Uint8Array(lengths[index] ?? 0) })),
  };
  return estimatedSize - txSize(full);
}

/** Bytes by which the signatures are shorter than the maximum. */
function slack(signatures: readonly Uint8Array[]): number {
  return signatures.reduce((sum, { length }) => sum + 72 - length, 0);
}

/** Signs by RFC 6979 at the first attempt. Each further attempt gives another signature, deterministically. */
function signMessage(key: PrivateKey, message: Uint8Array, attempt: number): Uint8Array {
  const nonce = (iteration: number) => {
    const seed = concatBytes(Uint8Array.from(key.toArray('be', 32)), message, Uint8Array.of(attempt, iteration));
    return new BigNumber(Array.from(sha256(seed)));
  };
  // the SDK hashes the message once more, which completes the double SHA-256
  const signature = key.sign(Array.from(message), undefined, true, attempt === 0 ? undefined : nonce);
  return Uint8Array.of(...(signature.toDER() as number[]), SIGHASH);
}

function readSignature(
  given: string | Uint8Array,
  key: PublicKeyBytes,
  preimage: Uint8Array,
  field: string,
): Uint8Array {
  const invalid = (message: string) => new SignatureError('signature-invalid', field, message);
  const isHex = typeof given === 'string' && /^(?:[0-9a-fA-F]{2})+$/.test(given);
  if (!isHex && !(given instanceof Uint8Array)) throw invalid('The signature is missing or not hex.');
  const bytes = isHex ? fromHex(given as string) : (given as Uint8Array);
  if (bytes.at(-1) !== SIGHASH)
    throw invalid('The signature does not end with the hash type 41, ALL with the fork id.');
  const der = Array.from(bytes.subarray(0, -1));
  let signature: Signature;
  try {
    signature = Signature.fromDER(der);
  } catch (error) {
    throw new SignatureError(
      'signature-invalid',
      field,
      'The signature is not DER.',
      { length: bytes.length },
      { cause: error },
    );
  }
  // nodes accept only strict DER with the lower value of s
  const strict = signature.toDER() as number[];
  const isLow = BigInt(`0x${signature.s.toHex()}`) <= HALF_ORDER;
  if (!isLow || !equalBytes(Uint8Array.from(strict), Uint8Array.from(der)))
    throw invalid('The signature is not strict DER with a low S.');
  let publicKey: PublicKey;
  try {
    publicKey = PublicKey.fromDER(Array.from(key));
  } catch (error) {
    const message = 'The input’s public key is not a point of the curve.';
    throw new SignatureError('signature-invalid', field, message, {}, { cause: error });
  }
  if (!publicKey.verify(Array.from(sha256(preimage)), signature))
    throw invalid('The signature does not verify with the input’s key for this transaction.');
  return bytes;
}
