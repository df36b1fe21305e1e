import {
  equalBytes,
  hash160,
  p2pkhScript,
  type Sentence,
  satoshis,
  sentence,
  toHex,
  type Utxo,
} from '../../chain/index.ts';
import { SchemaError } from '../errors.ts';
import { hasPayment, readAmount, readRate, requirePlain, requireUtxos } from '../parameters/checks.ts';
import { requireKey } from '../parameters/keys.ts';
import type { AnyKey, PaymentParams, SigningKey, UtxoLike, VerifyingKey } from '../parameters/params.ts';
import { contractScript, parseSchema, type TokenSchema } from '../schema/schema.ts';
import { formsOf } from '../transaction/signing.ts';
import type { Plan, PlannedInput } from '../transaction/transaction.ts';

export interface ContractParams<Key extends AnyKey> extends Omit<PaymentParams<Key>, 'paymentUtxo'> {
  readonly issuerKey: Key;
  /** P2PKH outputs of the issuer that become the supply. */
  readonly inputUtxos: readonly UtxoLike[];
  /** P2PKH outputs of {@link PaymentParams.paymentKey} that pay the fee. */
  readonly paymentUtxos?: readonly UtxoLike[] | null;
  /** Description of the token; its `tokenId` is the issuer's public key hash. */
  readonly schema: TokenSchema;
  /** The supply in satoshis (base units): the schema's `totalSupply` times its `satsPerToken`. */
  readonly tokenSatoshis: number;
}

function plan(params: ContractParams<VerifyingKey>): Plan {
  const issuerKey = requireKey(params.issuerKey, 'issuerKey');
  const inputs = requireUtxos(params.inputUtxos, 'inputUtxos');
  const isPaid = hasPayment(params.paymentUtxos, params.paymentKey, 'paymentUtxos');
  const issuer = hash160(issuerKey);
  const schema = parseSchema(params.schema);
  if (schema.tokenId !== toHex(issuer)) {
    throw new SchemaError(
      'schema-invalid',
      'schema.tokenId',
      sentence('schema.tokenId is not the issuer’s public key hash, {hash}: tokens are redeemed to it.', {
        hash: toHex(issuer),
      }),
    );
  }
  const supply = readAmount(params.tokenSatoshis, 'tokenSatoshis');
  requireSupply(supply, schema, inputs);
  const planned: PlannedInput[] = inputs.map((utxo, index) => {
    requirePlain(utxo, issuerKey, `inputUtxos[${index}]`);
    return { utxo, key: issuerKey, field: `inputUtxos[${index}]` };
  });
  const outputs = [{ satoshis: supply, script: contractScript(issuer, schema) }];
  // without a fee, the change is whatever the supply leaves over
  if (!isPaid) return { inputs: planned, outputs, changeTo: issuer };
  const paymentKey = requireKey(params.paymentKey, 'paymentKey');
  const surplus = inputs.reduce((sum, { satoshis }) => sum + satoshis, 0) - supply;
  const isOnePerson = equalBytes(issuer, hash160(paymentKey));
  if (surplus > 0 && !isOnePerson) outputs.push({ satoshis: satoshis(surplus), script: p2pkhScript(issuer) });
  for (const [index, utxo] of requireUtxos(params.paymentUtxos, 'paymentUtxos').entries()) {
    requirePlain(utxo, paymentKey, `paymentUtxos[${index}]`);
    planned.push({ utxo, key: paymentKey, field: `paymentUtxos[${index}]` });
  }
  return { inputs: planned, outputs, changeTo: hash160(paymentKey), rate: readRate(params.feeRate) };
}

function requireSupply(supply: number, schema: TokenSchema, inputs: readonly Utxo[]): void {
  const { satsPerToken, totalSupply } = schema;
  const available = inputs.reduce((sum, { satoshis }) => sum + satoshis, 0);
  const numbers = { supply, satsPerToken, totalSupply, available };
  const invalid = (why: Sentence) =>
    new SchemaError(
      'supply-invalid',
      'tokenSatoshis',
      sentence('tokenSatoshis is {supply}, {why}.', { supply, why }),
      numbers,
    );
  if (supply < satsPerToken) throw invalid(sentence('less than one token of {each} satoshis', { each: satsPerToken }));
  if (supply % satsPerToken !== 0)
    throw invalid(sentence('not a whole number of tokens of {each} satoshis', { each: satsPerToken }));
  if (supply > available) throw invalid(sentence('more than the {held} satoshis of inputUtxos', { held: available }));
  if (BigInt(supply) !== BigInt(totalSupply) * BigInt(satsPerToken))
    throw invalid(
      sentence('but schema.totalSupply is {count} tokens of {each} satoshis', {
        count: totalSupply,
        each: satsPerToken,
      }),
    );
}

const forms = formsOf<ContractParams<SigningKey>, ContractParams<VerifyingKey>>(plan);

/**
 * Creates a contract: output 0 holds the supply, P2PKH to the issuer followed by OP_RETURN and the schema. The rest of the issuer's inputs
 * returns to the issuer in output 1; the rest of the payment returns to the payment key in the last output. If both keys are the same,
 * there is a single change output.
 * @throws TokenError if a parameter is invalid, before anything is signed.
 * @example contract({ issuerKey, inputUtxos, paymentUtxos, paymentKey, schema, tokenSatoshis: 10_000 }).outputs[0]
 */
export const contract = forms.withKeys;

/** {@link contract}, signed by callbacks. */
export const contractWithCallback = forms.withCallback;

/** {@link contract} without signatures: see `finishTransaction`. */
export const unsignedContract = forms.unsigned;
