import type { PrivateKey } from '@bsv/sdk';
import type { Rate, Tx, Utxo } from '../chain/index.ts';
import type { TokenTemplate } from './template.ts';

/** A compressed public key, 33 bytes. */
export type PublicKeyBytes = Uint8Array;

/** Key of a form of a function: private where it signs by itself, public where somebody else signs. */
export type AnyKey = PrivateKey | PublicKeyBytes;

/** What every function takes to pay the miners. Leave the payment out (or null) for a transaction without a fee. */
export interface PaymentParams<Key extends AnyKey> {
  /** A P2PKH output of {@link paymentKey} that pays the fee; what is left of it comes back to that key. */
  readonly paymentUtxo?: Utxo | null;
  readonly paymentKey?: Key | null;
  /** The price of a byte; 500 satoshis for 1,000 bytes where absent. */
  readonly feeRate?: Rate;
}

/** What every function on a token takes. */
export interface OwnerParams<Key extends AnyKey> extends PaymentParams<Key> {
  /** Key of the token's owner. */
  readonly ownerKey: Key;
  /** Reads the token's script where it is not one of this project's. */
  readonly template?: TokenTemplate;
}

/** A token to be made: satoshis are base units. */
export interface TokenDestination {
  /** A P2PKH address of any network: a token knows key hashes only. */
  readonly address: string;
  readonly satoshis: number;
}

/** A token to be merged, with the whole transaction it is an output of. */
export interface MergeToken {
  readonly utxo: Utxo;
  readonly previousTx: Uint8Array | Tx;
}
