import {
  ChainError,
  decodeAddress,
  equalBytes,
  hash160,
  isHashHex,
  leadingP2pkh,
  MAX_SATOSHIS,
  parseP2pkh,
  type Satoshis,
  satoshis,
  type Utxo,
} from '../chain/index.ts';
import {
  AddressError,
  AmountError,
  KeyError,
  RedemptionError,
  SplittableError,
  type TokenError,
  UtxoError,
} from './errors.ts';
import type { AnyKey, PaymentParams, PublicKeyBytes, TokenDestination } from './params.ts';
import { KNOWN_TEMPLATES, type TokenFields, type TokenTemplate } from './template.ts';

/** A token output with what its script says. */
export interface ReadToken {
  readonly utxo: Utxo;
  readonly template: TokenTemplate;
  readonly fields: TokenFields;
}

/** @throws TokenError `key-missing` or `key-invalid` unless it is a compressed public key. */
export function requireKey(key: PublicKeyBytes | null | undefined, field: string): PublicKeyBytes {
  if (key === null || key === undefined) throw new KeyError('key-missing', field, `The ${words(field)} is missing.`);
  const isCompressed = key instanceof Uint8Array && key.length === 33 && (key[0] === 2 || key[0] === 3);
  if (!isCompressed) {
    throw new KeyError('key-invalid', field, `The ${words(field)} is not a compressed public key of 33 bytes.`, {
      length: key instanceof Uint8Array ? key.length : 0,
    });
  }
  return key;
}

/** @throws TokenError `utxo-invalid` unless it is an output that can be spent. */
export function requireUtxo(utxo: Utxo | null | undefined, field: string): Utxo {
  const isUsable =
    typeof utxo === 'object' &&
    utxo !== null &&
    isHashHex(utxo.txid) &&
    Number.isInteger(utxo.vout) &&
    utxo.vout >= 0 &&
    utxo.vout <= 0xffffffff &&
    isAmount(utxo.satoshis) &&
    utxo.lockingScript instanceof Uint8Array;
  if (isUsable) return utxo;
  throw new UtxoError(
    'utxo-invalid',
    field,
    `The ${words(field)} is missing or not an output: it needs a txid, an output number, satoshis and a locking script.`,
  );
}

/** @throws TokenError `utxo-invalid` where a list of outputs is missing or empty, or one of it is unusable or there twice. */
export function requireUtxos(utxos: readonly Utxo[] | null | undefined, field: string): readonly Utxo[] {
  if (!Array.isArray(utxos) || utxos.length === 0)
    throw new UtxoError('utxo-invalid', field, `The ${words(field)} are missing.`);
  const seen = new Set<string>();
  for (const [index, utxo] of utxos.entries()) {
    const { txid, vout } = requireUtxo(utxo, `${field}[${index}]`);
    if (seen.has(`${txid}_${vout}`)) throw twice(`${field}[${index}]`);
    seen.add(`${txid}_${vout}`);
  }
  return utxos;
}

/** @throws TokenError `utxo-invalid` unless the output is P2PKH (alone, or before other data) to this key. */
function requireOwnedBy(utxo: Utxo, key: PublicKeyBytes, field: string): void {
  const owner = leadingP2pkh(utxo.lockingScript);
  if (owner !== undefined && equalBytes(owner, hash160(key))) return;
  throw new UtxoError('utxo-invalid', field, `The ${words(field)} does not belong to the key given for it.`);
}

/** The payment output and its key, both or neither. @throws TokenError `payment-incomplete`, `utxo-invalid` */
export function readPayment(
  params: PaymentParams<AnyKey> & { readonly paymentKey?: PublicKeyBytes | null },
): { utxo: Utxo; key: PublicKeyBytes } | undefined {
  const { paymentUtxo, paymentKey } = params;
  requirePaymentPair(paymentUtxo, paymentKey, 'paymentUtxo');
  if (!paymentUtxo || !paymentKey) return undefined;
  const utxo = requireUtxo(paymentUtxo, 'paymentUtxo');
  const key = requireKey(paymentKey, 'paymentKey');
  requirePlain(utxo, key, 'paymentUtxo');
  return { utxo, key };
}

/** @throws TokenError `payment-incomplete` where one is there without the other. */
export function requirePaymentPair(outputs: unknown, key: unknown, field: string): void {
  if (outputs && !key)
    throw new UtxoError('payment-incomplete', 'paymentKey', 'There is an output to pay with, but no key for it.');
  if (key && !outputs)
    throw new UtxoError('payment-incomplete', field, 'There is a payment key, but no output to pay with.');
}

/** @throws TokenError `utxo-invalid` unless it is plain P2PKH to this key: what carries more must not be spent as money. */
export function requirePlain(utxo: Utxo, key: PublicKeyBytes, field: string): void {
  requireOwnedBy(utxo, key, field);
  if (parseP2pkh(utxo.lockingScript) !== undefined) return;
  throw new UtxoError(
    'utxo-invalid',
    field,
    `The ${words(field)} carries more than money and cannot be spent as such.`,
  );
}

/** @throws TokenError `utxo-invalid`, `not-a-token` */
function readToken(utxo: Utxo | null | undefined, field: string, template?: TokenTemplate): ReadToken {
  const spent = requireUtxo(utxo, field);
  for (const candidate of template ? [template] : KNOWN_TEMPLATES) {
    const fields = candidate.decode(spent.lockingScript);
    if (fields && spent.satoshis > 0) return { utxo: spent, template: candidate, fields };
  }
  throw new UtxoError('not-a-token', field, `The ${words(field)} is no token output this library knows.`, {
    scriptLength: spent.lockingScript.length,
  });
}

/** @throws TokenError `utxo-invalid`, `not-a-token` and where the token is another owner's. */
export function readOwnToken(
  utxo: Utxo | null | undefined,
  key: PublicKeyBytes,
  field: string,
  template?: TokenTemplate,
): ReadToken {
  const token = readToken(utxo, field, template);
  requireOwnedBy(token.utxo, key, field);
  return token;
}

/** The key hash of an address. @throws TokenError `address-invalid` */
export function readAddress(address: string | null | undefined, field: string): Uint8Array {
  if (typeof address !== 'string' || address === '')
    throw new AddressError('address-invalid', field, `The ${words(field)} is missing.`);
  try {
    return decodeAddress(address).pubKeyHash;
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    throw new AddressError('address-invalid', field, error.message, { length: address.length }, { cause: error });
  }
}

/** The owner-to-be of a token. @throws TokenError `address-invalid`, or `issuer-address`: such a token could only be redeemed. */
export function readOwner(address: string | null | undefined, redemption: Uint8Array, field: string): Uint8Array {
  const owner = readAddress(address, field);
  if (!equalBytes(owner, redemption)) return owner;
  throw new AddressError(
    'issuer-address',
    field,
    'A token cannot be sent to the address it is redeemed to: redeem it.',
  );
}

/** @throws TokenError `amount-invalid` unless it is a whole number of satoshis from 1. */
export function readAmount(amount: number | null | undefined, field: string): Satoshis {
  if (isAmount(amount) && amount >= 1) return satoshis(amount);
  throw new AmountError('amount-invalid', field, `The ${words(field)} is not a whole number of satoshis from 1.`, {
    given: Number(amount),
  });
}

/** Destinations of a split as owners and amounts. @throws TokenError */
export function readDestinations(
  destinations: readonly TokenDestination[] | null | undefined,
  token: ReadToken,
  options: { readonly field: string; readonly most: number },
): { owner: Uint8Array; satoshis: Satoshis }[] {
  const { field, most } = options;
  if (!Array.isArray(destinations) || destinations.length === 0)
    throw new AmountError('amount-invalid', field, `The ${words(field)} are missing.`, { count: 0, most });
  if (destinations.length > most) {
    throw new AmountError(
      'amount-invalid',
      field,
      `There are ${destinations.length} ${words(field)}; ${most} are allowed.`,
      {
        count: destinations.length,
        most,
      },
    );
  }
  return destinations.map(({ address, satoshis }, index) => ({
    owner: readOwner(address, token.fields.redemption, `${field}[${index}].address`),
    satoshis: readAmount(satoshis, `${field}[${index}].satoshis`),
  }));
}

/** @throws TokenError `sum-mismatch` */
export function requireSum(given: number, wanted: number, field: string): void {
  if (given === wanted) return;
  throw new AmountError('sum-mismatch', field, `The ${words(field)} hold ${given} satoshis in all; ${wanted} go in.`, {
    given,
    wanted,
  });
}

/** @throws TokenError `not-splittable` */
export function requireSplittable(token: ReadToken, field: string): void {
  if (!token.fields.splittable)
    throw new SplittableError('not-splittable', field, 'This token can only be moved or redeemed whole.');
}

/** @throws TokenError `redemption-invalid` where the key is not the one the token is redeemed to. */
export function requireIssuer(token: ReadToken, key: PublicKeyBytes, field: string): void {
  if (equalBytes(hash160(key), token.fields.redemption)) return;
  throw new RedemptionError('redemption-invalid', field, 'The token is redeemed to another key than the one given.');
}

function twice(field: string): TokenError {
  return new UtxoError('utxo-invalid', field, `The ${words(field)} is there twice.`);
}

/** @throws TokenError `utxo-invalid` where two inputs would spend the same output. */
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

/** A field's name as a reader would say it. @example words('paymentUtxo') // 'payment utxo' */
function words(field: string): string {
  return field.replace(/([a-z])([A-Z])/g, (_, end: string, start: string) => `${end} ${start.toLowerCase()}`);
}
