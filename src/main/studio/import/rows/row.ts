import type { ImportField, ImportOptions, ItemCells, ItemField, ItemMetadata } from '../../../../contract/index.ts';
import type { Finding, ImportFile, RawTrait, SourceRecord } from '../model.ts';
import type { FieldChoice } from './mapping.ts';

/** Cells a person changed, by field. */
export type Edits = ReadonlyMap<string, string>;

export interface RowInput {
  readonly records: readonly SourceRecord[];
  readonly files: readonly ImportFile[];
  readonly fields: readonly ImportField[];
  readonly options: ImportOptions;
  readonly edits: ReadonlyMap<number, Edits>;
  /** Ids of rows that were imported, with their items. */
  readonly imported: ReadonlyMap<number, string>;
  /** Files whose original changed after they were read. */
  readonly changed: ReadonlySet<number>;
  /** What the project appended to has already. */
  readonly project: ProjectFacts;
}

export interface ProjectFacts {
  /** Outpoint of its collection token, where that is known. */
  readonly collectionId: string | undefined;
  /** Its items without the collection token. */
  readonly items: readonly { readonly id: string; readonly metadata: ItemMetadata }[];
  readonly numbers: ReadonlySet<number>;
  readonly hashes: ReadonlySet<string>;
  /** What the fields of earlier imports into it became, by field. */
  readonly fields: ReadonlyMap<string, FieldChoice>;
}

/** A row as it would be imported, with all that is wrong with it. */
export interface Row extends ItemCells {
  readonly id: number;
  readonly record: SourceRecord;
  readonly edited: readonly string[];
  readonly accepted: ReadonlySet<string>;
  readonly excluded: boolean;
  itemId: string | null;
  name: string;
  readonly description: string;
  readonly number: number | null;
  /** Texts of number cells that are no numbers. */
  readonly wrongNumbers: readonly { readonly field: 'number' | ItemField; readonly text: string }[];
  /** Whether rank and label follow from the traits of all. */
  rankComputed: boolean;
  readonly collectionId: string | null;
  readonly collectionName: string;
  readonly contentType: string | null;
  readonly wantedFile: string;
  readonly file: ImportFile | undefined;
  readonly traits: readonly RawTrait[];
  /** Further keys of the MAP part. */
  readonly keys: readonly RawTrait[];
  readonly findings: Finding[];
}
