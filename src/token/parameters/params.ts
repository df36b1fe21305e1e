import type { PrivateKey, PublicKey } from '@bsv/sdk';
import type { Outpoint, Rate, Tx } from '../../chain/index.ts';
import type { TokenTemplate } from '../covenant/template.ts';

/** A compressed public key, 33 bytes. */
export type PublicKeyBytes = Uint8Array;

/** A private key: the SDK's, or its text form (WIF). */
export type SigningKey = PrivateKey | string;

/** A public key: its 33 bytes, their hex, or the SDK's. */
export type VerifyingKey = PublicKeyBytes | PublicKey | string;

/** Key of a form of a function: private where it signs by itself, public where somebody else signs. */
export type AnyKey = SigningKey | VerifyingKey;

/** A script: its bytes, their hex, or the SDK's `LockingScript`. */
export type ScriptLike = Uint8Array | string | { toHex(): string };

/** An output to be spent, as a wallet or another library has it. The outputs of a built transaction are such. */
export interface UtxoLike extends Outpoint {
  readonly satoshis: number;
  readonly lockingScript: ScriptLike;
}

/** What every function takes to pay the miners. Leave the payment out (or null) for a transaction without a fee. */
export interface PaymentParams<Key extends AnyKey> {
  /** A P2PKH output of {@link paymentKey} that pays the fee; what is left of it comes back to that key. */
  readonly paymentUtxo?: UtxoLike | null;
  readonly paymentKey?: Key | null;
  /** The price of a byte; 500 satoshis for 1,000 bytes where absent. */
  readonly feeRate?: Rate | null;
}

/** What every function on a token takes. */
export interface OwnerParams<Key extends AnyKey> extends PaymentParams<Key> {
  /** Key of the token's owner. */
  readonly ownerKey: Key;
  /** Reads the token's script where it is not one of this project's. */
  readonly template?: TokenTemplate | null;
}

/** A token to be made: satoshis are base units. */
export interface TokenDestination {
  /** A P2PKH address of any network: a token knows key hashes only. */
  readonly address: string;
  readonly satoshis: number;
}

/** A token to be merged, with the whole transaction it is an output of: its bytes, their hex, or parsed. */
export interface MergeToken {
  readonly utxo: UtxoLike;
  readonly previousTx: Uint8Array | string | Tx;
}
