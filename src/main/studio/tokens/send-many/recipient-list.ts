import { PlanchetError, phrase, phraseText } from '../../../../contract/index.ts';
import type { ReadRecord } from '../../import/model.ts';
import { isMetadataFile } from '../../import/readers/index.ts';
import { MetadataThread } from '../../import/readers/metadata-thread.ts';
import { decodeText } from '../../import/readers/text.ts';
import { meaningOf } from '../../import/rows/header-words.ts';

/** What a list of receivers says. */
export interface RecipientList {
  readonly lines: readonly RecipientLine[];
  /** Whether a column names tokens for certain; a column of names or numbers may also be about the receivers. */
  readonly namesTokens: boolean;
}

/** A line of a list of receivers, as it was written. */
interface RecipientLine {
  readonly line: number | null;
  readonly address: string;
  /** What names the token; empty where nothing does. */
  readonly token: string;
}

/** Names of the column with the addresses, in the languages that lists are written in; compared without case. */
const ADDRESS_WORDS = new Set(
  [
    ...[
      'address',
      'addresses',
      'recipient',
      'receiver',
      'wallet',
      'wallet address',
      'to',
      'destination',
      'owner',
      'holder',
    ],
    ...['contact', 'adresse', 'empfänger', 'empfaenger', 'ziel', 'ziel-adresse', 'besitzer', 'kontakt'],
    ...['destinataire', 'dirección', 'direccion', 'destinatario', 'endereço', 'destinatário', 'indirizzo', 'アドレス'],
  ].map((word) => word.normalize('NFC')),
);
const TOKEN_WORDS = new Set(['token', 'outpoint', 'origin', 'item', 'nft', 'piece', 'werk', 'stück']);

const plain = (header: string): string => header.normalize('NFC').trim().toLowerCase();
const isAddressHeader = (header: string): boolean => ADDRESS_WORDS.has(plain(header));

/** How well a column names tokens, the lowest best; undefined where it does not. */
function tokenRank(header: string): number | undefined {
  if (TOKEN_WORDS.has(plain(header))) return 0;
  const target = meaningOf(header)?.target;
  return target === 'number' ? 1 : target === 'name' ? 2 : undefined;
}

const isHeader = (cells: readonly string[]): boolean => cells.some((cell) => isAddressHeader(cell));

const DELIMITERS = [',', ';', '\t'] as const;

/**
 * Text with a line of headings where it has none: a first line that names no column is one of the list, and must not be lost.
 * @returns how many lines were put before it
 */
function withHeader(text: string): { text: string; added: number } {
  const [first = ''] = text.split(/\r\n|\n|\r/).filter((line) => line.trim() !== '');
  const delimiter = DELIMITERS.reduce((best, one) => (first.split(one).length > first.split(best).length ? one : best));
  const cells = first.split(delimiter).map((cell) => cell.replace(/^\s*"|"\s*$/g, ''));
  if (isHeader(cells)) return { text, added: 0 };
  const names = cells.map((_, index) => `${index + 1}`);
  // A name that the table does not have, as a single line of a single column is one too.
  return { text: `${names.join(delimiter)}\n${text}`, added: 1 };
}

/**
 * Reads a list of receivers: one a line, or a table that the import reads too.
 * @param name of the file: another ending than that of a table is read as text
 * @param looksLikeAddress tells the column of addresses where none is named so
 * @throws PlanchetError `import.table-unreadable`; what the signal was aborted with
 */
export async function readRecipients(
  { bytes, name }: { bytes: Uint8Array; name: string },
  looksLikeAddress: (text: string) => boolean,
  signal: AbortSignal = new AbortController().signal,
): Promise<RecipientList> {
  const isTable = isMetadataFile(name);
  const path = isTable ? name : `${name}.csv`;
  const unreadable = (reason: string): PlanchetError =>
    new PlanchetError('import.table-unreadable', { table: name, reason });
  let [content, added] = [bytes, 0];
  if (/\.(csv|tsv|tab)$/i.test(path)) {
    let text: string;
    try {
      text = decodeText(bytes);
    } catch {
      throw unreadable(phraseText(phrase('import.word.not-unicode')));
    }
    if (text.trim() === '') return { lines: [], namesTokens: false };
    ({ text, added } = withHeader(text));
    content = new TextEncoder().encode(text);
  }
  const thread = new MetadataThread(signal);
  const records: ReadRecord[] = [];
  try {
    const [outcome] = await thread.read([{ path, bytes: content }]);
    if (outcome !== undefined && 'reason' in outcome) throw unreadable(wordOf(outcome.reason));
    if (outcome?.read.kind !== 'table') throw unreadable(phraseText(phrase('import.word.not-text')));
    for await (const piece of outcome.read.table.pieces()) records.push(...piece);
  } finally {
    await thread.close();
  }
  const { address, token, namesTokens } = columnsOf(records, looksLikeAddress);
  const lines = records.map(({ line, fields }) => ({
    line: line === null ? null : line - added,
    address: (fields[address]?.[1] ?? '').trim(),
    token: token === undefined ? '' : (fields[token]?.[1] ?? '').trim(),
  }));
  return { lines, namesTokens };
}

function wordOf(reason: unknown): string {
  return typeof reason === 'string' ? reason : phraseText(reason as Parameters<typeof phraseText>[0]);
}

/** Which columns have the addresses and the tokens. */
function columnsOf(
  records: readonly ReadRecord[],
  looksLikeAddress: (text: string) => boolean,
): { address: number; token: number | undefined; namesTokens: boolean } {
  const headers = records[0]?.fields.map(([header]) => header) ?? [];
  const places = headers.map((_, index) => index);
  const hits = (index: number): number =>
    records.reduce((sum, { fields }) => sum + Number(looksLikeAddress((fields[index]?.[1] ?? '').trim())), 0);
  const named = places.find((index) => isAddressHeader(headers[index] as string));
  const address = named ?? places.reduce((best, index) => (hits(index) > hits(best) ? index : best), 0);
  const others = places.filter((index) => index !== address);
  const ranked = others
    .map((index) => ({ index, rank: tokenRank(headers[index] as string) }))
    .filter(({ rank }) => rank !== undefined)
    .sort((a, b) => (a.rank as number) - (b.rank as number));
  // Without headings, the only other column names the tokens.
  const token = ranked[0]?.index ?? (named === undefined && others.length === 1 ? others[0] : undefined);
  return { address, token, namesTokens: ranked[0]?.rank === 0 };
}
