import { type BlockHeader, headerHash, meetsTarget, parseHeader } from '../block/block.ts';
import { ChainError } from '../errors.ts';
import { type CheckedPath, checkPath } from './merkle-path.ts';
import { readTscJson } from './tsc.ts';

/** Why a proof does not show that a block contains a transaction. */
export type BlockProofFault =
  /** It cannot be read, or its target is not a header. */
  | 'malformed'
  | 'other-transaction'
  /** Its header is not that of the block. */
  | 'other-block'
  /** Its header does not show the work it asks for. */
  | 'no-work'
  /** Its path leads to another Merkle root than that of the block. */
  | 'other-root';

export interface BlockProof {
  readonly path: CheckedPath;
  readonly header: BlockHeader;
  /** The 80 bytes of the header. */
  readonly headerBytes: Uint8Array;
}

/**
 * Verifies a node's proof (BRC-10, JSON, its target a header) of a transaction in a given block. Whether that block
 * is part of a chain is not checked.
 */
export function checkBlockProof(json: unknown, txid: string, blockHash: string): BlockProof | BlockProofFault {
  try {
    const { path, target } = readTscJson(json);
    if (target.kind !== 'header') return 'malformed';
    if (path.txid !== txid) return 'other-transaction';
    const header = parseHeader(target.header);
    if (headerHash(target.header) !== blockHash) return 'other-block';
    if (!meetsTarget(blockHash, header.bits)) return 'no-work';
    const checked = checkPath(path);
    return checked.root === header.merkleRoot ? { path: checked, header, headerBytes: target.header } : 'other-root';
  } catch (error) {
    if (error instanceof ChainError) return 'malformed';
    throw error;
  }
}
