import { ChainError, type FormattedTx, readFormatted, readHex } from '../../../chain/index.ts';
import { PlanchetError } from '../../../contract/index.ts';
import { foreignBounds, parseForeign } from '../../foreign-json.ts';
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

/** Lines that are read: an upload holds fewer transactions of the smallest size in hex. */
const MAX_PIECES = 600_000;
/** What holds so many lines that are no transactions is no list of them, and is read no further. */
const MAX_UNREADABLE = 10_000;
/** Names of the field that holds the hex in what other programs write. */
const RAW_FIELDS = ['rawTx', 'rawtx', 'hex', 'raw', 'tx'];

/**
 * Reads transactions from a text or a file: hex with one or more in a line, JSON (texts or objects with `rawTx` or `hex`), or their bytes
 * one after the other.
 */
export async function readSource(source: string | Uint8Array): Promise<SourceContent> {
  const text = typeof source === 'string' ? source : textOf(source);
  const pieces = text === undefined ? [source as Uint8Array] : piecesOf(text);
  const found = new Map<string, SourceTransaction>();
  const unreadable: { place: number; error: PlanchetError }[] = [];
  for (const [index, piece] of pieces.entries()) {
    const place = index + 1;
    if (index === MAX_PIECES) {
      const error = new ChainError('tx-malformed', 'The text has too many lines.');
      unreadable.push({ place, error: unreadableError(place, error) });
      break;
    }
    if (piece.length === 0) continue;
    if (unreadable.length === MAX_UNREADABLE) break;
    const turn = pause();
    if (turn !== undefined) await turn;
    try {
      const bytes = typeof piece === 'string' ? await inTurns(readHex(piece.replace(/^0x/i, '').toLowerCase())) : piece;
      for (const [n, transaction] of (await inTurns(readFormatted(bytes))).entries()) {
        const { inputs, outputs } = transaction.tx;
        if (inputs.length === 0 || outputs.length === 0)
          throw new ChainError('tx-malformed', 'A transaction has inputs and outputs.');
        if (!found.has(transaction.txid))
          found.set(transaction.txid, { ...transaction, place: text === undefined ? n + 1 : place });
      }
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      unreadable.push({ place, error: unreadableError(place, error) });
    }
  }
  return { transactions: [...found.values()], unreadable };
}

/** What people meet most has a sentence of its own, which pages can translate. */
function unreadableError(place: number, { code, message, data }: ChainError): PlanchetError {
  if (code === 'hex-invalid') return new PlanchetError('merchant.transaction-not-hex', { place });
  if ('wanted' in data) return new PlanchetError('merchant.transaction-cut-off', { place });
  return new PlanchetError('merchant.transaction-unreadable', { place, why: message });
}

/** The text of a file; undefined for bytes. A serialised transaction begins with its version, whose bytes are no text. */
function textOf(bytes: Uint8Array): string | undefined {
  const isText = bytes
    .subarray(0, 16)
    .every((byte) => byte === 9 || byte === 10 || byte === 13 || (byte >= 32 && byte < 127));
  return isText ? new TextDecoder().decode(bytes) : undefined;
}

function piecesOf(text: string): string[] {
  const trimmed = text.trim();
  if (/^[[{"]/.test(trimmed)) {
    const { bytes: limit } = foreignBounds.transactionList;
    // Cut into lines, a list would lose its first and its last transaction.
    if (trimmed.startsWith('[') && trimmed.length > limit)
      throw new PlanchetError('merchant.upload-too-large', { limit });
    const value = parseForeign(trimmed, foreignBounds.transactionList);
    if (value !== undefined) return itemsOf(value);
    // Lines of JSON, or no JSON at all.
    return lines(trimmed).map((line) =>
      line.startsWith('{') || line.startsWith('"') ? (itemOfLine(line) ?? line) : line,
    );
  }
  return lines(trimmed);
}

function lines(text: string): string[] {
  return text.split(/\r\n|\r|\n|,|;/, MAX_PIECES + 1).map((line) => line.trim());
}

function itemOfLine(line: string): string | undefined {
  const value = parseForeign(line, foreignBounds.transactionList);
  return value === undefined ? undefined : itemsOf(value)[0];
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
