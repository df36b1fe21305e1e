import * as Utils from '@bsv/sdk/primitives/utils';
import { plainBytes } from '../encoding/bytes.ts';
import { ChainError } from '../errors.ts';

/** Network of an address. The sandbox uses addresses of the test network. */
export type AddressNetwork = 'main' | 'test';

/** Every network but the main one, also a local one, has the addresses of the test network. @param network its name */
export function addressNetwork(network: string): AddressNetwork {
  return network === 'main' ? 'main' : 'test';
}

const VERSION_BYTES = { main: 0x00, test: 0x6f } as const;

/** What is wrong with an address: `data.fault` of the error. */
export type AddressFault = 'length' | 'characters' | 'checksum' | 'kind';

/**
 * Reads a Base58Check P2PKH address.
 * @throws ChainError `address-invalid` for a wrong checksum, a payload that is not 21 bytes, or a version other than P2PKH.
 * @example decodeAddress('1AGNa15ZQXAZUgFiqJ2i7Z2DPU2J6hW62i').network // 'main'
 */
export function decodeAddress(text: string): { network: AddressNetwork; pubKeyHash: Uint8Array } {
  const invalid = (why: string, fault: AddressFault) =>
    new ChainError('address-invalid', why, { text: text.slice(0, 100), fault });
  // Base58 decoding takes quadratic time, so the length is checked first
  if (text.length < 26 || text.length > 35) throw invalid('An address has 26 to 35 characters.', 'length');
  if (!/^[1-9A-HJ-NP-Za-km-z]+$/.test(text)) throw invalid('An address holds only Base58 characters.', 'characters');
  let decoded: { prefix: number[]; data: number[] };
  try {
    decoded = Utils.fromBase58Check(text) as { prefix: number[]; data: number[] };
  } catch {
    throw invalid('The address has a typing error: its checksum does not match.', 'checksum');
  }
  if (decoded.data.length !== 20) throw invalid('The address does not hold a 20-byte key hash.', 'kind');
  const version = decoded.prefix[0];
  const network = version === VERSION_BYTES.main ? 'main' : version === VERSION_BYTES.test ? 'test' : undefined;
  if (network === undefined) throw invalid('Only P2PKH addresses are supported; this one is of another kind.', 'kind');
  return { network, pubKeyHash: Uint8Array.from(decoded.data) };
}

/** @param pubKeyHash 20 bytes. @throws ChainError `address-invalid` for another length. */
export function encodeAddress(pubKeyHash: Uint8Array, network: AddressNetwork): string {
  requireHash(pubKeyHash);
  return Utils.toBase58Check(Array.from(pubKeyHash), [VERSION_BYTES[network]]);
}

/** The 25 bytes `DUP HASH160 <hash> EQUALVERIFY CHECKSIG`. @throws ChainError `address-invalid` unless the hash has 20 bytes. */
export function p2pkhScript(pubKeyHash: Uint8Array): Uint8Array {
  requireHash(pubKeyHash);
  const script = Uint8Array.of(0x76, 0xa9, 0x14, ...new Uint8Array(20), 0x88, 0xac);
  script.set(pubKeyHash, 3);
  return script;
}

/** The key hash of a plain P2PKH script; undefined for any other script. */
export function parseP2pkh(script: Uint8Array): Uint8Array | undefined {
  return script.length === 25 ? leadingP2pkh(script) : undefined;
}

/** The key hash of a script that starts with P2PKH, whatever follows (an inscription or data). */
export function leadingP2pkh(script: Uint8Array): Uint8Array | undefined {
  const isP2pkh =
    script.length >= 25 &&
    script[0] === 0x76 &&
    script[1] === 0xa9 &&
    script[2] === 0x14 &&
    script[23] === 0x88 &&
    script[24] === 0xac;
  return isP2pkh ? plainBytes(script).slice(3, 23) : undefined;
}

function requireHash(pubKeyHash: Uint8Array): void {
  if (pubKeyHash.length !== 20) {
    throw new ChainError('address-invalid', 'A public key hash has 20 bytes.', { length: pubKeyHash.length });
  }
}
