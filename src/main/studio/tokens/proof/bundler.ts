import {
  type BundleBlock,
  type BundleToken,
  type BundleTransaction,
  type ProofBundle,
  type ProvenBlock,
  type ProvenBundle,
  verifyBundle,
  writeBundle,
} from '../../../../chain/bundle/index.ts';
import { ChainError, formatOutpoint, fromHex, parseOutpoint, sha256, toHex } from '../../../../chain/index.ts';
import { type MintJob, PlanchetError } from '../../../../contract/index.ts';
import type { ChainData } from '../../../ports/chain-data.ts';
import type { HeaderChain } from '../../../ports/headers.ts';
import { type ProofSources, proofIn } from '../../minting/proof.ts';
import type { QuietParts } from '../../parts.ts';
import { type PlacedTx, placedReader } from '../../review/chain-facts.ts';
import { collectionOf } from '../claims.ts';
import { pathOf, type TokenPath } from '../path.ts';

type Proof = NonNullable<MintJob['proof']>;

/** Headers that can be read within a second. */
const NEAR_BLOCKS = 10_000;

export type ChainHeaders = Pick<HeaderChain, 'isActive' | 'refresh' | 'tip'>;

export interface BundlerOptions extends ProofSources, QuietParts {
  readonly headers: ChainHeaders;
}

/** Where a token was inscribed, and all outputs that held it. */
export interface ProvenPlace {
  readonly outpoints: readonly string[];
  readonly block: ProvenBlock;
}

export interface ProvenFile {
  readonly file: Uint8Array;
  readonly proven: ProvenBundle;
  /** By the output of the inscription. */
  readonly places: ReadonlyMap<string, ProvenPlace>;
}

/** Largest transaction of a collection token that is included in the file. It only adds the collection's name. */
const MOST_COVER_BYTES = 4 * 1_048_576;

/**
 * Makes the file that proves tokens without a network (docs/proof-bundle.md), each from its inscription to where it is asked for. It has their
 * transactions, Merkle paths and headers, and everything in it is verified.
 * @param outpoints `<txid>_<vout>`, each once
 * @param mostCoverBytes largest transaction of a collection's token that is included
 * @throws PlanchetError `not-found` | `conflict` (no block holds one yet) | `invalid-input` (no token) | `file-too-large` | `upstream-*`
 */
export async function proveTokens(
  outpoints: readonly string[],
  options: BundlerOptions,
  mostCoverBytes = MOST_COVER_BYTES,
): Promise<ProvenFile> {
  const { network, chainData } = options;
  const transactions = new Map<string, BundleTransaction>();
  const blocks = new Map<string, BundleBlock>();
  const find = placedReader(chainData);
  const tokens: BundleToken[] = [];
  const add = async ({ path, inscription }: TokenPath): Promise<void> => {
    for (const { txid } of path) {
      if (transactions.has(txid)) continue;
      const { raw, block } = await find(txid);
      if (block === null) throw new PlanchetError('bundle.not-mined', { txid });
      const proof = await proofOf(txid, block.hash, options);
      if (!blocks.has(block.hash)) blocks.set(block.hash, await blockOf(txid, proof, chainData));
      const { index, nodes } = proof;
      transactions.set(txid, { raw, block: [...blocks.keys()].indexOf(block.hash), index, nodes });
    }
    tokens.push({
      outpoints: path.map(formatOutpoint),
      contentType: inscription.contentType,
      sha256: toHex(sha256(inscription.content)),
      metadata: inscription.map,
    });
  };
  const named = new Set<string>();
  for (const outpoint of outpoints) {
    const way = await pathOf(parseOutpoint(outpoint), find);
    await add(way);
    const collection = collectionOf(way.inscription.map.subTypeData);
    if (collection !== null) named.add(collection);
  }
  for (const outpoint of named) {
    if (tokens.some(({ outpoints: [origin] }) => origin === outpoint)) continue;
    const way = await collectionToken(outpoint, mostCoverBytes, find);
    if (way !== undefined) await add(way);
  }
  const bundle = { network, blocks: [...blocks.values()], transactions: [...transactions.values()], tokens };
  let proven: ProvenBundle;
  try {
    proven = verifyBundle(bundle);
  } catch (error) {
    if (error instanceof ChainError)
      throw new PlanchetError('bundle.not-proven', { reason: error.sentence }, { cause: error });
    throw error;
  }
  await readHeadersUpTo(bundle.blocks, options.headers);
  try {
    return { file: writeBundle(bundle), proven, places: placesOf(bundle, transactions, proven) };
  } catch (error) {
    if (error instanceof ChainError)
      throw new PlanchetError('bundle.too-large', { reason: error.sentence }, { cause: error });
    throw error;
  }
}

function placesOf(
  { tokens }: ProofBundle,
  transactions: ReadonlyMap<string, BundleTransaction>,
  { blocks }: ProvenBundle,
): Map<string, ProvenPlace> {
  return new Map(
    tokens.flatMap(({ outpoints }) => {
      const [origin = ''] = outpoints;
      const block = blocks[transactions.get(origin.slice(0, 64))?.block ?? -1];
      return block === undefined ? [] : [[origin, { outpoints, block }] as const];
    }),
  );
}

/**
 * The token of the collection that a token names, which carries the collection's name.
 * @returns undefined where there is no such token, where no block holds it, or where it is large: the file proves its tokens without it
 */
async function collectionToken(
  outpoint: string,
  mostBytes: number,
  find: (txid: string) => Promise<PlacedTx>,
): Promise<TokenPath | undefined> {
  try {
    const way = await pathOf(parseOutpoint(outpoint), find);
    const [origin] = way.path;
    const { raw, block } = await find(parseOutpoint(outpoint).txid);
    const isOrigin = origin !== undefined && formatOutpoint(origin) === outpoint;
    return isOrigin && block !== null && raw.length <= mostBytes ? way : undefined;
  } catch (error) {
    if (error instanceof PlanchetError && ['not-found', 'invalid-input'].includes(error.code)) return undefined;
    throw error;
  }
}

/**
 * Stores the headers of these blocks, so that `planchet verify` knows them here. While a new installation still reads the chain, that is not
 * waited for.
 */
async function readHeadersUpTo(blocks: readonly BundleBlock[], headers: ChainHeaders): Promise<void> {
  const top = headers.tip?.height ?? -1;
  if (blocks.some(({ hash, height }) => !headers.isActive(hash) && height - top < NEAR_BLOCKS)) await headers.refresh();
}

/** The proof the mint has verified, or else the tracker's or what the chain data shows. */
async function proofOf(txid: string, blockHash: string, options: BundlerOptions): Promise<Proof> {
  const { store, network, clock } = options;
  const job = await store.db
    .selectFrom('studio_jobs')
    .select('proof')
    .where('network', '=', network)
    .where('txid', '=', txid)
    .where('block_hash', '=', blockHash)
    .where('proof', 'is not', null)
    .executeTakeFirst();
  const stored = job === undefined ? undefined : (JSON.parse(job.proof as string) as Proof);
  const proof = stored ?? (await proofIn(options, txid, blockHash, clock.now()));
  if (proof === undefined) throw new PlanchetError('bundle.not-mined', { txid });
  return proof;
}

/** The header with the block's first transaction, which names the height. */
async function blockOf(
  txid: string,
  { blockHash, blockHeight: height, header }: Proof,
  chainData: ChainData,
): Promise<BundleBlock> {
  const { value: first } = await chainData.coinbase(blockHash);
  if (first === undefined) throw new PlanchetError('bundle.not-mined', { txid });
  return { hash: blockHash, header: fromHex(header), height, coinbase: first.raw, coinbaseNodes: first.nodes };
}
