import { runSteps, type Steps } from '../../../../chain/index.ts';
import {
  type ImportField,
  type ImportOptions,
  type ItemCells,
  type ItemField,
  isNumberField,
  itemFieldNames,
  phrase,
} from '../../../../contract/index.ts';
import { isRankGiven } from '../../projects/collection.ts';
import { rankSteps } from '../../projects/rarity.ts';
import {
  baseName,
  type Finding,
  type ImportFile,
  numberOf,
  type RawTrait,
  type SourceRecord,
  stemOf,
} from '../model.ts';
import { isForOne } from './mapping.ts';
import { type Matched, matchFiles, type Wanted } from './match.ts';
import type { Edits, ProjectFacts, Row, RowInput } from './row.ts';
import { checkRow, checkTogether, stateOf } from './validate.ts';

/** Rows looked at in one step. */
const AT_ONCE = 200;

/** First id of rows for pictures without a table; the id of the file is added. */
const PICTURE_ROWS = 10_000_000;

export type { ProjectFacts, Row };

export const noProject: ProjectFacts = {
  collectionId: undefined,
  items: [],
  numbers: new Set(),
  hashes: new Set(),
  fields: new Map(),
};

export interface Derived {
  readonly rows: readonly Row[];
  readonly match: Matched['match'];
  /** Files that neither a row nor the collection token uses. */
  readonly unmatched: readonly ImportFile[];
  /** Problems of the import as a whole. */
  readonly findings: readonly Finding[];
}

/** Makes rows of what was read, as the mapping, the options and the edits say, and checks them. Everything is computed each time. */
export function deriveRows(input: RowInput): Derived {
  return runSteps(deriveSteps(input));
}

/** See {@link deriveRows}. */
export function* deriveSteps(input: RowInput): Steps<Derived> {
  const usable = input.files.filter((file) => !isCover(file, input.options));
  const records = input.options.table === '' ? pictureRecords(usable) : input.records;
  const wanted: Wanted[] = [];
  for (const record of records) {
    if (wanted.length % AT_ONCE === 0) yield '';
    const cells = cellsOf(record, input.fields);
    wanted.push({
      id: record.id,
      file: cells.get('file') ?? '',
      number: wholeNumber(cells.get('number') ?? ''),
      name: cells.get('name') ?? '',
      table: record.table,
      source: record.source,
    });
  }
  const seeking = wanted.filter((_, index) => records[index]?.file === null);
  const matched = yield* matchFiles(seeking, usable, input.options);
  const byId = new Map(input.files.map((file) => [file.id, file]));
  // New rows are numbered after the earlier items of the project; items that this import created do not shift its other rows.
  const own = new Set(input.imported.values());
  const earlier = input.project.items.filter(({ id }) => !own.has(id));
  const firstFree = earlier.reduce((most, { metadata }) => Math.max(most, metadata.mintNumber ?? 0), 0);
  const numbers = new Map(input.project.items.map(({ id, metadata }) => [id, metadata.mintNumber]));
  const rows: Row[] = [];
  for (const [index, record] of records.entries()) {
    if (index % AT_ONCE === 0) yield '';
    const found = record.file ?? matched.files.get(record.id) ?? null;
    const made = numbers.get(input.imported.get(record.id) ?? '');
    rows.push(toRow(record, input, byId, found, made ?? index + firstFree + 1));
  }
  for (const row of rows) {
    const differing = matched.differing.get(row.id);
    if (differing === undefined || row.edited.includes('file')) continue;
    const nameOfFile = (id: number): string => baseName(byId.get(id)?.path ?? '');
    const values = { file: nameOfFile(differing.file), other: nameOfFile(differing.other) };
    row.findings.push({ code: 'image-differs', values, field: 'file' });
  }
  const live = rows.filter(({ excluded }) => !excluded);
  for (const [index, row] of rows.entries()) {
    if (index % AT_ONCE === 0) yield '';
    checkRow(row, input);
  }
  yield '';
  checkTogether(live, input);
  const sound = live.filter((row) => stateOf(row) !== 'error');
  if (input.options.rarity) yield* addRarity(sound, input.project.items);
  return {
    rows,
    match: records.length > 0 && seeking.length === 0 ? 'stem' : matched.match,
    unmatched: unmatchedFiles(rows, usable, input.options),
    findings: wholeFindings(input, matched),
  };
}

/** A picture that is named `collection` is that of the collection token, not an item. */
function isCover(file: ImportFile, options: Pick<ImportOptions, 'cover' | 'projectType'>): boolean {
  if (options.projectType !== 'collection') return false;
  return options.cover === null && stemOf(file.path).toLowerCase() === 'collection';
}

function pictureRecords(files: readonly ImportFile[]): SourceRecord[] {
  return files.map((file) => ({
    id: PICTURE_ROWS + file.id,
    table: '',
    source: file.path,
    line: null,
    fields: [],
    traits: [],
    file: file.id,
  }));
}

/** The first value that is not empty of each meaning. */
function cellsOf(record: SourceRecord, fields: readonly ImportField[]): Map<string, string> {
  const targets = targetsOf(fields);
  const cells = new Map<string, string>();
  for (const [field, value] of record.fields) {
    const target = targets.get(field)?.target;
    if (target === undefined || !isForOne(target) || value === '') continue;
    if (!cells.has(target)) cells.set(target, value);
  }
  return cells;
}

const targetCache = new WeakMap<readonly ImportField[], Map<string, ImportField>>();

function targetsOf(fields: readonly ImportField[]): Map<string, ImportField> {
  const cached = targetCache.get(fields);
  if (cached !== undefined) return cached;
  const targets = new Map(fields.map((field) => [field.field, field]));
  targetCache.set(fields, targets);
  return targets;
}

function toRow(
  record: SourceRecord,
  input: RowInput,
  files: ReadonlyMap<number, ImportFile>,
  found: number | null,
  byPosition: number,
): Row {
  const edits: Edits = input.edits.get(record.id) ?? new Map();
  const cells = cellsOf(record, input.fields);
  const cell = (field: string): string => (edits.get(field) ?? cells.get(field) ?? '').trim();
  const chosen = edits.get('file');
  const file = files.get(chosen === undefined || chosen === '' ? (found ?? -1) : Number(chosen));
  const numberText = cell('number');
  const number = numberText === '' ? defaultNumber(record, file, byPosition) : wholeNumber(numberText);
  const wrongNumbers: Row['wrongNumbers'][number][] = [];
  if (numberText !== '' && number === null) wrongNumbers.push({ field: 'number', text: numberText });
  const placed = itemFieldNames.map((field): [ItemField, number | string | null] => {
    const text = cell(field);
    if (text === '' || !isNumberField(field)) return [field, text || null];
    const value = wholeNumber(text);
    if (value === null) wrongNumbers.push({ field, text });
    return [field, value];
  });
  const written = cell('name');
  const template = edits.has('name') ? null : input.options.nameTemplate;
  const isNamed = record.table !== '' && input.fields.some(({ target }) => target === 'name');
  const plainName = written === '' && !isNamed ? nameOf(file) : written;
  const contentType = cell('contentType');
  const findings: Finding[] = [];
  return {
    id: record.id,
    record,
    edited: [...edits.keys()],
    accepted: new Set([...edits.keys()].filter((key) => key.startsWith('accept:')).map((key) => key.slice(7))),
    excluded: edits.get('excluded') === 'true',
    itemId: input.imported.get(record.id) ?? null,
    name: template === null ? plainName : fillTemplate(template, plainName, number, file),
    description: cell('description'),
    number,
    wrongNumbers,
    ...(Object.fromEntries(placed) as ItemCells),
    rankComputed: false,
    collectionId: cell('collectionId') || null,
    collectionName: cell('collectionName'),
    contentType: contentType === '' ? (file?.contentType ?? null) : contentType,
    wantedFile: cells.get('file') ?? '',
    file,
    traits: traitsOf(record, input.fields, edits, findings),
    keys: keysOf(record, input.fields),
    findings,
  };
}

/** The digits of the picture's name where there is no table, else the row's position. */
function defaultNumber(record: SourceRecord, file: ImportFile | undefined, byPosition: number): number {
  const own = record.line === null ? numberOf(stemOf(record.source)) : undefined;
  const digits = record.file !== null && file !== undefined ? numberOf(stemOf(file.path)) : own;
  return digits ?? byPosition;
}

/** A number written without sign, point or exponent. */
function wholeNumber(text: string): number | null {
  const digits = /^#?\s*(\d{1,15})$/.exec(text.trim())?.[1];
  return digits === undefined ? null : Number(digits);
}

/** For rows that nothing else names: `ring-007.png` → "Ring 007". */
function nameOf(file: ImportFile | undefined): string {
  if (file === undefined) return '';
  const words = stemOf(file.path)
    .normalize('NFC')
    .replaceAll(/[-_.\s]+/g, ' ')
    .trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function fillTemplate(template: string, name: string, number: number | null, file: ImportFile | undefined): string {
  const values: Record<string, string> = {
    name,
    n: number === null ? '' : String(number),
    file: file === undefined ? '' : stemOf(file.path).normalize('NFC'),
  };
  return template.replaceAll(/\{(name|n|file)\}/g, (_, key: string) => values[key] as string).trim();
}

/** More traits than are allowed. Further ones are dropped: the row is refused anyway. */
const MAX_READ_TRAITS = 100;

/** Names that the token's own keys use cannot be names of traits. */
const RESERVED = new Set(['name', 'type', 'subType', 'subTypeData', 'description', 'app']);

function traitsOf(record: SourceRecord, fields: readonly ImportField[], edits: Edits, findings: Finding[]): RawTrait[] {
  const targets = targetsOf(fields);
  const columns = record.fields.flatMap(([field, value]): RawTrait[] => {
    const target = targets.get(field);
    return target?.target === 'trait' && value !== '' ? [{ name: target.trait, value }] : [];
  });
  const taken = new Map<string, string>();
  /** The number that the next one of a name gets, so that many of one name are not each counted from the start. */
  const next = new Map<string, number>();
  for (const raw of [...record.traits, ...columns].slice(0, MAX_READ_TRAITS)) {
    const original = raw.name.trim();
    let name = RESERVED.has(original) ? original.charAt(0).toUpperCase() + original.slice(1) : original;
    for (let n = next.get(original) ?? 2; taken.has(name); n++) {
      name = `${original} ${n}`;
      next.set(original, n + 1);
    }
    if (name !== original && original !== 'Property') {
      findings.push({ code: 'trait-renamed', values: { trait: original, name }, field: `trait:${name}` });
    }
    taken.set(name, raw.value.trim());
  }
  for (const [field, value] of edits) if (field.startsWith('trait:')) taken.set(field.slice(6).trim(), value.trim());
  const traits: RawTrait[] = [];
  for (const [name, value] of taken) {
    if (value !== '') traits.push({ name, value });
    // A value that a person removed is not reported as missing.
    else if (!edits.has(`trait:${name}`)) {
      findings.push({ code: 'trait-empty', values: { trait: name }, field: `trait:${name}` });
    }
  }
  return traits;
}

function keysOf(record: SourceRecord, fields: readonly ImportField[]): RawTrait[] {
  const targets = targetsOf(fields);
  const keys = new Map<string, string>();
  for (const [field, value] of record.fields) {
    const target = targets.get(field);
    if (target?.target === 'key' && value !== '') keys.set(target.trait, value);
  }
  return [...keys].map(([name, value]) => ({ name, value }));
}

/** Ranks and labels among all items of the collection, where neither the table nor the project has any of its own. */
function* addRarity(rows: readonly Row[], existing: ProjectFacts['items']): Steps<void> {
  const fresh = rows.filter(({ itemId }) => itemId === null);
  if (fresh.some(({ rank, rarityLabel }) => rank !== null || rarityLabel !== null)) return;
  if (existing.some(({ metadata }) => isRankGiven(metadata))) return;
  const before = existing.map(({ metadata }) => ({ number: metadata.mintNumber ?? null, traits: metadata.traits }));
  const ranks = yield* rankSteps([...before, ...fresh]);
  const byItem = new Map(existing.map(({ id }, index) => [id, ranks[index]]));
  const ranked = new Map(fresh.map((row, index) => [row, ranks[before.length + index]]));
  for (const row of rows) {
    const own = row.itemId === null ? ranked.get(row) : byItem.get(row.itemId);
    if (own === undefined) continue;
    row.rank = own.rank;
    row.rarityLabel = own.label;
    row.rankComputed = true;
  }
}

function unmatchedFiles(
  rows: readonly Row[],
  files: readonly ImportFile[],
  { projectType, cover }: Pick<ImportOptions, 'cover' | 'projectType'>,
): ImportFile[] {
  const used = new Set<number | null | undefined>(rows.map(({ file }) => file?.id));
  if (projectType === 'collection') used.add(cover);
  const shown = new Set(rows.flatMap(({ file }) => (file === undefined ? [] : [stemOf(file.path).toLowerCase()])));
  // Another form of a used picture (`gifs/1.gif` for `images/1.png`) does not count as unused.
  return files.filter((file) => !used.has(file.id) && !shown.has(stemOf(file.path).toLowerCase()));
}

function wholeFindings(input: RowInput, matched: Matched): Finding[] {
  const findings: Finding[] = [];
  if (matched.isOrderOpen) findings.push({ code: 'pairing-open' });
  if (matched.match === 'order') findings.push({ code: 'matched-by-order' });
  if (matched.shifted !== null) findings.push({ code: 'numbering-shifted', values: { ...matched.shifted } });
  for (const { field, damaged, target } of input.fields) {
    if (damaged === null || target === 'ignore') continue;
    findings.push({ code: 'column-damaged', values: { column: field, what: phrase(`import.word.${damaged}`) }, field });
  }
  return findings;
}
