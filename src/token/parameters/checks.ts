import {
  ChainError,
  decodeAddress,
  equalBytes,
  hash160,
  leadingP2pkh,
  MAX_SATOSHIS,
  parseP2pkh,
  type Rate,
  type Satoshis,
  type Sentence,
  satoshis,
  sentence,
  type Utxo,
} from '../../chain/index.ts';
import { readTemplate } from '../covenant/read-template.ts';
import { KNOWN_TEMPLATES, type TokenFields, type TokenTemplate } from '../covenant/template.ts';
import {
  AddressError,
  AmountError,
  ParameterError,
  RedemptionError,
  SplittableError,
  type TokenError,
  UtxoError,
} from '../errors.ts';
import { isRecord, lengthOf, numberOf, readScript } from '../values/values.ts';
import { DEFAULT_FEE_RATE } from './fees.ts';
import { requireKey } from './keys.ts';
import type { PaymentParams, PublicKeyBytes, TokenDestination, UtxoLike, VerifyingKey } from './params.ts';

/** A token output and its decoded script. */
export interface ReadToken {
  readonly utxo: Utxo;
  readonly template: TokenTemplate;
  readonly fields: TokenFields;
}

/** Validates and converts an output to spend. @throws TokenError `utxo-invalid` naming the invalid property */
export function requireUtxo(given: UtxoLike | null | undefined, field: string): Utxo {
  const invalid = (name: string, text: string | Sentence, numbers = {}) =>
    new UtxoError('utxo-invalid', name, text, numbers);
  if (!isRecord(given)) {
    throw invalid(
      field,
      given === null || given === undefined
        ? '{field} is missing: it needs txid, vout, satoshis and lockingScript.'
        : '{field} is not an output: it needs txid, vout, satoshis and lockingScript.',
    );
  }
  const { txid, vout, satoshis: amount, lockingScript }: Record<string, unknown> = given;
  if (typeof txid !== 'string' || !/^[0-9a-fA-F]{64}$/.test(txid))
    throw invalid(`${field}.txid`, '{field} is not 64 hex digits.', { length: lengthOf(txid) });
  if (typeof vout !== 'number' || !Number.isInteger(vout) || vout < 0 || vout > 0xffffffff)
    throw invalid(`${field}.vout`, '{field} is not the number of an output.', { given: numberOf(vout) });
  if (!isAmount(amount)) {
    const name = `${field}.satoshis`;
    const text = sentence('{field} is not a whole number of satoshis up to {most}.', {
      field: name,
      most: MAX_SATOSHIS,
    });
    throw invalid(name, text, { given: numberOf(amount) });
  }
  const script = readScript(lockingScript);
  if (script === undefined) {
    const message = '{field} is not a script: its bytes, their hex, or a LockingScript of the SDK.';
    throw invalid(`${field}.lockingScript`, message);
  }
  return { txid: txid.toLowerCase(), vout, satoshis: satoshis(amount), lockingScript: script };
}

/** @throws TokenError `utxo-invalid` if the list is missing or empty, or an output is unusable or a duplicate. */
export function requireUtxos(utxos: readonly UtxoLike[] | null | undefined, field: string): readonly Utxo[] {
  if (!Array.isArray(utxos) || utxos.length === 0)
    throw new UtxoError(
      'utxo-invalid',
      field,
      utxos === null || utxos === undefined ? '{field} is missing.' : '{field} is not a list of outputs.',
    );
  const read = Array.from(utxos as readonly UtxoLike[], (utxo, index) => requireUtxo(utxo, `${field}[${index}]`));
  requireDistinct(
    read,
    read.map((_, index) => `${field}[${index}]`),
  );
  return read;
}

/** @throws TokenError `utxo-invalid` unless the output is P2PKH (alone, or before other data) to this key. */
function requireOwnedBy(utxo: Utxo, key: PublicKeyBytes, field: string): void {
  const owner = leadingP2pkh(utxo.lockingScript);
  if (owner !== undefined && equalBytes(owner, hash160(key))) return;
  throw new UtxoError('utxo-invalid', field, '{field} does not belong to the key given for it.');
}

/** The payment output and its key; undefined if both are absent. @throws TokenError `payment-incomplete`, `utxo-invalid`, `key-invalid` */
export function readPayment(params: PaymentParams<VerifyingKey>): { utxo: Utxo; key: PublicKeyBytes } | undefined {
  const { paymentUtxo, paymentKey } = params;
  if (!hasPayment(paymentUtxo, paymentKey, 'paymentUtxo')) return undefined;
  const utxo = requireUtxo(paymentUtxo, 'paymentUtxo');
  const key = requireKey(paymentKey, 'paymentKey');
  requirePlain(utxo, key, 'paymentUtxo');
  return { utxo, key };
}

/** Whether a payment is given. @throws TokenError `payment-incomplete` if only the outputs or only the key are given. */
export function hasPayment(outputs: unknown, key: unknown, field: string): boolean {
  const [isPaid, isKeyed] = [outputs, key].map((given) => given !== null && given !== undefined);
  if (isPaid && !isKeyed)
    throw new UtxoError('payment-incomplete', 'paymentKey', '{field} is given, but paymentKey is missing.');
  if (isKeyed && !isPaid)
    throw new UtxoError('payment-incomplete', field, 'paymentKey is given, but {field} is missing.');
  return isPaid === true;
}

/** Validates a fee rate. @throws TokenError `fee-invalid` */
export function readRate(rate: Rate | null | undefined): Rate {
  if (rate === null || rate === undefined) return DEFAULT_FEE_RATE;
  const { satoshis: price, bytes }: Record<string, unknown> = isRecord(rate) ? rate : {};
  if (typeof price === 'number' && typeof bytes === 'number') return { satoshis: price, bytes };
  const message = 'feeRate is not a rate: it needs satoshis and bytes, both numbers.';
  throw new AmountError('fee-invalid', 'feeRate', message, { satoshis: numberOf(price), bytes: numberOf(bytes) });
}

/** @throws TokenError `utxo-invalid` unless it is plain P2PKH to this key: an output with more content must not be spent as money. */
export function requirePlain(utxo: Utxo, key: PublicKeyBytes, field: string): void {
  requireOwnedBy(utxo, key, field);
  if (parseP2pkh(utxo.lockingScript) !== undefined) return;
  throw new UtxoError('utxo-invalid', field, '{field} carries more than money and cannot be spent as such.');
}

/** @throws TokenError `utxo-invalid`, `not-a-token` */
function readToken(utxo: UtxoLike | null | undefined, field: string, template?: TokenTemplate | null): ReadToken {
  const spent = requireUtxo(utxo, field);
  const isOwn = template === undefined || template === null;
  for (const candidate of isOwn ? KNOWN_TEMPLATES : [readTemplate(template, 'template')]) {
    const fields = candidate.decode(spent.lockingScript);
    if (fields && spent.satoshis > 0) return { utxo: spent, template: candidate, fields };
  }
  throw new UtxoError('not-a-token', field, '{field} is not a token of a known template.', {
    scriptLength: spent.lockingScript.length,
  });
}

/** @throws TokenError `utxo-invalid`, `not-a-token`, and if the token belongs to another owner. */
export function readOwnToken(
  utxo: UtxoLike | null | undefined,
  key: PublicKeyBytes,
  field: string,
  template?: TokenTemplate | null,
): ReadToken {
  const token = readToken(utxo, field, template);
  requireOwnedBy(token.utxo, key, field);
  return token;
}

/** The key hash of an address. @throws TokenError `address-invalid` */
function readAddress(address: string | null | undefined, field: string): Uint8Array {
  if (typeof address !== 'string' || address === '')
    throw new AddressError('address-invalid', field, address ? '{field} is not text.' : '{field} is missing.');
  try {
    return decodeAddress(address).pubKeyHash;
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    const message = sentence('{field} is not an address: {why}', { field, why: error.sentence });
    throw new AddressError('address-invalid', field, message, { length: address.length }, { cause: error });
  }
}

/** Key hash of a token's new owner. @throws TokenError `address-invalid`, or `issuer-address`: such a token could only be redeemed. */
export function readOwner(address: string | null | undefined, redemption: Uint8Array, field: string): Uint8Array {
  const owner = readAddress(address, field);
  if (!equalBytes(owner, redemption)) return owner;
  throw new AddressError(
    'issuer-address',
    field,
    '{field} is the address that the token is redeemed to: a token at that address could only be redeemed.',
  );
}

/** @throws TokenError `amount-invalid` unless it is a whole number of satoshis from 1. */
export function readAmount(amount: number | null | undefined, field: string): Satoshis {
  if (isAmount(amount) && amount >= 1) return satoshis(amount);
  throw new AmountError('amount-invalid', field, '{field} is not a whole number of satoshis from 1.', {
    given: numberOf(amount),
  });
}

/** Validates the destinations of a split. @throws TokenError */
export function readDestinations(
  destinations: readonly TokenDestination[] | null | undefined,
  token: ReadToken,
  options: { readonly field: string; readonly most: number },
): { owner: Uint8Array; satoshis: Satoshis }[] {
  const { field, most } = options;
  if (!Array.isArray(destinations) || destinations.length === 0)
    throw new AmountError('amount-invalid', field, '{field} needs a list of owners and amounts.', { count: 0, most });
  if (destinations.length > most) {
    throw new AmountError('amount-invalid', field, '{field} has {count} entries; {most} are allowed.', {
      count: destinations.length,
      most,
    });
  }
  return Array.from(destinations as readonly TokenDestination[], (given, index) => {
    const { address, satoshis } = readEntry(given, `${field}[${index}]`);
    return {
      owner: readOwner(address, token.fields.redemption, `${field}[${index}].address`),
      satoshis: readAmount(satoshis, `${field}[${index}].satoshis`),
    };
  });
}

/** Validates one owner and amount. @throws TokenError `parameter-invalid` */
export function readEntry<T extends TokenDestination>(given: T, field: string): T {
  if (isRecord(given)) return given;
  throw new ParameterError('parameter-invalid', field, '{field} is not an object with address and satoshis.');
}

/** @throws TokenError `sum-mismatch` */
export function requireSum(amounts: readonly { readonly satoshis: number }[], wanted: number, field: string): void {
  const given = amounts.reduce((sum, { satoshis }) => sum + satoshis, 0);
  if (given === wanted) return;
  throw new AmountError('sum-mismatch', field, '{field} holds {given} satoshis in total; the inputs hold {wanted}.', {
    given,
    wanted,
  });
}

/** @throws TokenError `not-splittable` */
export function requireSplittable(token: ReadToken): void {
  if (!token.fields.splittable)
    throw new SplittableError(
      'not-splittable',
      'tokenUtxo',
      '{field} is not splittable: it can only be moved or redeemed as a unit.',
    );
}

/** @throws TokenError `redemption-invalid` unless the token is redeemed to this key. */
export function requireIssuer(token: ReadToken, key: PublicKeyBytes): void {
  if (equalBytes(hash160(key), token.fields.redemption)) return;
  throw new RedemptionError(
    'redemption-invalid',
    'contractPublicKey',
    'The token is redeemed to another key than {field}.',
  );
}

function twice(field: string): TokenError {
  return new UtxoError('utxo-invalid', field, '{field} is a duplicate of another output.');
}

/** @throws TokenError `utxo-invalid` if two inputs spend the same output. */
export function requireDistinct(utxos: readonly Utxo[], fields: readonly string[]): void {
  const seen = new Set<string>();
  for (const [index, { txid, vout }] of utxos.entries()) {
    if (seen.has(`${txid}_${vout}`)) throw twice(fields[index] ?? 'inputs');
    seen.add(`${txid}_${vout}`);
  }
}

function isAmount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= MAX_SATOSHIS;
}
