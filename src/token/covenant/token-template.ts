import type { Outpoint, Satoshis } from '../../chain/index.ts';

/** The content of a token output. Tokens that differ only in the owner are of the same kind. */
export interface TokenFields {
  /** The public key hash that may spend the token, 20 bytes. */
  readonly owner: Uint8Array;
  /** The public key hash the token is redeemed to, 20 bytes. */
  readonly redemption: Uint8Array;
  readonly splittable: boolean;
  readonly symbol: string;
  /** Additional data from the issuer; undefined if there is none. */
  readonly data?: Uint8Array;
}

/** What a transaction does with a token, in output order. */
export interface TokenSpend {
  /** P2PKH to the redemption hash, the first output. */
  readonly redeemed?: Satoshis;
  readonly tokens: readonly { readonly satoshis: Satoshis; readonly owner: Uint8Array }[];
  /** The last output of a transaction with a payment input. */
  readonly change?: { readonly satoshis: Satoshis; readonly keyHash: Uint8Array };
  /** Outpoint spent by the last input. */
  readonly payment?: Outpoint;
  readonly merge?: {
    /** Outpoint spent by the other token input. */
    readonly other: Outpoint;
    /** True if this input is the second one. */
    readonly second: boolean;
    /** The complete transaction that contains {@link other}. */
    readonly previousTx: Uint8Array;
  };
}

/** A kind of token script: how to write, read and unlock it. An operator can provide one instead of `planchetTemplate`. */
export interface TokenTemplate {
  readonly name: string;
  /** Maximum token outputs per transaction. */
  readonly maxOutputs: number;
  readonly merges: boolean;
  /** The locking script. @throws TokenError for fields that the script cannot hold. */
  lock(fields: TokenFields): Uint8Array;
  /** Decodes a locking script of this template; undefined for any other script. */
  decode(script: Uint8Array): TokenFields | undefined;
  /**
   * The unlocking script without the owner's signature and public key, which follow it.
   * @param preimage of the token input under ALL|FORKID.
   */
  unlock(script: Uint8Array, spend: TokenSpend, preimage: Uint8Array): Uint8Array;
}
