import { ChainError, type FormattedTx, fromHex, partsOf, readFormatted, type Steps } from '../../../chain/index.ts';
import { PlanchetError, phrase } from '../../../contract/index.ts';
import { foreignBounds, parseScanned } from '../../foreign-json.ts';
import { JsonScan } from '../../json-scan.ts';
import { inTurns, pause } from '../../pause.ts';

/** A transaction of a source, with its place in it, from 1. */
export interface SourceTransaction extends FormattedTx {
  readonly place: number;
}

/** What a source holds: each transaction once, in order, and what could not be read. */
export interface SourceContent {
  readonly transactions: readonly SourceTransaction[];
  readonly unreadable: readonly { readonly place: number; readonly error: PlanchetError }[];
}

/** Lines that are read. */
const MAX_PIECES = 600_000;
/** After so many lines that are no transactions, reading stops: the source is no list of them. */
const MAX_UNREADABLE = 1_000;
/** Transactions, inputs and outputs that are read: each becomes an object of some hundred bytes, however short it is. */
const MOST_PARTS = 100_000;
/** Bytes of text that are read before others get a turn. */
const STEP_BYTES = 65_536;
/** Names of the field that holds the hex in what other programs write. */
const RAW_FIELDS = ['rawTx', 'rawtx', 'hex', 'raw', 'tx'];

/**
 * Reads transactions from a text or a file: hex with one or more in a line, JSON (texts or objects with `rawTx` or `hex`), or their bytes
 * one after the other.
 */
export async function readSource(source: string | Uint8Array): Promise<SourceContent> {
  // Text that is pasted from a page may contain non-breaking spaces.
  const bytes = typeof source === 'string' ? Buffer.from(source.replaceAll('\u00a0', ' ')) : source;
  const isText = typeof source === 'string' || beginsAsText(bytes);
  const found = new Map<string, SourceTransaction>();
  const unreadable: { place: number; error: PlanchetError }[] = [];
  let place = 0;
  let left = MOST_PARTS;
  for await (const piece of isText ? piecesOf(bytes) : [bytes]) {
    place += 1;
    if (place > MAX_PIECES) {
      const error = new ChainError('tx-malformed', 'The text has too many lines.');
      unreadable.push({ place, error: unreadableError(place, error) });
      break;
    }
    if (piece.length === 0) continue;
    if (unreadable.length === MAX_UNREADABLE) break;
    const turn = pause();
    if (turn !== undefined) await turn;
    try {
      const raw = isText ? await inTurns(hexOf(piece)) : piece;
      for (const [n, transaction] of (await inTurns(readFormatted(raw, left))).entries()) {
        const { inputs, outputs } = transaction.tx;
        if (inputs.length === 0 || outputs.length === 0)
          throw new ChainError('tx-malformed', 'A transaction has inputs and outputs.');
        if (found.has(transaction.txid)) continue;
        left -= partsOf(transaction.tx);
        found.set(transaction.txid, { ...transaction, place: isText ? place : n + 1 });
      }
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      unreadable.push({ place, error: unreadableError(place, error) });
      if ('most' in error.data) break;
    }
  }
  return { transactions: [...found.values()], unreadable };
}

/** The most frequent mistakes have errors of their own, which pages can translate. */
function unreadableError(place: number, { code, sentence, data }: ChainError): PlanchetError {
  if (code === 'hex-invalid') return new PlanchetError('merchant.transaction-not-hex', { place });
  if ('wanted' in data) return new PlanchetError('merchant.transaction-cut-off', { place });
  const why = 'most' in data ? phrase('reason.too-many-parts') : sentence;
  return new PlanchetError('merchant.transaction-unreadable', { place, why });
}

/** Whether bytes are a text. A serialised transaction begins with its version, whose bytes are no text. */
function beginsAsText(bytes: Uint8Array): boolean {
  return bytes.subarray(0, 16).every((byte) => byte === 9 || byte === 10 || byte === 13 || (byte >= 32 && byte < 127));
}

/** The text of each transaction, one after the other: a long source takes no more memory than its longest line. */
async function* piecesOf(text: Uint8Array): AsyncGenerator<Uint8Array> {
  const json = text.subarray(await firstMark(text));
  const isJson = beginsAsJson(json);
  if (isJson) {
    const { bytes: limit } = foreignBounds.transactionList;
    // Cut into lines, a list would lose its first and its last transaction.
    if (json[0] === OPEN_LIST && json.length > limit) throw new PlanchetError('merchant.upload-too-large', { limit });
    const value = await listOf(json);
    if (value !== undefined) {
      for (const item of itemsOf(value)) yield Buffer.from(item);
      return;
    }
  }
  // Lines of JSON, or no JSON at all.
  for await (const line of linesOf(json)) {
    const value = isJson && beginsAsJson(line) ? await listOf(line) : undefined;
    yield value === undefined ? line : Buffer.from(itemsOf(value)[0] ?? '');
  }
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const OPEN_LIST = 0x5b;
const marks = (text: string): ReadonlySet<number | undefined> => new Set(Buffer.from(text));
const SEPARATORS = marks('\r\n,;');
const BLANKS = marks('\t\v\f ');
const JSON_BEGINS = marks('[{"');

function beginsAsJson(text: Uint8Array): boolean {
  return JSON_BEGINS.has(text[0]);
}

/** Where the first line begins that is not blank. */
async function firstMark(text: Uint8Array): Promise<number> {
  let at = 0;
  while (BLANKS.has(text[at]) || text[at] === LINE_FEED || text[at] === CARRIAGE_RETURN) {
    at += 1;
    if (at % STEP_BYTES === 0) await pause();
  }
  return at;
}

/** Lines without the blanks around them. */
async function* linesOf(text: Uint8Array): AsyncGenerator<Uint8Array> {
  let from: number | undefined;
  let to = 0;
  for (let at = 0; at < text.length; at++) {
    if (at % STEP_BYTES === 0) await pause();
    const byte = text[at] as number;
    if (SEPARATORS.has(byte)) {
      yield text.subarray(from ?? at, from === undefined ? at : to);
      from = undefined;
      if (byte === CARRIAGE_RETURN && text[at + 1] === LINE_FEED) at += 1;
    } else if (!BLANKS.has(byte)) {
      from ??= at;
      to = at + 1;
    }
  }
  if (from !== undefined) yield text.subarray(from, to);
}

/** Parses in turns. @returns undefined for what is no JSON, or more than a list of transactions is */
async function listOf(json: Uint8Array): Promise<unknown> {
  const scan = new JsonScan(foreignBounds.transactionList);
  if (json.length > foreignBounds.transactionList.bytes) return undefined;
  for (let at = 0; at < json.length; at += STEP_BYTES) {
    if (scan.push(json.subarray(at, at + STEP_BYTES)) !== undefined) return undefined;
    await pause();
  }
  if (scan.end() !== undefined) return undefined;
  return parseScanned(Buffer.from(json.buffer, json.byteOffset, json.length), scan);
}

/** Reads hex, with or without `0x` before it, in steps. @throws ChainError `hex-invalid` */
function* hexOf(text: Uint8Array): Steps<Uint8Array> {
  const all = Buffer.from(text.buffer, text.byteOffset, text.length);
  const digits = /^0x/i.test(all.toString('latin1', 0, 2)) ? all.subarray(2) : all;
  const bytes = new Uint8Array(Math.floor(digits.length / 2));
  for (let at = 0; at < digits.length; at += STEP_BYTES) {
    bytes.set(fromHex(digits.toString('latin1', at, at + STEP_BYTES)), at / 2);
    yield '';
  }
  return bytes;
}

function itemsOf(value: unknown): string[] {
  const list = Array.isArray(value) ? value : [value];
  return list.map((item) => {
    if (typeof item === 'string') return item;
    const fields: Record<string, unknown> = typeof item === 'object' && item !== null ? { ...item } : {};
    const name = RAW_FIELDS.find((field) => typeof fields[field] === 'string');
    return name === undefined ? 'no transaction' : String(fields[name]);
  });
}
