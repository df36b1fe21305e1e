/** Chain functions for building parameters and reading results. They throw this library's errors. */
import * as chain from '../chain/index.ts';
import { ParameterError } from './errors.ts';
import { guarded } from './values/values.ts';

type Tx = chain.Tx;

/** The address of a public key hash. @param pubKeyHash 20 bytes @throws TokenError `parameter-invalid` */
export function encodeAddress(pubKeyHash: Uint8Array, network: 'main' | 'test'): string {
  if (network !== 'main' && network !== 'test')
    throw new ParameterError('parameter-invalid', 'network', 'network is not "main" or "test".');
  return guarded('pubKeyHash', () => chain.encodeAddress(bytesOf(pubKeyHash, 'pubKeyHash'), network));
}

/** The 25 bytes of P2PKH to a key hash. @param pubKeyHash 20 bytes @throws TokenError `parameter-invalid` */
export function p2pkhScript(pubKeyHash: Uint8Array): Uint8Array {
  return guarded('pubKeyHash', () => chain.p2pkhScript(bytesOf(pubKeyHash, 'pubKeyHash')));
}

/** RIPEMD-160 of SHA-256, 20 bytes: the hash in an address. @throws TokenError `parameter-invalid` */
export function hash160(bytes: Uint8Array): Uint8Array {
  return chain.hash160(bytesOf(bytes, 'bytes'));
}

/** Lower-case hex. @throws TokenError `parameter-invalid` @example toHex(Uint8Array.of(0, 255)) // '00ff' */
export function toHex(bytes: Uint8Array): string {
  return chain.toHex(bytesOf(bytes, 'bytes'));
}

/** The bytes of strict hex, in either case. @throws TokenError `parameter-invalid` */
export function fromHex(hex: string): Uint8Array {
  if (typeof hex !== 'string') throw new ParameterError('parameter-invalid', 'hex', 'hex is not text.');
  return guarded('hex', () => chain.fromHex(hex));
}

/** A whole number of satoshis from 0 to 21,000,000 BSV, in the type of the library's results. @throws TokenError `parameter-invalid` */
export function satoshis(amount: number): chain.Satoshis {
  if (typeof amount !== 'number') throw new ParameterError('parameter-invalid', 'amount', 'amount is not a number.');
  return guarded('amount', () => chain.satoshis(amount));
}

/** Parses exactly one transaction. @throws TokenError `parameter-invalid` */
export function parseTx(bytes: Uint8Array): Tx {
  return guarded('bytes', () => chain.parseTx(bytesOf(bytes, 'bytes')));
}

/** The bytes of a transaction; `parseTx(serializeTx(tx))` equals `tx`. @throws TokenError `parameter-invalid` */
export function serializeTx(tx: Tx): Uint8Array {
  return guarded('tx', () => {
    const bytes = chain.serializeTx(tx);
    // invalid numbers are truncated when written, so the result is parsed again and compared
    chain.parseTx(bytes, true);
    return bytes;
  });
}

/** The txid of a transaction, or of its bytes. @throws TokenError `parameter-invalid` */
export function txidOf(tx: Uint8Array | Tx): string {
  return chain.txidOf(tx instanceof Uint8Array ? tx : serializeTx(tx));
}

function bytesOf(bytes: unknown, field: string): Uint8Array {
  if (bytes instanceof Uint8Array) return bytes;
  throw new ParameterError('parameter-invalid', field, '{field} is not a Uint8Array.');
}
