import { parseJson } from './json-in-turns.ts';
import { type JsonBounds, type JsonFault, JsonScan } from './json-scan.ts';

const MIB = 1_048_576;
/** The engine's own parser takes some 30 ms for so many, whatever they are. */
const AT_ONCE_VALUES = 50_000;

/** Bounds of foreign JSON, enforced while it arrives, before any value is made of it. */
export interface ForeignBounds extends JsonBounds {
  /** Bytes, after decompression. */
  readonly bytes: number;
  readonly depth: number;
  readonly values: number;
}

export type PassedBound = 'bytes' | Exclude<JsonFault, 'syntax'>;

/** Foreign JSON that exceeds one of its bounds. */
export class OutOfBounds extends Error {
  readonly bound: PassedBound;

  constructor(bound: PassedBound) {
    super(`the JSON passes the bound ${bound}`);
    this.bound = bound;
  }
}

/**
 * The bounds of each kind of JSON that others send. The engine makes 100,000 members of objects in some 60 ms, and a text takes three times
 * its bytes while it is read, so nothing here holds the thread for 250 ms or takes 64 MB.
 */
export const foreignBounds = {
  /** A price list, policy or health of a miner, each a dictionary of some hundred entries. */
  minerTerms: { bytes: MIB, depth: 16, values: 10_000 },
  /** What a miner says of one transaction. The transactions that conflict with it may come along in hex. */
  minerVerdict: { bytes: 8 * MIB, depth: 16, values: 10_000 },
  /** What a miner says of the 500 transactions of a request, or of as many outputs with their scripts. */
  minerVerdicts: { bytes: 8 * MIB, depth: 16, values: 20_000 },
  /** A proof, or a double spend with the whole other transaction in hex. */
  mapiCallback: { bytes: 8 * MIB, depth: 16, values: 10_000 },
  /** ARC puts at most 50 statuses into one body, each with a Merkle path of some 2 kB of hex. */
  arcCallback: { bytes: 2 * MIB, depth: 8, values: 20_000 },
  /** A public key or a signature as a list of its bytes. */
  signer: { bytes: 65_536, depth: 8, values: 1_000 },
  /** A payment of a wallet app: a transaction with its ancestors as a list of their bytes. It is parsed in turns. */
  walletPayment: { bytes: 4 * MIB, depth: 8, values: 1_100_000 },
  /** What the host of a paymail address says: its capabilities, or some outputs. */
  paymail: { bytes: 262_144, depth: 8, values: 5_000 },
  /** A reply of the token service where the call says nothing else. */
  tokenReply: { bytes: 4 * MIB, depth: 32, values: 50_000 },
  /** Some 10,000 projects, each of which is stored. */
  tokenProjects: { bytes: 4 * MIB, depth: 16, values: 80_000 },
  /** Some 10,000 outputs, each with the traits and the description of its token. It is parsed in turns. */
  tokenOutputs: { bytes: 24 * MIB, depth: 16, values: 300_000 },
  /** Exported settings: some hundred of them. */
  settingsFile: { bytes: MIB, depth: 4, values: 1_000 },
  /** A backup of a wallet: sealed bytes, and what seals them. */
  backupFile: { bytes: 8 * MIB, depth: 8, values: 100 },
  /** Transactions in a file or text: each a text of hex, or an object with one. */
  transactionList: { bytes: 24 * MIB, depth: 4, values: 100_000 },
  /** What a token says of itself beside its name. */
  tokenFields: { bytes: 262_144, depth: 16, values: 5_000 },
  /** The two templates of a document, or the reason why there are none. */
  templates: { bytes: MIB, depth: 8, values: 1_000 },
  /** What a public service answers: lists of some 10,000 rows. It is parsed in turns. */
  sourceAnswer: { bytes: 24 * MIB, depth: 16, values: 300_000 },
  /** The answer of a node to one of the few calls of a test of its address. */
  nodeProbe: { bytes: 4 * MIB, depth: 32, values: 20_000 },
  /** The answer of a node to a call on the page or in the terminal, which is parsed several times. */
  nodeCall: { bytes: 8 * MIB, depth: 64, values: 50_000 },
  /** The answer of a node to a call of a service: 350,000 ids of a block or of a mempool. Blocks and transactions are decoded as they arrive. */
  nodeAnswer: { bytes: 24 * MIB, depth: 64, values: 360_000 },
} as const satisfies Readonly<Record<string, ForeignBounds>>;

/** Collects JSON of others piece by piece. */
export class ForeignJson {
  readonly #bounds: ForeignBounds;
  readonly #scan: JsonScan;
  #pieces: Uint8Array[] = [];
  #bytes = 0;

  constructor(bounds: ForeignBounds) {
    this.#bounds = bounds;
    this.#scan = new JsonScan(bounds);
  }

  /** @throws OutOfBounds. What is no JSON is told when it is parsed. */
  push(piece: Uint8Array): void {
    this.#bytes += piece.length;
    const fault = this.#bytes > this.#bounds.bytes ? 'bytes' : this.#scan.push(piece);
    if (fault !== undefined && fault !== 'syntax') {
      this.#pieces = [];
      throw new OutOfBounds(fault);
    }
    this.#pieces.push(piece);
  }

  /** Everything that came. It can be taken once. */
  bytes(): Buffer {
    const all = Buffer.concat(this.#pieces, this.#bytes);
    this.#pieces = [];
    return all;
  }

  /** The same parsed; undefined for what is no JSON. */
  value(): Promise<unknown> {
    return parseScanned(this.bytes(), this.#scan);
  }

  /** The same as text. */
  text(): string {
    return textOf(this.bytes(), this.#scan);
  }
}

/**
 * Reads a body of others, and stops as soon as it passes one of its bounds.
 * @param body after decompression
 * @returns its text, which may be no JSON
 * @throws OutOfBounds, and what the body throws
 */
export async function readForeign(body: AsyncIterable<Uint8Array>, bounds: ForeignBounds): Promise<string> {
  const read = new ForeignJson(bounds);
  for await (const piece of body) read.push(piece);
  return read.text();
}

/**
 * Reads a body of others like {@link readForeign} and parses it, in turns of the event loop where it is long.
 * @returns undefined for what is no JSON
 * @throws OutOfBounds, and what the body throws
 */
export async function readForeignValue(body: AsyncIterable<Uint8Array>, bounds: ForeignBounds): Promise<unknown> {
  const read = new ForeignJson(bounds);
  for await (const piece of body) read.push(piece);
  return read.value();
}

/**
 * Parses what a scan has read within its bounds, in turns of the event loop where it is long.
 * @returns undefined for what is no JSON
 */
export async function parseScanned(bytes: Buffer, scan: JsonScan): Promise<unknown> {
  if (scan.values > AT_ONCE_VALUES) return parseJson(bytes).catch(() => undefined);
  return jsonOf(textOf(bytes, scan));
}

/** Of what is no JSON, the scan has not seen all. */
function textOf(bytes: Buffer, scan: JsonScan): string {
  return scan.end() === undefined && scan.ascii ? bytes.toString('latin1') : bytes.toString('utf8');
}

/**
 * Parses JSON of others that stands in a text, as in an envelope.
 * @returns undefined for what is no JSON, or passes one of the bounds
 */
export function parseForeign(text: string, bounds: ForeignBounds): unknown {
  const bytes = Buffer.from(text);
  const scan = new JsonScan(bounds);
  if (bytes.length > bounds.bytes || (scan.push(bytes) ?? scan.end()) !== undefined) return undefined;
  return jsonOf(text);
}

/** @param text that was read within its bounds. @returns undefined for what is no JSON */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
