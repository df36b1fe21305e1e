import { fromHex, toHex } from '../encoding/bytes.ts';
import { ChainError } from '../errors.ts';
import { type Sentence, sentence } from '../sentence.ts';

/** Networks a bundle can belong to, named as in the settings. */
const bundleNetworks = ['sandbox', 'private', 'test', 'main'] as const;
export type BundleNetwork = (typeof bundleNetworks)[number];

/** Maximum size of a bundle file. A larger collection is split into several bundles. */
export const MAX_BUNDLE_BYTES = 256 * 1_048_576;

export interface BundleBlock {
  /** Display hex. */
  readonly hash: string;
  /** The 80 bytes of the header. */
  readonly header: Uint8Array;
  readonly height: number;
  /** The block's first transaction, which contains the height. */
  readonly coinbase: Uint8Array;
  /** Merkle branch of the coinbase, as in a TSC proof: display hex, from the leaf up. */
  readonly coinbaseNodes: readonly string[];
}

export interface BundleTransaction {
  readonly raw: Uint8Array;
  /** Index of its block in `blocks`. */
  readonly block: number;
  /** Index in the block; 0 is the coinbase. */
  readonly index: number;
  /** Merkle branch of the transaction, as in a TSC proof. */
  readonly nodes: readonly string[];
}

export interface BundleToken {
  /** `<txid>_<vout>` of every output that held the token, from the inscription to the last known one. One entry if it never moved. */
  readonly outpoints: readonly string[];
  readonly contentType: string;
  /** SHA-256 of the inscribed content, hex. */
  readonly sha256: string;
  /** The MAP metadata of the inscription. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** Everything that proves tokens without a network (docs/proof-bundle.md). */
export interface ProofBundle {
  readonly network: BundleNetwork;
  readonly blocks: readonly BundleBlock[];
  readonly transactions: readonly BundleTransaction[];
  readonly tokens: readonly BundleToken[];
}

const FORMAT = 'planchet-proof-bundle';
const VERSION = 1;

/** @param why a sentence for the user */
export function bundleInvalid(why: string | Sentence): ChainError {
  return new ChainError('bundle-invalid', why);
}

/**
 * The canonical JSON of a bundle, as embedded in the page. There is one form only, so any changed byte is detected. It contains no `<`,
 * so it cannot close the element that contains it.
 */
export function serializeBundle({ network, blocks, transactions, tokens }: ProofBundle): string {
  return JSON.stringify({
    format: FORMAT,
    version: VERSION,
    network,
    blocks: blocks.map(({ hash, header, height, coinbase, coinbaseNodes }) => ({
      hash,
      header: toHex(header),
      height,
      coinbase: toHex(coinbase),
      coinbaseNodes,
    })),
    transactions: transactions.map(({ raw, block, index, nodes }) => ({ raw: toBase64(raw), block, index, nodes })),
    tokens: tokens.map(({ outpoints, contentType, sha256, metadata }) => ({
      outpoints,
      contentType,
      sha256,
      metadata: Object.fromEntries(Object.entries(metadata).sort(([a], [b]) => (a < b ? -1 : 1))),
    })),
  }).replaceAll('<', '\\u003c');
}

/**
 * Reads the JSON of a bundle. It does not check proofs: see `verifyBundle`.
 * @throws ChainError `bundle-invalid` for anything that {@link serializeBundle} would not write
 */
export function parseBundle(json: string): ProofBundle {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw bundleInvalid('The data in the file is cut off or damaged.');
  }
  const file = record(value, 'The data');
  if (file.format !== FORMAT) throw bundleInvalid('The file is not a proof bundle.');
  if (file.version !== VERSION) {
    throw bundleInvalid(
      sentence('The bundle has the format version {version}; this program reads {known}.', {
        version: JSON.stringify(file.version ?? null).slice(0, 20),
        known: VERSION,
      }),
    );
  }
  const network = bundleNetworks.find((one) => one === file.network);
  if (network === undefined) throw bundleInvalid('The bundle names an unknown network.');
  const bundle: ProofBundle = {
    network,
    blocks: list(file.blocks, 'blocks').map((each) => {
      const { hash, header, height, coinbase, coinbaseNodes } = record(each, 'A block');
      return {
        hash: text(hash, 'A block hash'),
        header: bytesOf(header, 'A header', fromHex),
        height: count(height, 'A height'),
        coinbase: bytesOf(coinbase, 'A coinbase transaction', fromHex),
        coinbaseNodes: texts(coinbaseNodes, 'The branch of a coinbase'),
      };
    }),
    transactions: list(file.transactions, 'transactions').map((each) => {
      const { raw, block, index, nodes } = record(each, 'A transaction');
      return {
        raw: bytesOf(raw, 'A transaction', fromBase64),
        block: count(block, 'The block of a transaction'),
        index: count(index, 'The place of a transaction'),
        nodes: texts(nodes, 'The branch of a transaction'),
      };
    }),
    tokens: list(file.tokens, 'tokens').map((each) => {
      const { outpoints, contentType, sha256, metadata } = record(each, 'A token');
      return {
        outpoints: texts(outpoints, 'The outputs of a token'),
        contentType: text(contentType, 'A content type'),
        sha256: text(sha256, 'A content hash'),
        metadata: metadataOf(metadata),
      };
    }),
  };
  if (serializeBundle(bundle) !== json) throw bundleInvalid('The data in the file was changed after it was written.');
  return bundle;
}

function record(value: unknown, what: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw bundleInvalid(sentence('{what} is not an object.', { what }));
}

function list(value: unknown, what: string): unknown[] {
  if (Array.isArray(value)) return value;
  throw bundleInvalid(sentence('The bundle has no list of {what}.', { what }));
}

function text(value: unknown, what: string): string {
  if (typeof value === 'string') return value;
  throw bundleInvalid(sentence('{what} is not text.', { what }));
}

function texts(value: unknown, what: string): string[] {
  if (Array.isArray(value)) return value.map((each) => text(each, what));
  throw bundleInvalid(sentence('{what} is not a list.', { what }));
}

function metadataOf(value: unknown): Record<string, string> {
  const pairs = Object.entries(record(value, 'The metadata of a token'));
  return Object.fromEntries(pairs.map(([key, each]) => [key, text(each, 'A value of the metadata')]));
}

function count(value: unknown, what: string): number {
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number;
  throw bundleInvalid(sentence('{what} is not a whole number from 0.', { what }));
}

function bytesOf(value: unknown, what: string, read: (text: string) => Uint8Array): Uint8Array {
  try {
    return read(text(value, what));
  } catch {
    throw bundleInvalid(sentence('{what} cannot be read.', { what }));
  }
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

/** Lenient: other spellings of the same bytes are detected when the bundle is serialised again. */
function fromBase64(base64: string): Uint8Array {
  return new Uint8Array(Buffer.from(base64, 'base64'));
}
