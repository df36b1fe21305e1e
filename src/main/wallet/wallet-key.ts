import type { PrivateKey } from '@bsv/sdk';
import { type AddressNetwork, encodeAddress, hash160, p2pkhScript, toHex } from '../../chain/index.ts';
import type { Network } from '../../contract/index.ts';
import { deriveKey } from './hd-key.ts';
import { seedOf } from './mnemonic.ts';

/** Registered coin types (SLIP-44): 236 for BSV, 1 for every test network. */
const COIN_TYPE: Record<Network, number> = { main: 236, test: 1, sandbox: 1 };

/** Account of the seed whose first key owns tokens: the wallet's own key redeems those it issued, so it cannot hold them. */
const TOKEN_ACCOUNT = 2;
/** Marks the token key's coins in the store; it stands far from the indices of money keys. */
const TOKEN_INDEX = 0x4000_0000;

/** One key of the wallet with all that is known from it. */
export interface WalletKey {
  /** Last step of the derivation path of a money key; a number of its own for the token key. */
  readonly index: number;
  /** What the key's plain coins are for: those of the token key never pay for anything. */
  readonly purpose: 'money' | 'token';
  readonly privateKey: PrivateKey;
  /** 66 hex digits, compressed. */
  readonly publicKey: string;
  /** 40 hex digits. */
  readonly pubKeyHash: string;
  readonly lockingScript: Uint8Array;
  readonly address: string;
}

/** The sandbox uses the addresses of the test network. */
export function addressNetwork(network: Network): AddressNetwork {
  return network === 'main' ? 'main' : 'test';
}

/** Derives the key `m/44'/<coin type>'/0'/0/<index>` from a wallet's entropy. */
export function walletKey(entropy: Uint8Array, network: Network, index: number): WalletKey {
  return keyAt(entropy, network, `0'/0/${index}`, { index, purpose: 'money' });
}

/** The key that owns the wallet's tokens, `m/44'/<coin type>'/2'/0/0`: any wallet that restores the seed finds them there. */
export function tokenKey(entropy: Uint8Array, network: Network): WalletKey {
  return keyAt(entropy, network, `${TOKEN_ACCOUNT}'/0/0`, { index: TOKEN_INDEX, purpose: 'token' });
}

function keyAt(
  entropy: Uint8Array,
  network: Network,
  path: string,
  { index, purpose }: Pick<WalletKey, 'index' | 'purpose'>,
): WalletKey {
  const seed = seedOf(entropy);
  const { privateKey } = deriveKey(seed, `m/44'/${COIN_TYPE[network]}'/${path}`);
  seed.fill(0);
  const publicKey = Uint8Array.from(privateKey.toPublicKey().toDER() as number[]);
  const pubKeyHash = hash160(publicKey);
  return {
    index,
    purpose,
    privateKey,
    publicKey: toHex(publicKey),
    pubKeyHash: toHex(pubKeyHash),
    lockingScript: p2pkhScript(pubKeyHash),
    address: encodeAddress(pubKeyHash, addressNetwork(network)),
  };
}

/**
 * A key of another account of the same seed, `m/44'/<coin type>'/<account>'/0/0`: any wallet that restores the seed finds its coins there.
 * @param account from 1: account 0 is the wallet's own
 * @returns 32 bytes
 */
export function accountKey(entropy: Uint8Array, network: Network, account: number): Uint8Array {
  const seed = seedOf(entropy);
  const { privateKey } = deriveKey(seed, `m/44'/${COIN_TYPE[network]}'/${account}'/0/0`);
  seed.fill(0);
  return Uint8Array.from(Buffer.from(privateKey.toHex().padStart(64, '0'), 'hex'));
}
