import type PrivateKey from '@bsv/sdk/primitives/PrivateKey';
import type PublicKey from '@bsv/sdk/primitives/PublicKey';
import type { Outpoint, Rate, Tx } from '../../chain/index.ts';
import type { TokenTemplate } from '../covenant/template.ts';

export type PublicKeyBytes = Uint8Array;

/** A private key: the SDK's class, or WIF text. */
export type SigningKey = PrivateKey | string;

/** A public key: 33 bytes, their hex, or the SDK's class. */
export type VerifyingKey = PublicKeyBytes | PublicKey | string;

/** The key type of a function's form: private if the function signs, public if somebody else signs. */
export type AnyKey = SigningKey | VerifyingKey;

/** A script: bytes, hex, or the SDK's `LockingScript`. */
export type ScriptLike = Uint8Array | string | { toHex(): string };

/** An output to spend, in the form of a wallet or another library. The outputs of a built transaction have this form too. */
export interface UtxoLike extends Outpoint {
  readonly satoshis: number;
  readonly lockingScript: ScriptLike;
}

/** Fee payment, common to all functions. Omit the payment (or pass null) for a transaction without a fee. */
export interface PaymentParams<Key extends AnyKey> {
  /** A P2PKH output of {@link paymentKey} that pays the fee. The change returns to that key. */
  readonly paymentUtxo?: UtxoLike | null;
  readonly paymentKey?: Key | null;
  /** Fee rate; defaults to 500 satoshis per 1,000 bytes. */
  readonly feeRate?: Rate | null;
}

/** Parameters common to all functions on a token. */
export interface OwnerParams<Key extends AnyKey> extends PaymentParams<Key> {
  readonly ownerKey: Key;
  /** Custom token script, if the token does not use one of this project's. */
  readonly template?: TokenTemplate | null;
}

/** A token to create. Satoshis are base units. */
export interface TokenDestination {
  /** A P2PKH address of any network: a token contains only key hashes. */
  readonly address: string;
  readonly satoshis: number;
}

/** A token to merge, with the complete transaction that contains it: bytes, hex, or parsed. */
export interface MergeToken {
  readonly utxo: UtxoLike;
  readonly previousTx: Uint8Array | string | Tx;
}
