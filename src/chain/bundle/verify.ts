import {
  bitsToTarget,
  difficultyOf,
  HEADER_BYTES,
  headerHash,
  meetsTarget,
  parseHeader,
  workOf,
} from '../block/block.ts';
import { EASIEST_BITS, EASIEST_REGTEST_BITS } from '../block/known-blocks.ts';
import { displayToHash, isHashHex, sha256, toHex } from '../encoding/bytes.ts';
import { ChainError } from '../errors.ts';
import { readInscription } from '../inscription/read-inscription.ts';
import { checkPath } from '../proof/merkle-path.ts';
import { NODE_BYTES } from '../proof/node-transaction.ts';
import { ScriptCursor, scriptNumber } from '../script/script.ts';
import { sentence } from '../sentence.ts';
import { parseOutpoint } from '../transaction/outpoint.ts';
import { isCoinbase, parseTx, type Tx, txidOf } from '../transaction/transaction.ts';
import { type BundleNetwork, type BundleToken, bundleInvalid, type ProofBundle } from './format.ts';

/** A block whose header has been verified. */
export interface ProvenBlock {
  readonly hash: string;
  readonly height: number;
  /** Seconds since 1970-01-01 UTC, as the miner set it. */
  readonly time: number;
  /** Expected number of hashes to mine a block of this difficulty. */
  readonly work: bigint;
}

/** A token whose content, transactions and blocks have been verified. */
interface ProvenToken {
  /** Last known outpoint: `<txid>_<vout>`. */
  readonly outpoint: string;
  readonly origin: string;
  readonly contentType: string;
  readonly sha256: string;
  readonly content: Uint8Array;
  readonly metadata: Readonly<Record<string, string>>;
  /** The block that contains the transaction of `outpoint`. */
  readonly block: ProvenBlock;
}

export interface ProvenBundle {
  readonly network: BundleNetwork;
  readonly blocks: readonly ProvenBlock[];
  readonly tokens: readonly ProvenToken[];
}

/** Since tokens exist, no block of the main network was easier than this, and no block of the test network was harder. */
const MAIN_DIFFICULTY = 1_000_000_000;

interface PlacedTx {
  readonly tx: Tx;
  readonly block: ProvenBlock;
}

/**
 * Verifies a bundle offline: each content against its hash, each transaction against its id and the Merkle root of its block, each
 * header against its own target, and each move of a token against the previous one. Whether the blocks belong to the active chain, and
 * whether a token has moved since, cannot be checked without a network.
 * @throws ChainError `bundle-invalid` with the reason
 */
export function verifyBundle(bundle: ProofBundle): ProvenBundle {
  if (bundle.tokens.length === 0) throw bundleInvalid('The bundle holds no token.');
  const blocks = verifyBlocks(bundle);
  const transactions = verifyTransactions(bundle, blocks);
  const used = new Set<string>();
  const tokens = bundle.tokens.map((token) => verifyToken(token, transactions, used));
  for (const [text, outpoints] of [
    ['Two tokens have the same outpoint {outpoint}.', tokens.map(({ outpoint }) => outpoint)],
    ['Two tokens have the same inscription {outpoint}.', tokens.map(({ origin }) => origin)],
  ] as const) {
    const seen = new Set<string>();
    for (const outpoint of outpoints) {
      if (seen.has(outpoint)) throw bundleInvalid(sentence(text, { outpoint }));
      seen.add(outpoint);
    }
  }
  if (used.size < transactions.size) throw bundleInvalid('The bundle holds a transaction of no token.');
  return { network: bundle.network, blocks, tokens };
}

function verifyBlocks({ blocks, transactions, network }: ProofBundle): ProvenBlock[] {
  const byHeight = new Map<number, { hash: string; previousHash: string }>();
  const byBlock = Map.groupBy(transactions, ({ block }) => block);
  const proven = blocks.map(({ hash: named, header: bytes, height, coinbase, coinbaseNodes }, place) => {
    if (bytes.length !== HEADER_BYTES) throw bundleInvalid('A header does not have 80 bytes.');
    const header = parseHeader(bytes);
    const hash = headerHash(bytes);
    if (named !== hash)
      throw bundleInvalid(sentence('A header is not that of the block {hash}.', { hash: named.slice(0, 64) }));
    if (!meetsTarget(hash, header.bits)) {
      throw bundleInvalid(sentence('The header of the block {hash} does not show the work it asks for.', { hash }));
    }
    if (!isOfNetwork(header.bits, network)) {
      throw bundleInvalid(
        sentence('The difficulty of the block {hash} is not one of the {network} network.', { hash, network }),
      );
    }
    const tx = readTransaction(coinbase);
    if (!isCoinbase(tx) || root(coinbase, 0, coinbaseNodes) !== header.merkleRoot) {
      throw bundleInvalid(sentence('The first transaction is not that of the block {hash}.', { hash }));
    }
    if (heightIn(tx) !== height)
      throw bundleInvalid(sentence('The block {hash} does not have the height {height}.', { hash, height }));
    const depth = coinbaseNodes.length;
    const own = byBlock.get(place) ?? [];
    if (own.length === 0)
      throw bundleInvalid(sentence('The block {hash} holds no transaction of the bundle.', { hash }));
    // All leaves of a tree have the same depth: a shorter or longer branch would start at an inner node.
    if (own.some(({ nodes }) => nodes.length !== depth)) {
      throw bundleInvalid(
        sentence('A Merkle path in the block {hash} does not have the length of the others.', { hash }),
      );
    }
    if (byHeight.has(height)) throw bundleInvalid(sentence('Two blocks have the height {height}.', { height }));
    byHeight.set(height, { hash, previousHash: header.previousHash });
    return { hash, height, time: header.time, work: workOf(header.bits), root: header.merkleRoot };
  });
  for (const [height, { previousHash }] of byHeight) {
    const before = byHeight.get(height - 1);
    if (before !== undefined && before.hash !== previousHash) {
      throw bundleInvalid(sentence('The block at height {height} does not follow the one before it.', { height }));
    }
  }
  return proven;
}

function isOfNetwork(bits: number, network: BundleNetwork): boolean {
  if (network === 'sandbox' || network === 'private') return bits === EASIEST_REGTEST_BITS;
  if (bitsToTarget(bits) > bitsToTarget(EASIEST_BITS)) return false;
  return difficultyOf(bits) >= MAIN_DIFFICULTY === (network === 'main');
}

/** The height at the start of a coinbase script (BIP34); undefined if there is none. */
function heightIn({ inputs: [input] }: Tx): number | undefined {
  const chunk = new ScriptCursor(input?.script ?? new Uint8Array()).next();
  if (chunk === undefined) return undefined;
  if (chunk.op > 0x50 && chunk.op <= 0x60) return chunk.op - 0x50;
  return chunk.data === undefined || chunk.data.length > 4 ? undefined : scriptNumber(chunk.data);
}

function verifyTransactions(
  { transactions, blocks }: ProofBundle,
  proven: readonly ProvenBlock[],
): Map<string, PlacedTx> {
  const found = new Map<string, PlacedTx>();
  for (const { raw, block: place, index, nodes } of transactions) {
    const tx = readTransaction(raw);
    const txid = txidOf(raw);
    const block = proven[place];
    const header = blocks[place]?.header;
    if (block === undefined || header === undefined)
      throw bundleInvalid(sentence('The block of the transaction {txid} is missing.', { txid }));
    if (root(raw, index, nodes) !== parseHeader(header).merkleRoot) {
      throw bundleInvalid(sentence('The Merkle path of the transaction {txid} does not lead to its block.', { txid }));
    }
    if (found.has(txid)) throw bundleInvalid(sentence('The transaction {txid} stands in the bundle twice.', { txid }));
    found.set(txid, { tx, block });
  }
  return found;
}

function readTransaction(raw: Uint8Array): Tx {
  try {
    if (raw.length !== NODE_BYTES) return parseTx(raw, true);
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
  }
  throw bundleInvalid('A transaction cannot be read.');
}

/** The root of a branch in canonical form: a node that repeats the current hash must be written as `*`. */
function root(raw: Uint8Array, index: number, nodes: readonly string[]): string {
  const txid = txidOf(raw);
  try {
    if (nodes.some((node) => node !== '*' && !isHashHex(node))) throw bundleInvalid('A Merkle path holds no hashes.');
    const path = { txid, index, siblings: nodes.map((node) => (node === '*' ? null : displayToHash(node))) };
    const { siblings, root: found } = checkPath(path);
    if (siblings.some((sibling, level) => sibling === null && nodes[level] !== '*'))
      throw bundleInvalid('A Merkle path repeats a hash.');
    return found;
  } catch (error) {
    if (error instanceof ChainError && error.code !== 'bundle-invalid') {
      throw bundleInvalid(sentence('The Merkle path of the transaction {txid} cannot be read.', { txid }));
    }
    throw error;
  }
}

function verifyToken(token: BundleToken, transactions: Map<string, PlacedTx>, used: Set<string>): ProvenToken {
  const [origin, ...moves] = token.outpoints;
  if (origin === undefined) throw bundleInvalid('A token has no outpoint.');
  const placeOf = (outpoint: string) => {
    const { txid, vout } = readOutpoint(outpoint);
    const placed = transactions.get(txid);
    const output = placed?.tx.outputs[vout];
    if (placed === undefined || output === undefined)
      throw bundleInvalid(sentence('The output {outpoint} is not in the bundle.', { outpoint }));
    if (output.satoshis !== 1)
      throw bundleInvalid(sentence('The output {outpoint} does not hold exactly one satoshi.', { outpoint }));
    used.add(txid);
    return { ...placed, output, txid, vout };
  };
  const start = placeOf(origin);
  let last = start;
  let outpoint = origin;
  for (const next of moves) {
    const place = placeOf(next);
    const spent = place.tx.inputs[0];
    // The satoshi of the first input goes to the first output. Any other position would depend on the values of other inputs.
    if (place.vout !== 0 || spent?.txid !== last.txid || spent.vout !== last.vout) {
      throw bundleInvalid(sentence('The output {next} did not receive the token of {outpoint}.', { next, outpoint }));
    }
    if (place.block.height < last.block.height)
      throw bundleInvalid(sentence('The token of {outpoint} was moved before it was there.', { outpoint }));
    last = place;
    outpoint = next;
  }
  const read = readInscription(start.output.script);
  if (read === undefined) throw bundleInvalid(sentence('Nothing is inscribed in {origin}.', { origin }));
  if (toHex(sha256(read.content)) !== token.sha256) {
    throw bundleInvalid(
      sentence('The content inscribed in {origin} does not have the hash {sha256}.', {
        origin,
        sha256: token.sha256.slice(0, 64),
      }),
    );
  }
  if (read.contentType !== token.contentType)
    throw bundleInvalid(sentence('The content of {origin} has another type.', { origin }));
  if (!sameRecord(read.map, token.metadata))
    throw bundleInvalid(sentence('The metadata inscribed in {origin} is different.', { origin }));
  const { contentType, sha256: hash, metadata } = token;
  return { outpoint, origin, contentType, sha256: hash, content: read.content, metadata, block: last.block };
}

function readOutpoint(text: string) {
  try {
    return parseOutpoint(text);
  } catch {
    throw bundleInvalid('The outpoint of a token cannot be read.');
  }
}

function sameRecord(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && a[key] === b[key]);
}
