import {
  equalBytes,
  fromHex,
  hash160,
  type Outpoint,
  p2pkhScript,
  parseTx,
  type Satoshis,
  serializeTx,
  type Tx,
  type TxOutput,
  txidOf,
} from '../../chain/index.ts';
import { MAX_PROOF_INPUTS, MAX_PROOF_OUTPUTS } from '../covenant/covenant.ts';
import type { TokenSpend } from '../covenant/template.ts';
import { SplittableError, type TokenError, UtxoError } from '../errors.ts';
import { type ReadToken, readOwnToken, readPayment, readRate } from '../parameters/checks.ts';
import type { MergeToken, OwnerParams, PublicKeyBytes, VerifyingKey } from '../parameters/params.ts';
import type { Plan, PlannedInput } from './transaction.ts';

/** What happens to the tokens that are spent. */
export interface Outcome {
  /** Paid to the redemption hash as money. */
  readonly redeemed?: Satoshis;
  readonly tokens: readonly { readonly satoshis: Satoshis; readonly owner: Uint8Array }[];
}

/** Longest script that the covenant can skip in a previous transaction. */
const LONGEST_PROOF_SCRIPT = 0xffff;

/** Plans a transaction that spends one token. */
export function planSpend(
  params: OwnerParams<VerifyingKey>,
  ownerKey: PublicKeyBytes,
  token: ReadToken,
  outcome: Outcome,
): Plan {
  return planInputs(params, ownerKey, [{ token, field: 'tokenUtxo' }], outcome);
}

/** Plans a transaction that merges two tokens into one or more. */
export function planMerge(
  params: OwnerParams<VerifyingKey>,
  ownerKey: PublicKeyBytes,
  pair: readonly [MergeInput, MergeInput],
  outcome: Outcome,
): Plan {
  return planInputs(
    params,
    ownerKey,
    pair.map((input, index) => ({
      ...input,
      field: `mergeTokens[${index}].utxo`,
      other: pair[1 - index] as MergeInput,
    })),
    outcome,
  );
}

export interface MergeInput {
  readonly token: ReadToken;
  readonly previousTx: Uint8Array;
}

function planInputs(
  params: OwnerParams<VerifyingKey>,
  ownerKey: PublicKeyBytes,
  tokens: readonly { token: ReadToken; field: string; other?: MergeInput }[],
  outcome: Outcome,
): Plan {
  const payment = readPayment(params);
  const [first] = tokens;
  const { template, fields } = (first as (typeof tokens)[number]).token;
  const inputs: PlannedInput[] = tokens.map(({ token, field, other }, index) => ({
    utxo: token.utxo,
    key: ownerKey,
    field,
    unlock: (preimage, change) => {
      const spend: TokenSpend = {
        ...outcome,
        ...(change ? { change } : {}),
        ...(payment ? { payment: outpointOf(payment.utxo) } : {}),
        ...(other
          ? { merge: { other: outpointOf(other.token.utxo), second: index === 1, previousTx: other.previousTx } }
          : {}),
      };
      return template.unlock(token.utxo.lockingScript, spend, preimage);
    },
  }));
  const outputs: TxOutput[] = outcome.tokens.map(({ satoshis, owner }) => ({
    satoshis,
    script: template.lock({ ...fields, owner }),
  }));
  if (outcome.redeemed !== undefined)
    outputs.unshift({ satoshis: outcome.redeemed, script: p2pkhScript(fields.redemption) });
  if (!payment) return { inputs, outputs };
  inputs.push({ ...payment, field: 'paymentUtxo' });
  return { inputs, outputs, changeTo: hash160(payment.key), rate: readRate(params.feeRate) };
}

function outpointOf({ txid, vout }: Outpoint): Outpoint {
  return { txid, vout };
}

/**
 * Validates two tokens of one owner and one kind, whose previous transactions the script can parse.
 * @throws TokenError `merge-invalid`, `not-splittable`, `not-a-token`, `utxo-invalid`
 */
export function readMerge(
  params: OwnerParams<VerifyingKey> & { readonly mergeTokens: readonly MergeToken[] },
  ownerKey: PublicKeyBytes,
): [MergeInput, MergeInput] {
  const { mergeTokens, template } = params;
  const count = Array.isArray(mergeTokens) ? mergeTokens.length : 0;
  if (count !== 2) throw invalid('mergeTokens', 'mergeTokens is not a list of exactly two tokens.', { count });
  const [first, second] = Array.from(mergeTokens, (given: MergeToken | null | undefined, index) => {
    const field = `mergeTokens[${index}]`;
    const token = readOwnToken(given?.utxo, ownerKey, `${field}.utxo`, template);
    return { token, previousTx: readPrevious(given?.previousTx, token, `${field}.previousTx`) };
  }) as [MergeInput, MergeInput];
  if (!first.token.template.merges) {
    throw invalid('mergeTokens[0]', 'Tokens of this version of the script cannot be merged: version 2 can.');
  }
  const kinds = [first, second].map(({ token }) => token.template.lock({ ...token.fields, owner: new Uint8Array(20) }));
  if (first.token.template !== second.token.template || !equalBytes(kinds[0] as Uint8Array, kinds[1] as Uint8Array)) {
    throw invalid(
      'mergeTokens[1]',
      'Only tokens of one kind can be merged: the same redemption hash, flags, symbol, data and version.',
    );
  }
  if (!first.token.fields.splittable) {
    throw new SplittableError('not-splittable', 'mergeTokens', 'Unsplittable tokens cannot be merged.');
  }
  return [first, second];
}

function readPrevious(given: MergeToken['previousTx'] | null | undefined, token: ReadToken, field: string): Uint8Array {
  let tx: Tx;
  let bytes: Uint8Array;
  try {
    const raw = typeof given === 'string' ? fromHex(given) : given;
    bytes = raw instanceof Uint8Array ? raw : serializeTx(raw as Tx);
    // parsed again: an already parsed transaction may differ from its bytes
    tx = parseTx(bytes);
  } catch (error) {
    throw new UtxoError(
      'merge-invalid',
      field,
      '{field} is missing or not a transaction: its bytes, their hex, or parsed.',
      {},
      { cause: error },
    );
  }
  if (txidOf(bytes) !== token.utxo.txid)
    throw invalid(field, '{field} is not the transaction that the token is an output of.');
  const output = tx.outputs[token.utxo.vout];
  if (output?.satoshis !== token.utxo.satoshis || !equalBytes(output.script, token.utxo.lockingScript))
    throw invalid(field, 'The token’s amount or script does not match {field}.');
  const numbers = { inputs: tx.inputs.length, outputs: tx.outputs.length };
  if (tx.outputs.length > MAX_PROOF_OUTPUTS) {
    throw invalid(
      field,
      '{field} has {outputs} outputs, but merging needs a transaction with fewer than 3. Transfer the token first.',
      numbers,
    );
  }
  if (tx.inputs.length > MAX_PROOF_INPUTS) {
    throw invalid(field, '{field} has {inputs} inputs, but merging allows at most {most}. Transfer the token first.', {
      ...numbers,
      most: MAX_PROOF_INPUTS,
    });
  }
  const longest = Math.max(...[...tx.inputs, ...tx.outputs].map(({ script }) => script.length));
  if (longest > LONGEST_PROOF_SCRIPT) {
    throw invalid(field, 'A script of {field} has {longest} bytes, more than {most}. Transfer the token first.', {
      longest,
      most: LONGEST_PROOF_SCRIPT,
    });
  }
  return bytes;
}

function invalid(field: string, message: string, numbers: Record<string, number> = {}): TokenError {
  return new UtxoError('merge-invalid', field, message, numbers);
}
