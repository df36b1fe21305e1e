import { displayToHash, fromHex, hashToDisplay, isHashHex, sha256d } from '../encoding/bytes.ts';
import { ChainError } from '../errors.ts';
import { parseTx, txidOf } from '../transaction/transaction.ts';
import { parseHeader } from './block.ts';

/** A Merkle proof in the JSON form of the TSC standard, as mAPI and the node's `getmerkleproof2` return it. */
export interface TscProof {
  /** Index of the transaction in the block; 0 is the coinbase. */
  readonly index: number;
  /** The txid (64 hex digits) or the complete raw transaction in hex. */
  readonly txOrId: string;
  /** Defaults to `hash`. The node writes `merkleroot` in lower case. */
  readonly targetType?: 'hash' | 'header' | 'merkleRoot' | 'merkleroot';
  /** Block hash, 80-byte header in hex, or Merkle root, depending on `targetType`. */
  readonly target: string;
  /** Sibling hashes from the leaf up, display hex. `*` means that the right sibling equals the current hash. */
  readonly nodes: readonly string[];
  readonly proofType?: 'branch';
  readonly composite?: false;
}

/** Hashes two sibling nodes, internal byte order. */
export function hashPair(left: Uint8Array, right: Uint8Array): Uint8Array {
  const both = new Uint8Array(64);
  both.set(left);
  both.set(right, 32);
  return sha256d(both);
}

/** The next level up: an odd last node is paired with itself. */
export function levelUp(level: readonly Uint8Array[]): Uint8Array[] {
  const up: Uint8Array[] = [];
  for (let i = 0; i < level.length; i += 2) {
    const left = level[i] as Uint8Array;
    up.push(hashPair(left, level[i + 1] ?? left));
  }
  return up;
}

function leaves(txids: readonly string[]): Uint8Array[] {
  if (txids.length === 0) throw new ChainError('merkle-invalid', 'A Merkle tree needs at least one transaction.');
  return txids.map(displayToHash);
}

/**
 * Merkle root of a block's txids, display hex.
 * @throws ChainError `merkle-invalid` if there is none, `hex-invalid` for an invalid txid.
 */
export function merkleRoot(txids: readonly string[]): string {
  let level = leaves(txids);
  while (level.length > 1) level = levelUp(level);
  return hashToDisplay(level[0] as Uint8Array);
}

/**
 * Sibling hashes from the leaf up (display hex): the `nodes` of a proof. `*` marks a level whose last node is paired with itself.
 * @throws ChainError `merkle-invalid` if the index is out of range.
 */
export function merkleBranch(txids: readonly string[], index: number): string[] {
  let level = leaves(txids);
  if (!Number.isInteger(index) || index < 0 || index >= level.length) {
    throw new ChainError('merkle-invalid', 'There is no transaction {index} in the block.', {
      index,
      count: level.length,
    });
  }
  const nodes: string[] = [];
  for (let at = index; level.length > 1; at >>>= 1) {
    const sibling = level[at ^ 1];
    nodes.push(sibling === undefined ? '*' : hashToDisplay(sibling));
    level = levelUp(level);
  }
  return nodes;
}

/** The Merkle root that a proof commits to, before it is compared with a block. */
export interface ProvenRoot {
  readonly txid: string;
  /** Display hex of the root that the branch leads to. */
  readonly root: string;
  /** True if every right sibling repeats the current hash, which means that the transaction is the last of its block. */
  readonly lastInTree: boolean;
}

/**
 * Computes the root of a proof's branch.
 * @throws ChainError `proof-malformed` for an unknown target or proof type, a composite proof, an invalid index, node or transaction,
 *   or a `*` on the left.
 */
export function proofRoot(proof: TscProof): ProvenRoot {
  const { index, nodes } = requireTscProof(proof);
  const txid = txidOfProof(proof.txOrId);
  let working = displayToHash(txid);
  let lastInTree = true;
  let at = index;
  for (const node of nodes) {
    const isLeft = at % 2 === 0;
    if (node === '*' && !isLeft) throw malformed('A node that repeats the working hash can only stand on its right.');
    if (node !== '*' && !isHashHex(node)) throw malformed('A node is neither 64 hex digits nor "*".');
    const sibling = node === '*' ? working : displayToHash(node);
    if (isLeft && hashToDisplay(sibling) !== hashToDisplay(working)) lastInTree = false;
    working = isLeft ? hashPair(working, sibling) : hashPair(sibling, working);
    at = Math.floor(at / 2);
  }
  if (at > 0) throw malformed('The index is beyond what a branch of this length can reach.');
  return { txid, root: hashToDisplay(working), lastInTree };
}

/**
 * Checks that a proof places its transaction in the block with this Merkle root. A target that is a header or a root must match it. A
 * target that is a block hash is not checked: the caller looks it up in the chain. Never throws.
 * @param expectedRoot display hex, from a header whose proof of work the caller has checked.
 */
export function verifyTscProof(proof: TscProof, expectedRoot: string): boolean {
  try {
    if (proofRoot(proof).root !== expectedRoot) return false;
    if (proof.targetType === 'header') return parseHeader(fromHex(proof.target)).merkleRoot === expectedRoot;
    return proof.targetType === undefined || proof.targetType === 'hash' || proof.target === expectedRoot;
  } catch (error) {
    if (error instanceof ChainError) return false;
    throw error;
  }
}

function malformed(message: string): ChainError {
  return new ChainError('proof-malformed', message);
}

/** Checks the type of every part, because proofs come from other parties. @throws ChainError `proof-malformed` */
export function requireTscProof(proof: TscProof): TscProof {
  const { index, txOrId, targetType, target, nodes, proofType, composite }: Record<keyof TscProof, unknown> = {
    targetType: undefined,
    proofType: undefined,
    composite: undefined,
    ...proof,
  };
  if (!Number.isSafeInteger(index) || (index as number) < 0) throw malformed('The index is not a whole number from 0.');
  if (typeof txOrId !== 'string' || typeof target !== 'string')
    throw malformed('The transaction or the target is not text.');
  if (!Array.isArray(nodes) || nodes.length > 64) throw malformed('The nodes are not a list of a possible length.');
  const targetTypes: unknown[] = [undefined, 'hash', 'header', 'merkleRoot', 'merkleroot'];
  if (!targetTypes.includes(targetType)) throw malformed('The target type is unknown.');
  if (proofType !== undefined && proofType !== 'branch') throw malformed('Only branch proofs are supported.');
  if (composite !== undefined && composite !== false) throw malformed('Composite proofs are not supported.');
  return proof;
}

/** The txid of a proof that contains the txid or the complete transaction. @throws ChainError `proof-malformed` */
export function txidOfProof(txOrId: string): string {
  if (isHashHex(txOrId)) return txOrId;
  try {
    const raw = fromHex(txOrId);
    parseTx(raw);
    return txidOf(raw);
  } catch {
    throw malformed('The transaction is neither a txid nor a raw transaction.');
  }
}
