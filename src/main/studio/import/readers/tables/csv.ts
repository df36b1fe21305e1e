import { parse } from 'csv-parse/sync';
import { phrase } from '../../../../../contract/index.ts';
import { MAX_TABLE_ROWS, type ReadTable, UnreadableFile } from '../../model.ts';
import { decodeText } from '../text.ts';
import { MAX_CELLS, MAX_COLUMNS, tableOf } from './table.ts';

const DELIMITERS = [',', ';', '\t'] as const;
/** A first line for spreadsheets alone: it names the separator. */
const SEPARATOR_LINE = /^\ufeff?"?sep=([^\w\s"]|\t)"?(?=[\r\n])/i;

/**
 * Reads a table with one of the usual separators, or the one that its first line names.
 * @param path shown as the source of each row
 * @param headed whether the first line names the columns
 * @throws UnreadableFile with the reason, in words a person can use
 */
export function readCsv(path: string, bytes: Uint8Array, headed = true): ReadTable {
  const whole = decodeText(bytes);
  const named = SEPARATOR_LINE.exec(whole);
  // What is left of that line is an empty one, so that the others keep their numbers.
  const text = named === null ? whole : whole.slice(named[0].length);
  if (text.includes('\0')) throw new UnreadableFile(phrase('import.word.not-text'));
  const delimiter = named?.[1] ?? delimiterOf(text);
  checkSize(text, delimiter);
  const rows = parseRows(text, delimiter).map(({ record, info }) => ({
    line: info.lines - record.join('').split('\n').length + 1,
    cells: record,
  }));
  return tableOf(path, rows, headed);
}

interface Parsed {
  record: string[];
  info: { lines: number };
}

/**
 * Counts cells before any is made: a row may have as many as it has characters. As in the later parsing, a quotation mark counts only at the start
 * of a cell; a quoted part is one cell.
 */
function checkSize(text: string, delimiter: string): void {
  const separator = delimiter.charCodeAt(0);
  let cells = 1;
  let column = 1;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const isEnd = code === 0x0a || code === 0x0d;
    if (code === 0x22 && isCellStart(text, at, separator)) {
      // two in a row are an escaped quotation mark
      at = text.indexOf('"', at + 1);
      while (at !== -1 && text.charCodeAt(at + 1) === 0x22) at = text.indexOf('"', at + 2);
      if (at === -1) return;
      continue;
    }
    if (isEnd) column = 1;
    else if (code === separator) column++;
    else continue;
    cells++;
    if (column > MAX_COLUMNS) throw new UnreadableFile(phrase('import.word.columns', { limit: MAX_COLUMNS }));
    if (cells > MAX_CELLS) throw new UnreadableFile(phrase('import.word.cells', { limit: MAX_CELLS }));
  }
}

function isCellStart(text: string, at: number, separator: number): boolean {
  const before = text.charCodeAt(at - 1);
  return at === 0 || before === separator || before === 0x0a || before === 0x0d || before === 0xfeff;
}

function parseRows(text: string, delimiter: string): Parsed[] {
  try {
    return parse(text, {
      bom: true,
      delimiter,
      info: true,
      relax_column_count: true,
      // A quotation mark inside a cell that is not quoted is a character like any other.
      relax_quotes: true,
      skip_empty_lines: true,
      // A file may have been put together of parts whose lines end in different ways.
      record_delimiter: ['\r\n', '\n', '\r'],
      max_record_size: 1_000_000,
      to: MAX_TABLE_ROWS + 2,
    }) as unknown as Parsed[];
  } catch (error) {
    const { code, lines } = error as { code?: string; lines?: number };
    if (code === 'CSV_QUOTE_NOT_CLOSED') throw new UnreadableFile(phrase('import.word.quote'));
    if (code === 'CSV_MAX_RECORD_SIZE')
      throw new UnreadableFile(phrase('import.word.long-line', { line: lines ?? '?' }));
    throw new UnreadableFile(
      lines === undefined ? phrase('import.word.damaged') : phrase('import.word.damaged-line', { line: lines }),
    );
  }
}

/** The separator that the first line has most of, outside quotation marks. */
function delimiterOf(text: string): string {
  const counts = new Map<string, number>(DELIMITERS.map((delimiter) => [delimiter, 0]));
  let quoted = false;
  for (const character of text.slice(0, 100_000)) {
    if (character === '"') quoted = !quoted;
    else if (!quoted && (character === '\n' || character === '\r') && [...counts.values()].some((n) => n > 0)) break;
    else if (!quoted && counts.has(character)) counts.set(character, (counts.get(character) ?? 0) + 1);
  }
  return DELIMITERS.reduce((best, one) => ((counts.get(one) ?? 0) > (counts.get(best) ?? 0) ? one : best));
}

/** Dates as spreadsheets write them: `3-4`, `1.2.2026`, `1-Feb`, `Feb-01`. */
const MONTH = '(?:jan|feb|mar|mär|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez)';
const DATE = new RegExp(
  `^(?:\\d{1,2}[-/]\\d{1,2}(?:[-/]\\d{2,4})?|\\d{1,2}\\.\\d{1,2}\\.(?:\\d{2,4})?|\\d{1,2}[-. ]${MONTH}\\.?|${MONTH}[- ]\\d{1,4})$`,
  'i',
);

export type Damage = 'leading-zeros' | 'decimal-comma' | 'date';

/**
 * Finds damage by spreadsheets: they turn `007` into 7, 1.5 into 1,5, and 1-2 into a date.
 * @param values the values of one column that are not empty
 */
export function damageOf(values: readonly string[]): Damage | null {
  const some = values.slice(0, 1_000);
  if (some.length < 2) return null;
  const share = (pattern: RegExp): number => some.filter((value) => pattern.test(value)).length / some.length;
  if (share(/^-?\d+,\d+$/) > 0.5) return 'decimal-comma';
  const dates = share(DATE);
  if (dates > 0 && dates < 0.9) return 'date';
  // Some numbers kept their zeros and shorter ones lost them.
  const padded = some.filter((value) => /^0\d+$/.test(value));
  const bare = some.filter((value) => /^[1-9]\d*$/.test(value));
  const width = padded[0]?.length;
  if (width !== undefined && bare.some((value) => value.length < width)) return 'leading-zeros';
  return null;
}
