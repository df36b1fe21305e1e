import { type Entry, fromBufferPromise } from 'yauzl';
import { phrase } from '../../../../../contract/index.ts';
import { type ReadTable, UnreadableFile } from '../../model.ts';
import { readEntry } from '../../sources/zip.ts';
import { decodeText } from '../text.ts';
import { MAX_CELLS, MAX_COLUMNS, type TableRow, tableOf } from './table.ts';

/** Bytes of one part of a workbook, unpacked. */
const MAX_PART_BYTES = 128_000_000;
const MAX_PARTS = 10_000;
/** Most characters of all cells: a million cells may share one text of the file. */
const MAX_LETTERS = 64_000_000;
/** Significant digits that a spreadsheet shows; further ones come from binary rounding. */
const DIGITS = 15;
/** Days from the first day of a workbook to 1970, in workbooks that count from 1900 and from 1904. */
const DAYS_1900 = 25_569;
const DAYS_1904 = 24_107;
const DAY_MS = 86_400_000;
/** Numbers of built-in formats of dates and times (ECMA-376, part 1, 18.8.30). */
const DATE_FORMATS = new Set([14, 15, 16, 17, 18, 19, 20, 21, 22, 27, 30, 36, 45, 46, 47, 50, 57]);
const PERCENT_FORMATS = new Set([9, 10]);

/**
 * The first sheet of a workbook (.xlsx, ECMA-376): cells as a person sees them, formulas as their last results.
 * @param path shown as the source of each row
 * @param headed whether the first line names the columns
 * @throws UnreadableFile with the reason, in words a person can use
 */
export async function readXlsx(path: string, bytes: Uint8Array, headed = true): Promise<ReadTable> {
  const part = await partsOf(bytes);
  const text = async (name: string): Promise<string> => (await part(name)) ?? '';
  const { sheet, is1904 } = firstSheet(await text('xl/workbook.xml'), await text('xl/_rels/workbook.xml.rels'));
  const rows = await part(sheet);
  if (rows === undefined) throw new UnreadableFile(phrase('import.word.damaged'));
  const formats = formatsOf(await text('xl/styles.xml'));
  const shared = sharedTexts(await text('xl/sharedStrings.xml'));
  return tableOf(path, rowsOf(rows, { shared, formats, is1904 }), headed);
}

/** Reads the packed files of a workbook as text, each when it is asked for; undefined where there is none of that name. */
async function partsOf(bytes: Uint8Array): Promise<(name: string) => Promise<string | undefined>> {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const zip = await whole(fromBufferPromise(file, { validateEntrySizes: true }));
  if (zip.entryCount > MAX_PARTS) throw new UnreadableFile(phrase('import.word.packed-tightly'));
  const entries = new Map<string, Entry>();
  const list = async (): Promise<void> => {
    for await (const entry of zip.eachEntry()) entries.set(entry.fileName.toLowerCase(), entry);
  };
  await whole(list());
  return async (name) => {
    const entry = entries.get(name.toLowerCase());
    if (entry === undefined) return undefined;
    if (!entry.canDecodeFileData())
      throw new UnreadableFile(phrase(entry.isEncrypted() ? 'import.word.encrypted' : 'import.word.compression'));
    if (entry.uncompressedSize > MAX_PART_BYTES) throw new UnreadableFile(phrase('import.word.packed-tightly'));
    return whole(readEntry(zip, entry, MAX_PART_BYTES).then(decodeText));
  };
}

/** @throws UnreadableFile that says that the file is damaged, in place of any error */
function whole<T>(reading: Promise<T>): Promise<T> {
  return reading.catch(() => {
    throw new UnreadableFile(phrase('import.word.damaged'));
  });
}

interface Tag {
  /** Without a prefix. */
  readonly name: string;
  readonly isEnd: boolean;
  /** `<v/>`: nothing ends it. */
  readonly isEmpty: boolean;
  readonly attributes: string;
  /** What stands before it, since the tag before. */
  readonly before: string;
}

/** The tags of a document in their order. Nothing that a document defines is resolved. */
function* tagsOf(xml: string): Generator<Tag> {
  let before = '';
  for (let at = 0; ; ) {
    const open = xml.indexOf('<', at);
    if (open < 0) return;
    before += unescaped(xml.slice(at, open));
    if (xml.startsWith('<![CDATA[', open)) {
      const end = xml.indexOf(']]>', open);
      if (end < 0) return;
      before += xml.slice(open + 9, end);
      at = end + 3;
      continue;
    }
    const isNote = xml.startsWith('<!--', open);
    const end = isNote ? xml.indexOf('-->', open) : xml.indexOf('>', open);
    if (end < 0) return;
    at = end + (isNote ? 3 : 1);
    if (isNote) continue;
    const isEnd = xml[open + 1] === '/';
    const isEmpty = xml[end - 1] === '/';
    const inner = xml.slice(open + (isEnd ? 2 : 1), isEmpty ? end - 1 : end);
    const space = inner.search(/\s/);
    const whole = space < 0 ? inner : inner.slice(0, space);
    const name = whole.slice(whole.indexOf(':') + 1);
    yield { name, isEnd, isEmpty, attributes: space < 0 ? '' : inner.slice(space), before };
    before = '';
  }
}

const ENTITIES: ReadonlyMap<string, string> = new Map(
  Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }),
);

function unescaped(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w{2,4}));/gi, (all, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES.get(name) ?? all;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : all;
  });
}

const attributes = new Map<string, RegExp>();

/** @returns undefined where there is no such attribute */
function attribute(tag: Tag, name: string): string | undefined {
  let form = attributes.get(name);
  if (form === undefined) {
    form = new RegExp(`\\s(?:\\w+:)?${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`);
    attributes.set(name, form);
  }
  const found = form.exec(tag.attributes);
  return found === null ? undefined : unescaped(found[1] ?? found[2] ?? '');
}

/** The path of the first visible sheet. */
function firstSheet(workbook: string, relations: string): { sheet: string; is1904: boolean } {
  let relation: string | undefined;
  let is1904 = false;
  for (const tag of tagsOf(workbook)) {
    if (tag.name === 'workbookPr') is1904 = /^(?:1|true)$/.test(attribute(tag, 'date1904') ?? '');
    if (tag.name === 'sheet' && relation === undefined && (attribute(tag, 'state') ?? 'visible') === 'visible') {
      relation = attribute(tag, 'id');
    }
  }
  for (const tag of tagsOf(relations)) {
    if (tag.name !== 'Relationship' || attribute(tag, 'Id') !== relation) continue;
    const target = attribute(tag, 'Target') ?? '';
    return { sheet: target.startsWith('/') ? target.slice(1) : `xl/${target}`, is1904 };
  }
  return { sheet: 'xl/worksheets/sheet1.xml', is1904 };
}

/** The shared texts that cells refer to by number, without phonetic hints (`rPh`). */
function sharedTexts(xml: string): string[] {
  const texts: string[] = [];
  let text = '';
  let aloud = false;
  for (const { name, isEnd, isEmpty, before } of tagsOf(xml)) {
    if (name === 'rPh') aloud = !isEnd && !isEmpty;
    else if (name === 't' && isEnd && !aloud) text += before;
    else if (name === 'si' && (isEnd || isEmpty)) {
      texts.push(decoded(text));
      text = '';
      if (texts.length > MAX_CELLS) throw new UnreadableFile(phrase('import.word.cells', { limit: MAX_CELLS }));
    }
  }
  return texts;
}

/** Characters that XML changes or does not take are written by their numbers: `_x000D_` (ECMA-376, part 1, 22.9.2.19). */
function decoded(text: string): string {
  return text.replace(/_x([0-9a-f]{4})_/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
}

type Format = 'date' | 'percent' | { readonly zeros: number } | undefined;

/** How numbers are shown, by the number of the cell's style. */
function formatsOf(xml: string): Format[] {
  const codes = new Map<number, string>();
  const formats: Format[] = [];
  let inCells = false;
  for (const tag of tagsOf(xml)) {
    if (tag.name === 'numFmt') codes.set(Number(attribute(tag, 'numFmtId')), attribute(tag, 'formatCode') ?? '');
    if (tag.name === 'cellXfs') inCells = !tag.isEnd && !tag.isEmpty;
    if (tag.name === 'xf' && !tag.isEnd && inCells) {
      const id = Number(attribute(tag, 'numFmtId'));
      formats.push(formatOf(id, codes.get(id)));
    }
  }
  return formats;
}

function formatOf(id: number, code: string | undefined): Format {
  if (DATE_FORMATS.has(id)) return 'date';
  if (PERCENT_FORMATS.has(id)) return 'percent';
  // drops quoted words and colours such as [Red]
  const form = (code ?? '').replace(/"[^"]*"|\\.|\[[^\]]*\]/g, '').split(';')[0] ?? '';
  if (/[ymdhs]/i.test(form)) return 'date';
  if (form.includes('%')) return 'percent';
  return /^0{2,}$/.test(form) ? { zeros: form.length } : undefined;
}

interface Shown {
  readonly shared: readonly string[];
  readonly formats: readonly Format[];
  readonly is1904: boolean;
}

function rowsOf(xml: string, shown: Shown): TableRow[] {
  const rows: TableRow[] = [];
  let cells: string[] = [];
  let line = 0;
  let count = 0;
  let letters = 0;
  let cell = { column: 0, type: '', style: 0 };
  let text = '';
  const put = (): void => {
    // the empty cells before it count as well
    count += Math.max(1, cell.column + 1 - cells.length);
    if (cell.column >= MAX_COLUMNS) throw new UnreadableFile(phrase('import.word.columns', { limit: MAX_COLUMNS }));
    if (count > MAX_CELLS) throw new UnreadableFile(phrase('import.word.cells', { limit: MAX_CELLS }));
    while (cells.length < cell.column) cells.push('');
    const value = shownText(text, cell.type, shown, shown.formats[cell.style]);
    letters += value.length;
    if (letters > MAX_LETTERS) throw new UnreadableFile(phrase('import.word.packed-tightly'));
    cells[cell.column] = value;
  };
  for (const tag of tagsOf(xml)) {
    const { name, isEnd, isEmpty, before } = tag;
    if (name === 'row') {
      if (!isEnd) line = Number(attribute(tag, 'r')) || line + 1;
      if (isEnd && cells.length > 0) rows.push({ line, cells });
      cells = [];
    } else if (name === 'c' && !isEnd) {
      const column = columnOf(attribute(tag, 'r')) ?? cells.length;
      cell = { column, type: attribute(tag, 't') ?? 'n', style: Number(attribute(tag, 's') ?? 0) };
      text = '';
    } else if (name === 'c' && !isEmpty) {
      if (text !== '') put();
    } else if (isEnd && (name === 'v' || name === 't')) text += before;
  }
  return rows;
}

/** `C7` is the third column: 2. */
function columnOf(reference: string | undefined): number | undefined {
  const letters = /^[A-Z]{1,3}/i.exec(reference ?? '')?.[0];
  return letters === undefined
    ? undefined
    : [...letters.toUpperCase()].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

function shownText(text: string, type: string, { shared, is1904 }: Shown, format: Format): string {
  if (type === 's') return shared[Number(text)] ?? '';
  if (type === 'b') return text === '1' ? 'TRUE' : 'FALSE';
  const value = Number(text);
  if (type !== 'n' || !Number.isFinite(value)) return decoded(text);
  if (format === 'date') return dateText(value, is1904);
  const plain = (number: number): string => String(Number(number.toPrecision(DIGITS)));
  if (format === 'percent') return `${plain(value * 100)}%`;
  return format === undefined ? plain(value) : plain(value).padStart(format.zeros, '0');
}

/** A day as `2027-03-12`, with its time where it has one; a time alone as `14:30`. */
function dateText(days: number, is1904: boolean): string {
  const moment = new Date(Math.round((days - (is1904 ? DAYS_1904 : DAYS_1900)) * DAY_MS));
  if (Number.isNaN(moment.getTime())) return String(days);
  const [day = '', time = ''] = moment.toISOString().split('T');
  const short = time.slice(0, 5);
  if (days < 1) return short;
  return days % 1 === 0 ? day : `${day} ${short}`;
}
