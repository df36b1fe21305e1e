import type { PrivateKey } from '@bsv/sdk';
import { type AddressNetwork, encodeAddress, hash160, p2pkhScript, toHex } from '../../../chain/index.ts';
import type { Network } from '../../../contract/index.ts';
import { deriveChild, deriveKey, type HdKey } from './hd-key.ts';
import { seedOf } from './mnemonic.ts';

/** Registered coin types (SLIP-44): 236 for BSV, 1 for every test network. */
const COIN_TYPE: Record<Network, number> = { main: 236, test: 1, sandbox: 1 };

/** Account of the seed whose first key owns tokens: the wallet's own key redeems those it issued, so it cannot hold them. */
const TOKEN_ACCOUNT = 2;
/** Marks the token key's coins in the store; it stands far from the indices of money keys. */
const TOKEN_INDEX = 0x4000_0000;

/** Whether the index of a coin's key is that of a money key. */
export function isMoneyIndex(index: number): boolean {
  return index < TOKEN_INDEX;
}

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

/** Derivation path of a money key. */
export function moneyPath(network: Network, index: number): string {
  return `m/44'/${COIN_TYPE[network]}'/0'/0/${index}`;
}

/** The parent of all money keys, `m/44'/<coin type>'/0'/0`. @param passphrase the optional one of BIP39 */
export function moneyBranch(entropy: Uint8Array, passphrase: string, network: Network): HdKey {
  return derive(entropy, passphrase, `m/44'/${COIN_TYPE[network]}'/0'/0`);
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

function toWalletKey(
  { privateKey }: HdKey,
  network: Network,
  { index, purpose }: Pick<WalletKey, 'index' | 'purpose'>,
): WalletKey {
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
export function accountKey(entropy: Uint8Array, passphrase: string, network: Network, account: number): Uint8Array {
  const { privateKey } = derive(entropy, passphrase, `m/44'/${COIN_TYPE[network]}'/${account}'/0/0`);
  return Uint8Array.from(Buffer.from(privateKey.toHex().padStart(64, '0'), 'hex'));
}
