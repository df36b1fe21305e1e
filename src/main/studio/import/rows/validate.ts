import { z } from 'zod';
import type { ImportProblem } from '../../../../contract/index.ts';
import {
  acceptableProblems,
  importProblem,
  importProblemTexts,
  itemFieldRows,
  mapKeySchema,
  phrase,
  traitSchema,
} from '../../../../contract/index.ts';
import { normaliseContentType } from '../../content/content-types.ts';
import { hiddenMarks } from '../../content/hidden-marks.ts';
import { isCheckedPicture } from '../../content/thumbnails.ts';
import { baseName, type Finding, type Word } from '../model.ts';
import { lastPart } from './match.ts';
import type { Row, RowInput } from './row.ts';

const LIMITS = {
  name: 120,
  description: 2_000,
  traitName: 64,
  traitValue: 256,
  traits: 64,
  keys: 32,
  keyValue: 1_000,
} as const;

/** Most problems of one row that are reported. */
const MAX_TOLD = 50;

/** Most hidden marks of one name that are reported. */
const MAX_MARKS = 5;

/** Kinds that no browser shows by itself. */
const NOT_VIEWABLE = new Set(
  ['heic', 'heif', 'tiff', 'vnd.adobe.photoshop', 'jxl', 'jp2'].map((kind) => `image/${kind}`),
);

export function checkRow(row: Row, input: RowInput): void {
  checkFile(row, input);
  checkText(row, 'name', phrase('import.word.name'), row.name, LIMITS.name);
  if (row.name === '') row.findings.push({ code: 'name-missing', field: 'name' });
  checkMarks(row, 'name', phrase('import.word.name'), row.name);
  checkMarks(row, 'collectionName', phrase('import.word.collection'), row.collectionName);
  checkText(row, 'description', phrase('import.word.description'), row.description, LIMITS.description);
  for (const [field, { rule, word }] of itemFieldRows) {
    const value = row[field];
    if (typeof value === 'number' && !rule.safeParse(value).success)
      row.findings.push({ code: 'number-invalid', values: { text: String(value) }, field });
    if (word !== undefined && rule instanceof z.ZodString)
      checkText(row, field, phrase(word), String(value ?? ''), rule.maxLength ?? 0);
  }
  for (const { field, text } of row.wrongNumbers)
    row.findings.push({ code: 'number-invalid', values: { text }, field });
  for (const { name, value } of row.traits) {
    const field = `trait:${name}`;
    if (!traitSchema.shape.name.safeParse(name).success || name === '__proto__') {
      if (name.length <= LIMITS.traitName)
        row.findings.push({ code: 'trait-name-invalid', values: { trait: name }, field });
    }
    checkText(row, field, phrase('import.word.trait-name', { name: name.slice(0, 40) }), name, LIMITS.traitName);
    checkText(row, field, phrase('import.word.trait', { name: name.slice(0, 40) }), value, LIMITS.traitValue);
  }
  if (row.traits.length > LIMITS.traits) {
    row.findings.push({ code: 'too-many-traits', values: { count: row.traits.length, limit: LIMITS.traits } });
  }
  for (const { name, value } of row.keys) {
    const taken = row.traits.some((trait) => trait.name === name);
    if (taken || !mapKeySchema.shape.name.safeParse(name).success)
      row.findings.push({ code: 'key-invalid', values: { key: name } });
    checkText(row, '', phrase('import.word.key', { name: name.slice(0, 40) }), value, LIMITS.keyValue);
  }
  if (row.keys.length > LIMITS.keys) {
    row.findings.push({ code: 'too-many-keys', values: { count: row.keys.length, limit: LIMITS.keys } });
  }
  if (row.collectionId !== null && row.collectionId !== input.project.collectionId) {
    row.findings.push({ code: 'collection-unknown', values: { text: row.collectionId }, field: 'collectionId' });
  }
}

function checkFile(row: Row, input: RowInput): void {
  const { file, wantedFile } = row;
  if (file === undefined) {
    const name = lastPart(wantedFile);
    row.findings.push(
      name === ''
        ? { code: 'no-file', field: 'file' }
        : { code: 'missing-file', values: { file: name }, field: 'file' },
    );
    return;
  }
  const isPicture = row.contentType !== null && isCheckedPicture(row.contentType);
  for (const finding of file.findings) {
    // The file may look like a picture though the table says that it is text.
    if (finding.code !== 'picture-unreadable' || isPicture) row.findings.push({ field: 'file', ...finding });
  }
  if (input.changed.has(file.id)) {
    row.findings.push({ code: 'file-changed', values: { file: baseName(file.path) }, field: 'file' });
  }
  if (row.contentType === null) {
    if (file.sha256 !== null) {
      row.findings.push({ code: 'type-unknown', values: { file: baseName(file.path) }, field: 'contentType' });
    }
  } else if (normaliseContentType(row.contentType) === undefined) {
    row.findings.push({ code: 'type-invalid', values: { text: row.contentType }, field: 'contentType' });
  } else if (NOT_VIEWABLE.has(row.contentType.split(';')[0] as string)) {
    row.findings.push({ code: 'type-not-viewable', values: { type: row.contentType }, field: 'file' });
  }
}

function checkText(row: Row, field: string, what: Word, text: string, limit: number): void {
  if (text.length > limit)
    row.findings.push({ code: 'too-long', values: { what, length: text.length, limit }, field: field || null });
  if (!text.isWellFormed() || text.includes('\0'))
    row.findings.push({ code: 'text-invalid', values: { what }, field: field || null });
}

function checkMarks(row: Row, field: string, what: Word, text: string): void {
  const marks = hiddenMarks(text);
  if (marks.length > 0)
    row.findings.push({ code: 'hidden-marks', values: { what, marks: marks.slice(0, MAX_MARKS).join(', ') }, field });
}

/** Checks rows against each other: each later one of two that are equal has the problem. */
export function checkTogether(rows: readonly Row[], input: RowInput): void {
  const item = phrase('import.word.item');
  const contents = new Map<string, Word>([...input.project.hashes].map((hash) => [hash, item]));
  const numbers = new Map<number, Word>([...input.project.numbers].map((number) => [number, item]));
  const collection = mostFrequent(rows.map(({ collectionName }) => collectionName).filter((name) => name !== ''));
  for (const [position, row] of rows.entries()) {
    if (row.itemId !== null) continue;
    const label = labelOf(row, position);
    const hash = row.file?.sha256 ?? undefined;
    if (hash !== undefined && !input.options.allowDuplicates) {
      const other = contents.get(hash);
      if (other !== undefined) row.findings.push({ code: 'duplicate-content', values: { other }, field: 'file' });
      else contents.set(hash, label);
    }
    if (row.number !== null && input.options.projectType === 'collection') {
      const other = numbers.get(row.number);
      const values = { number: row.number, other: other ?? '' };
      if (other !== undefined) row.findings.push({ code: 'duplicate-number', values, field: 'number' });
      else numbers.set(row.number, label);
    }
    if (row.collectionName !== '' && row.collectionName !== collection) {
      const values = { text: row.collectionName, name: collection ?? '' };
      row.findings.push({ code: 'not-in-collection', values, field: 'collectionName' });
    }
  }
}

/** How a message names another row. */
function labelOf(row: Row, position: number): Word {
  const { line, source } = row.record;
  const { name } = row;
  const at = { row: line ?? position + 1 };
  const file = baseName(source);
  if (source === '')
    return name === '' ? phrase('import.word.row', at) : phrase('import.word.named-row', { ...at, name });
  if (line === null) return name === '' ? file : phrase('import.word.named-file', { name, file });
  return name === ''
    ? phrase('import.word.row-of', { ...at, file })
    : phrase('import.word.named-row-of', { ...at, name, file });
}

function mostFrequent(texts: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0];
}

/** A row's problems in words, the errors first where there are too many to tell. */
export function problemsOf(row: Row): ImportProblem[] {
  const { findings } = row;
  const errors = findings.length > MAX_TOLD ? findings.filter((one) => severityOf(row, one) === 'error') : [];
  const told = [...errors, ...findings.filter((one) => !errors.includes(one))].slice(0, MAX_TOLD);
  return told.map((finding) => ({ ...toProblem(finding, row), severity: severityOf(row, finding) }));
}

/** What a person accepted is a warning. */
function severityOf(row: Row, { code }: Finding): 'error' | 'warning' {
  const accepted = row.accepted.has(code) && acceptableProblems.includes(code);
  return accepted ? 'warning' : importProblemTexts[code].severity;
}

export function toProblem(finding: Finding, row?: Row): ImportProblem {
  const file =
    finding.file ?? (row === undefined ? null : (row.file?.path ?? (lastPart(row.wantedFile) || row.record.source)));
  return importProblem(finding.code, finding.values, { row: row?.id ?? null, file, field: finding.field ?? null });
}

export type RowState = 'ready' | 'warning' | 'error' | 'excluded' | 'imported';

export function stateOf(row: Row): RowState {
  if (row.itemId !== null) return 'imported';
  if (row.excluded) return 'excluded';
  // The state of every row is computed often, so no problem is put into words for it.
  if (row.findings.some((finding) => severityOf(row, finding) === 'error')) return 'error';
  return row.findings.length > 0 ? 'warning' : 'ready';
}
