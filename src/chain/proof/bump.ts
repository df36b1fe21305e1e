import { displayToHash, equalBytes, hashToDisplay, varintSize } from '../encoding/bytes.ts';
import { ByteReader } from '../encoding/reader.ts';
import { ByteWriter } from '../encoding/writer.ts';
import { ChainError } from '../errors.ts';
import { type CheckedPath, checkPath, hashNodes, MAX_TREE_HEIGHT, type MerklePath } from './merkle-path.ts';

const DUPLICATE = 1;
const TXID = 2;
/** Offset and flags. */
const SMALLEST_LEAF = 2;

/** Null: the node repeats its left neighbour. */
type Level = ReadonlyMap<number, Uint8Array | null>;

/** The Merkle paths of one or several transactions of a block (BRC-74), checked: all of them lead to `root`. */
export interface Bump {
  readonly height: number;
  /** Display hex. */
  readonly root: string;
  /** Known nodes of each level by offset, leaves first. */
  readonly levels: readonly Level[];
}

/** @throws ChainError `proof-malformed` for bytes that are no BUMP, `merkle-invalid` for one that contradicts itself */
export function parseBump(bytes: Uint8Array): Bump {
  const reader = new ByteReader(bytes, 'proof-malformed');
  const bump = readBump(reader);
  reader.end();
  return bump;
}

/** Reads a BUMP at the reader's position. @throws as {@link parseBump} */
export function readBump(reader: ByteReader): Bump {
  const height = reader.varint();
  const count = reader.u8();
  if (count < 1 || count > MAX_TREE_HEIGHT) throw reader.fail('The tree is empty or too high.', { levels: count });
  const levels: Map<number, Uint8Array | null>[] = [];
  for (let level = 0; level < count; level++) levels.push(readLevel(reader, level, count));
  requireSiblingsOnly(levels);
  return { height, root: completed(levels), levels };
}

function readLevel(reader: ByteReader, level: number, height: number): Map<number, Uint8Array | null> {
  const nodes = new Map<number, Uint8Array | null>();
  for (let left = reader.count(SMALLEST_LEAF); left > 0; left--) {
    const offset = reader.varint();
    const flags = reader.u8();
    if (flags > TXID) throw reader.fail('A node has unknown flags.', { flags });
    if (nodes.has(offset)) throw reader.fail('A node stands twice.', { offset, level });
    if (offset >= 2 ** (height - level)) throw reader.fail('A node is beyond the end of its level.', { offset, level });
    if (flags === DUPLICATE && offset % 2 === 0) throw reader.fail('A left node repeats another.', { offset, level });
    nodes.set(offset, flags === DUPLICATE ? null : reader.bytes(32));
  }
  return nodes;
}

/** Above the leaves, only siblings of nodes on the path of a leaf are useful. Any other node could hide data. */
function requireSiblingsOnly([leaves, ...above]: readonly Level[]): void {
  let way = new Set<number>();
  for (const [offset, hash] of leaves ?? []) if (hash !== null) way.add(offset);
  if (way.size === 0) throw malformed('No leaf has a hash.');
  for (const level of above) {
    way = new Set([...way].map((offset) => Math.floor(offset / 2)));
    for (const offset of level.keys()) if (!way.has(offset ^ 1)) throw malformed('A node is of no use to any leaf.');
  }
}

/** Adds the nodes that follow from others. @returns the root, display hex */
function completed(levels: Map<number, Uint8Array | null>[]): string {
  const [leaves] = levels as [Map<number, Uint8Array | null>];
  // a block with one transaction
  if (levels.length === 1 && leaves.size === 1 && leaves.get(0)) return hashToDisplay(leaves.get(0) as Uint8Array);
  let way = [...leaves].flatMap(([offset, hash]) => (hash === null ? [] : [offset]));
  for (const [level, nodes] of levels.entries()) {
    const up = levels[level + 1] ?? new Map<number, Uint8Array | null>();
    const pairs = new Set(way.map((offset) => Math.floor(offset / 2)));
    for (const pair of pairs) {
      const parent = parentOf(nodes, pair * 2);
      const told = up.get(pair);
      if (told === null || (told !== undefined && !equalBytes(told, parent)))
        throw invalid('Two paths lead to different roots.');
      up.set(pair, parent);
    }
    way = [...pairs];
    if (level === levels.length - 1) return hashToDisplay(up.get(0) as Uint8Array);
  }
  throw malformed('The tree is empty.');
}

function parentOf(nodes: Level, offset: number): Uint8Array {
  const left = nodes.get(offset);
  const right = nodes.get(offset + 1);
  if (!left || right === undefined) throw invalid('A node of the path is missing.');
  if (right !== null && equalBytes(left, right)) throw invalid('The path repeats a hash as if it were another.');
  return hashNodes(left, right ?? left);
}

/** The path of one transaction of a BUMP. @returns undefined if it is not among the leaves */
export function pathInBump({ levels }: Bump, txid: string): MerklePath | undefined {
  const wanted = displayToHash(txid);
  const leaves = levels[0] as Level;
  for (const [index, hash] of leaves) {
    if (hash === null || !equalBytes(hash, wanted)) continue;
    if (levels.length === 1 && leaves.size === 1) return { txid, index, siblings: [] };
    const siblings = levels.map((nodes, level) => nodes.get(Math.floor(index / 2 ** level) ^ 1) ?? null);
    return { txid, index, siblings };
  }
  return undefined;
}

/**
 * The BUMP of one transaction.
 * @param height of its block
 * @throws ChainError `merkle-invalid` for a path that no tree has
 */
export function bumpOfPath(height: number, path: MerklePath): Uint8Array {
  return bumpOfCheckedPath(height, checkPath(path));
}

/** The same for a path that was checked: hashing it takes most of the time. */
export function bumpOfCheckedPath(height: number, { txid, index, siblings }: CheckedPath): Uint8Array {
  const writer = new ByteWriter(sizeOfBump(height, index, siblings));
  writer.varint(height);
  writer.u8(Math.max(1, siblings.length));
  for (let level = 0; level < Math.max(1, siblings.length); level++) {
    const offset = Math.floor(index / 2 ** level);
    const sibling = siblings[level];
    const nodes: [offset: number, flags: number, hash: Uint8Array | null][] = [];
    if (level === 0) nodes.push([offset, TXID, displayToHash(txid)]);
    if (sibling !== undefined) nodes.push([offset ^ 1, sibling === null ? DUPLICATE : 0, sibling]);
    nodes.sort(([a], [b]) => a - b);
    writer.varint(nodes.length);
    for (const [at, flags, hash] of nodes) {
      writer.varint(at);
      writer.u8(flags);
      if (hash !== null) writer.bytes(hash);
    }
  }
  return writer.done();
}

/** Copied to its exact size, since a writer allocates more. */
function sizeOfBump(height: number, index: number, siblings: CheckedPath['siblings']): number {
  // the transaction's own leaf, and the number of nodes of a level without a sibling
  let size = varintSize(height) + 1 + varintSize(index) + 33 + (siblings.length === 0 ? 1 : 0);
  for (const [level, sibling] of siblings.entries())
    size += 1 + varintSize(Math.floor(index / 2 ** level) ^ 1) + 1 + (sibling?.length ?? 0);
  return size;
}

function malformed(message: string): ChainError {
  return new ChainError('proof-malformed', message);
}

function invalid(message: string): ChainError {
  return new ChainError('merkle-invalid', message);
}
