import type PrivateKey from '@bsv/sdk/primitives/PrivateKey';
import {
  addressNetwork,
  compressedKeyOf,
  encodeAddress,
  fromHex,
  hash160,
  p2pkhScript,
  toHex,
} from '../../../chain/index.ts';
import type { Network } from '../../../contract/index.ts';
import { deriveChild, deriveKey, type HdKey } from './hd-key.ts';
import { seedOf } from './mnemonic.ts';

/** Registered coin types (SLIP-44): 236 for BSV, 1 for every test network. */
const COIN_TYPE: Record<Network, number> = { main: 236, test: 1, private: 1, sandbox: 1 };

/** Account of the seed whose first key owns tokens: the wallet's own key redeems those it issued, so it cannot hold them. */
const TOKEN_ACCOUNT = 2;
/** Addresses that another wallet uses for change are followed under their index plus this. */
export const CHANGE_INDEX = 0x2000_0000;
/** Marks the token key's coins in the store; it stands far from the indices of money keys. */
export const TOKEN_INDEX = 0x4000_0000;

/** Whether the index of a coin's key is that of an address which is given out. */
export function isMoneyIndex(index: number): boolean {
  return index < CHANGE_INDEX;
}

/** One key of the wallet with all that is known from it. */
export interface WalletKey {
  /** Last step of the derivation path of a money key; a number of its own for the token key. */
  readonly index: number;
  /** What the key's plain coins are for: those of the token key never pay for anything. */
  readonly purpose: 'money' | 'token';
  /** Undefined where this process does not have it: the key is only watched, or another wallet signs with it. */
  readonly privateKey: PrivateKey | undefined;
  /** 66 hex digits where it is compressed, which only an old imported key is not. */
  readonly publicKey: string;
  /** 40 hex digits. */
  readonly pubKeyHash: string;
  readonly lockingScript: Uint8Array;
  readonly address: string;
}

/** The locking scripts whose coins are money of the wallet. */
export function moneyScripts(keys: readonly WalletKey[]): readonly Uint8Array[] {
  return keys.filter(({ purpose }) => purpose === 'money').map(({ lockingScript }) => lockingScript);
}

export function moneyPath(network: Network, account: number, index: number): string {
  return `m/44'/${COIN_TYPE[network]}'/${account}'/0/${index}`;
}

/** The parent of an account's money keys, `m/44'/<coin type>'/<account>'/0`. @param passphrase the optional one of BIP39 */
export function moneyBranch(entropy: Uint8Array, passphrase: string, network: Network, account = 0): HdKey {
  return derive(entropy, passphrase, `m/44'/${COIN_TYPE[network]}'/${account}'/0`);
}

/** The money key `m/44'/<coin type>'/0'/0/<index>`. */
export function moneyKey(branch: HdKey, network: Network, index: number): WalletKey {
  return toWalletKey(deriveChild(branch, index), network, { index, purpose: 'money' });
}

/** The key that owns the wallet's tokens, `m/44'/<coin type>'/2'/0/0`: any wallet that restores the seed finds them there. */
export function tokenKey(entropy: Uint8Array, passphrase: string, network: Network): WalletKey {
  const key = derive(entropy, passphrase, `m/44'/${COIN_TYPE[network]}'/${TOKEN_ACCOUNT}'/0/0`);
  return toWalletKey(key, network, { index: TOKEN_INDEX, purpose: 'token' });
}

function derive(entropy: Uint8Array, passphrase: string, path: string): HdKey {
  const seed = seedOf(entropy, passphrase);
  try {
    return deriveKey(seed, path);
  } finally {
    seed.fill(0);
  }
}

function toWalletKey({ privateKey }: HdKey, network: Network, own: Pick<WalletKey, 'index' | 'purpose'>): WalletKey {
  return withScript({ ...own, privateKey, publicKey: toHex(compressedKeyOf(privateKey)) }, network);
}

/** A key of which only the public half is known here. @param publicKey 66 hex digits */
export function publicWalletKey(publicKey: string, network: Network, index: number): WalletKey {
  return withScript({ index, purpose: 'money', privateKey: undefined, publicKey }, network);
}

/** The key that owns tokens, where only its public half is known here. */
export function publicTokenKey(publicKey: string, network: Network): WalletKey {
  return withScript({ index: TOKEN_INDEX, purpose: 'token', privateKey: undefined, publicKey }, network);
}

/** A private key as WIF names it. */
export interface SingleSecret {
  readonly privateKey: PrivateKey;
  readonly compressed: boolean;
}

export function singleWalletKey({ privateKey, compressed }: SingleSecret, network: Network): WalletKey {
  const publicKey = privateKey.toPublicKey().encode(compressed, 'hex') as string;
  return withScript({ index: 0, purpose: 'money', privateKey, publicKey }, network);
}

function withScript(key: Omit<WalletKey, 'pubKeyHash' | 'lockingScript' | 'address'>, network: Network): WalletKey {
  const pubKeyHash = hash160(fromHex(key.publicKey));
  return {
    ...key,
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
export function accountKey(entropy: Uint8Array, passphrase: string, network: Network, account: number): Uint8Array {
  const { privateKey } = derive(entropy, passphrase, `m/44'/${COIN_TYPE[network]}'/${account}'/0/0`);
  return Uint8Array.from(Buffer.from(privateKey.toHex().padStart(64, '0'), 'hex'));
}
