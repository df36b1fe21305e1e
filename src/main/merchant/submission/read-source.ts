import { ChainError, type FormattedTx, fromHex, readFormatted } from '../../../chain/index.ts';
import { PlanchetError } from '../../../contract/index.ts';
import { inTurns } from '../../pause.ts';

/** A transaction of a source, with its place in it, from 1. */
export interface SourceTransaction extends FormattedTx {
  readonly place: number;
}

/** What a source holds: each transaction once, in order, and what could not be read. */
export interface SourceContent {
  readonly transactions: readonly SourceTransaction[];
  readonly unreadable: readonly { readonly place: number; readonly error: PlanchetError }[];
}

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
    if (piece.length === 0) continue;
    const place = index + 1;
    try {
      const bytes = typeof piece === 'string' ? fromHex(piece.replace(/^0x/i, '').toLowerCase()) : piece;
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
    try {
      return itemsOf(JSON.parse(trimmed));
    } catch {
      // Lines of JSON, or no JSON at all.
      return lines(trimmed).map((line) =>
        line.startsWith('{') || line.startsWith('"') ? (itemOfLine(line) ?? line) : line,
      );
    }
  }
  return lines(trimmed);
}

function lines(text: string): string[] {
  return text.split(/\r\n|\r|\n|,|;/).map((line) => line.trim());
}

function itemOfLine(line: string): string | undefined {
  try {
    return itemsOf(JSON.parse(line))[0];
  } catch {
    return undefined;
  }
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
