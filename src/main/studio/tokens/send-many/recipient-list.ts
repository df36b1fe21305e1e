import { PlanchetError, phrase } from '../../../../contract/index.ts';
import { filling, type ReadRecord, type Word } from '../../import/model.ts';
import { isMetadataFile } from '../../import/readers/index.ts';
import { MetadataThread } from '../../import/readers/metadata-thread.ts';
import { meaningOf } from '../../import/rows/header-words.ts';

/** What a list of receivers says. */
export interface RecipientList {
  readonly lines: readonly RecipientLine[];
  /** Whether a column names tokens for certain; a column of names or numbers may also be about the receivers. */
  readonly namesTokens: boolean;
}

interface RecipientLine {
  readonly line: number | null;
  readonly address: string;
  /** What names the token; empty where nothing does. */
  readonly token: string;
}

/** Names of the column with the addresses, in the languages that lists are written in; compared without case. */
const ADDRESS_WORDS = new Set(
  [
    ...['address', 'addresses', 'recipient', 'receiver', 'wallet', 'wallet address'],
    ...['to', 'destination', 'owner', 'holder'],
    ...['contact', 'adresse', 'empfänger', 'empfaenger', 'ziel', 'ziel-adresse', 'besitzer', 'kontakt'],
    ...['destinataire', 'dirección', 'direccion', 'destinatario', 'endereço', 'destinatário', 'indirizzo', 'アドレス'],
  ].map((word) => word.normalize('NFC')),
);
const TOKEN_WORDS = new Set(['token', 'outpoint', 'origin', 'item', 'nft', 'piece', 'werk', 'stück']);

/** A name or heading for comparisons: accents are written in two ways. */
export const plain = (text: string): string => text.normalize('NFC').trim().toLowerCase();
const isAddressHeader = (header: string): boolean => ADDRESS_WORDS.has(plain(header));

/** How well a column names tokens, the lowest best; undefined where it does not. */
function tokenRank(header: string): number | undefined {
  if (TOKEN_WORDS.has(plain(header))) return 0;
  const target = meaningOf(header)?.target;
  return target === 'number' ? 1 : target === 'name' ? 2 : undefined;
}

const isHeader = (cells: readonly string[]): boolean => cells.some((cell) => isAddressHeader(cell));

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
  const path = isMetadataFile(name) ? name : `${name}.csv`;
  const unreadable = (reason: Word): PlanchetError =>
    new PlanchetError('import.table-unreadable', { table: name, reason: filling(reason) });
  const thread = new MetadataThread(signal);
  const records: ReadRecord[] = [];
  let isJson = false;
  try {
    const [outcome] = await thread.read([{ path, bytes, headed: false }]);
    if (outcome !== undefined && 'reason' in outcome) throw unreadable(outcome.reason);
    if (outcome?.read.kind !== 'table') throw unreadable(phrase('import.word.not-text'));
    isJson = outcome.read.table.format !== 'csv';
    for await (const piece of outcome.read.table.pieces()) records.push(...piece);
  } finally {
    await thread.close();
  }
  // A first line that names no column is one of the list, and must not be lost. A list of JSON has names of its own.
  const cells = records[0]?.fields.map(([, cell]) => cell) ?? [];
  const isHeaded = !isJson && isHeader(cells);
  const headers = isHeaded ? cells : (records[0]?.fields.map(([header]) => header) ?? []);
  const rows = isHeaded ? records.slice(1) : records;
  const { address, token, namesTokens } = columnsOf(rows, headers, looksLikeAddress);
  const lines = rows.map(({ line, fields }) => ({
    line,
    address: (fields[address]?.[1] ?? '').trim(),
    token: token === undefined ? '' : (fields[token]?.[1] ?? '').trim(),
  }));
  return { lines, namesTokens };
}

/** Which columns have the addresses and the tokens. */
function columnsOf(
  records: readonly ReadRecord[],
  headers: readonly string[],
  looksLikeAddress: (text: string) => boolean,
): { address: number; token: number | undefined; namesTokens: boolean } {
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
