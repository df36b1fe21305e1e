import type { Phrase, PlanchetError } from '../../contract/index.ts';

export interface ChainHeader {
  /** Display-order hex. */
  readonly hash: string;
  readonly height: number;
  /** 80 bytes. */
  readonly header: Uint8Array;
}

/** The active chain left a branch or grew. */
export interface HeadersChange {
  /** Height of the last block that both chains share; -1 if there is none. */
  readonly fork: number;
  /** How many blocks left the chain; 0 if it only grew. */
  readonly left: number;
  readonly tip: ChainHeader;
}

/** The headers of the active chain, verified and stored, so that a lookup needs no request. */
export interface HeaderChain {
  /** The header of a block of the active chain; undefined for any other. */
  header(hash: string): ChainHeader | undefined;
  /** The active chain's header at a height; undefined above the tip, and below the lowest one that was read. */
  at(height: number): ChainHeader | undefined;
  /** Null before the first header. */
  readonly tip: ChainHeader | null;
  isActive(hash: string): boolean;
  /** Whether a node of one's own, or two operators, agree on the tip. While not, nothing counts as settled. */
  readonly isAgreed: boolean;
  /**
   * Reads the headers beyond the tip; resolves at once if there are none or no source answers.
   * @param block height or hash of one that may lie below the lowest header; older ones are read down to it
   */
  refresh(block?: number | string): Promise<void>;
  /** @returns removes the listener */
  onChange(listener: (change: HeadersChange) => void): () => void;
}

/** What a wallet follows of a {@link HeaderChain}: only what is on it counts as a block. */
export interface FollowedHeaders extends Pick<HeaderChain, 'at' | 'header' | 'isActive' | 'tip' | 'refresh'> {
  /** Whether headers above the tip are being read. */
  readonly isReading: boolean;
  /** Why the last reading ended early; null if it did not. */
  readonly failure: PlanchetError | null;
}

/** A proof as it was sent, not verified. */
export type ProofInput =
  /** BRC-10, or the node's older form whose target is an object. */
  | { readonly kind: 'tsc'; readonly json: unknown }
  | { readonly kind: 'tsc-binary'; readonly bytes: Uint8Array }
  /** BRC-74. */
  | { readonly kind: 'bump'; readonly bytes: Uint8Array }
  /** BRC-62, BRC-95 or BRC-96. */
  | { readonly kind: 'beef'; readonly bytes: Uint8Array };

/** A transaction that a block of the active chain contains. */
export interface VerifiedProof {
  readonly blockHash: string;
  readonly height: number;
  /** 80 bytes. */
  readonly header: Uint8Array;
  /** The proof as BRC-74, for this transaction alone. */
  readonly bump: Uint8Array;
  /** Index of the transaction in the block. */
  readonly index: number;
}

/** Why a proof was not accepted. */
export interface ProofRefusal {
  readonly refused: /** Its bytes or its JSON cannot be read. */
    | 'malformed'
    /** A tree proof or a composite proof. */
    | 'unsupported'
    /** It contradicts itself, or no honest tree has such a path. */
    | 'invalid'
    | 'other-transaction'
    /** The path leads to another Merkle root than that of its block. */
    | 'other-block'
    /** The block is not part of the active chain as far as that is known. */
    | 'header-unknown';
  readonly reason: Phrase;
}

export interface ProofVerifier {
  /**
   * Verifies that a block of the active chain contains a transaction.
   * @param txid of a transaction whose bytes the caller knows: a txid alone could be that of a node of the tree
   */
  verify(txid: string, proof: ProofInput): Promise<VerifiedProof | ProofRefusal>;
}
