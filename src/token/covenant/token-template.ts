import type { Outpoint, Satoshis } from '../../chain/index.ts';

/** What a token output says. Tokens that agree in all but the owner are of one kind. */
export interface TokenFields {
  /** The public key hash that may spend the token, 20 bytes. */
  readonly owner: Uint8Array;
  /** The public key hash the token is redeemed to, 20 bytes. */
  readonly redemption: Uint8Array;
  readonly splittable: boolean;
  readonly symbol: string;
  /** Whatever else the issuer attached; absent where there is nothing. */
  readonly data?: Uint8Array;
}

/** What a transaction does with a token, in the order of its outputs. */
export interface TokenSpend {
  /** P2PKH to the redemption hash, the first output. */
  readonly redeemed?: Satoshis;
  readonly tokens: readonly { readonly satoshis: Satoshis; readonly owner: Uint8Array }[];
  /** The last output, of a transaction with a payment input. */
  readonly change?: { readonly satoshis: Satoshis; readonly keyHash: Uint8Array };
  /** What the last input spends. */
  readonly payment?: Outpoint;
  readonly merge?: {
    /** What the other token input spends. */
    readonly other: Outpoint;
    /** True where this input is the second one. */
    readonly second: boolean;
    /** The whole transaction that {@link other} is an output of. */
    readonly previousTx: Uint8Array;
  };
}

/** A kind of token script: how to write, read and unlock it. An operator can use another one than `planchetTemplate`. */
export interface TokenTemplate {
  readonly name: string;
  /** Token outputs that the script lets one transaction have. */
  readonly maxOutputs: number;
  readonly merges: boolean;
  /** The locking script. @throws TokenError for fields the script cannot hold. */
  lock(fields: TokenFields): Uint8Array;
  /** What a locking script of this template says; undefined for any other script. */
  decode(script: Uint8Array): TokenFields | undefined;
  /**
   * The unlocking script without the owner's signature and public key, which stand behind it.
   * @param preimage of the token input under ALL|FORKID.
   */
  unlock(script: Uint8Array, spend: TokenSpend, preimage: Uint8Array): Uint8Array;
}
