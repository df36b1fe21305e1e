import type { Steps } from '../../../../chain/index.ts';
import type { ImportField, ImportTarget } from '../../../../contract/index.ts';
import type { ImportFile, SourceRecord } from '../model.ts';
import { damageOf } from '../readers/tables/csv.ts';
import { FileNames } from './file-column.ts';
import { isLeftOut, isRoyaltyHeader, meaningOf } from './header-words.ts';

/** Most characters of a column's name that are examined. */
const MAX_FIELD = 1_024;

/** Rows looked at in one step. */
const AT_ONCE = 200;

/** Whether one column alone can have this meaning. */
export function isForOne(target: ImportTarget): boolean {
  return target !== 'trait' && target !== 'key' && target !== 'ignore';
}

/** A field a person decided about. */
export interface FieldChoice {
  readonly target: ImportTarget;
  readonly trait: string;
}

/** What a proposal takes into account besides the table itself. */
export interface MappingFacts {
  readonly files: readonly ImportFile[];
  /** What a person decided about this import, by field. */
  readonly chosen: ReadonlyMap<string, FieldChoice>;
  /** What the fields of earlier imports into the project were, by field. */
  readonly remembered: ReadonlyMap<string, FieldChoice>;
}

/**
 * Proposes what each field of a table becomes: what a person decided, else what it was in earlier imports into the project, else what its name and its
 * values say. The column that names the files is recognised by its values, whatever its name. Columns of a CSV that have no usual name are traits;
 * unknown keys of JSON are left out.
 */
export function* proposalSteps(
  records: readonly SourceRecord[],
  format: string,
  facts: MappingFacts,
): Steps<ImportField[]> {
  const columns = new Map<string, string[]>();
  for (const [index, { fields }] of records.entries()) {
    if (index % AT_ONCE === 0) yield '';
    for (const [field, value] of fields) {
      const values = columns.get(field);
      if (values === undefined) columns.set(field, value === '' ? [] : [value]);
      else if (value !== '') values.push(value);
    }
  }
  yield '';
  const fileField = fileColumn(columns, new FileNames(facts.files));
  yield '';
  const proposals = [...columns].map(([field, values], column): Proposal => {
    const decided = facts.chosen.get(field);
    if (decided !== undefined) return { place: place(field), column, field, ...decided, certainty: 2 };
    const remembered = facts.remembered.get(field);
    if (remembered !== undefined) return { place: place(field), column, field, ...remembered, certainty: 1 };
    if (field === fileField) return { place: place(field), column, field, target: 'file', trait: field, certainty: 0 };
    const proposed = proposal(field, values, format);
    const target = proposed.target === 'file' ? 'ignore' : proposed.target;
    return { place: place(field), column, field, ...proposed, target, certainty: 0 };
  });
  return proposals.map((one) => {
    const { field } = one;
    const values = columns.get(field) ?? [];
    // Of several columns of one meaning a person's choice counts, else the first by name.
    const yields = isForOne(one.target) && one.certainty < 2 && proposals.some((other) => comesBefore(other, one));
    return {
      field,
      target: yields ? 'ignore' : one.target,
      trait: one.trait || field,
      example: (values[0] ?? '').slice(0, 200).toWellFormed(),
      count: values.length,
      damaged: format === 'csv' ? damageOf(values) : null,
    };
  });
}

interface Proposal extends FieldChoice {
  /** The place of its name in the list of names of its meaning. */
  readonly place: number;
  readonly column: number;
  readonly field: string;
  /** 2 where a person decided, 1 where it is remembered, else 0. */
  readonly certainty: number;
}

function comesBefore(other: Proposal, one: Proposal): boolean {
  if (other === one || other.target !== one.target) return false;
  if (other.certainty !== one.certainty) return other.certainty > one.certainty;
  return other.place === one.place ? other.column < one.column : other.place < one.place;
}

function place(field: string): number {
  return meaningOf(field)?.place ?? Number.MAX_SAFE_INTEGER;
}

/** The column that names the files: the one with such a header, unless its values name no file and those of another column do. */
function fileColumn(columns: ReadonlyMap<string, readonly string[]>, names: FileNames): string | undefined {
  const called = [...columns.keys()]
    .filter((field) => meaningOf(field)?.target === 'file')
    .sort((a, b) => place(a) - place(b));
  const fitting = called.find((field) => names.areMostIn(columns.get(field) ?? []));
  if (fitting !== undefined) return fitting;
  let best: { field: string; count: number } | undefined;
  for (const [field, values] of columns) {
    const count = names.distinctIn(values, meaningOf(field) !== undefined);
    if (count > (best?.count ?? 0)) best = { field, count };
  }
  return best?.field ?? called[0];
}

function proposal(field: string, values: readonly string[], format: string): FieldChoice {
  const usual = meaningOf(field)?.target;
  // `attributes[Eyes]`, `trait:Eyes`
  const named = /^(?:attributes?|traits?|properties)\s*(?:\[\s*(.+?)\s*\]|[:.]\s*(.+))$/i.exec(
    field.slice(0, MAX_FIELD),
  );
  if (usual === 'rarityLabel' && values.length > 0 && values.every((value) => /^\d+$/.test(value))) {
    return { target: 'rank', trait: field };
  }
  if (usual !== undefined) return { target: usual, trait: field };
  if (named !== null && !/^properties\./i.test(field)) return { target: 'trait', trait: named[1] ?? named[2] ?? field };
  if (isRoyaltyHeader(field) && values.length > 0 && values.every((value) => value.trim().endsWith('%'))) {
    return { target: 'royaltyBasisPoints', trait: field };
  }
  return { target: format === 'csv' && !isLeftOut(field) ? 'trait' : 'ignore', trait: field };
}
