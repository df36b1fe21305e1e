import { difficultyOf, parseHeader } from '../../chain/index.ts';
import { real } from './json.ts';
import type { RpcObject } from './views.ts';

/** Values of the HEADER object besides the 80 bytes. Undefined ones are omitted: only a node with all blocks knows them. */
export interface HeaderFacts {
  readonly hash: string;
  readonly height: number;
  /** 80 bytes. */
  readonly header: Uint8Array;
  /** Blocks from this one to the tip, both counted; -1 on another branch. */
  readonly confirmations: number;
  /** Of the eleven blocks up to this one, in seconds. */
  readonly medianTime?: number | undefined;
  /** Work of the chain up to the block, 64 hex digits. */
  readonly chainwork?: string | undefined;
  readonly nextHash?: string | undefined;
  readonly size?: number;
  readonly transactions?: number;
  readonly status?: RpcObject;
}

/** The node's HEADER object (node-rpc.md, shared objects). */
export function headerObject(facts: HeaderFacts): RpcObject {
  const { hash, height, confirmations, size, transactions, medianTime, chainwork, nextHash, status } = facts;
  const { version, merkleRoot, time, nonce, bits, previousHash } = parseHeader(facts.header);
  return {
    hash,
    confirmations,
    size,
    height,
    version,
    versionHex: hex32(version),
    merkleroot: merkleRoot,
    num_tx: transactions,
    time,
    mediantime: medianTime,
    nonce,
    bits: hex32(bits),
    difficulty: real(difficultyOf(bits)),
    chainwork,
    previousblockhash: height > 0 ? previousHash : undefined,
    nextblockhash: nextHash,
    status,
  };
}

function hex32(value: number): string {
  return (value >>> 0).toString(16).padStart(8, '0');
}

/** The rules that `getblockchaininfo` lists as active. */
export const softforks: readonly RpcObject[] = Object.entries({ bip34: 2, bip66: 3, bip65: 4, csv: 5 }).map(
  ([id, version]) => ({ id, version, reject: { status: true } }),
);
