import { z } from 'zod';
import type { PlainKey } from '../phrases/phrase.ts';

interface ItemFieldRow {
  /** Schema of a valid value. */
  readonly rule: z.ZodNumber | z.ZodString;
  /** Schema of the values that its cell of an import may have until it is corrected. */
  readonly cell: z.ZodNullable<z.ZodNumber | z.ZodString>;
  /** Its name in problems of an import. */
  readonly word?: PlainKey;
}

/**
 * Fields of an item of a collection other than its name, number and traits, written to `subTypeData` under these names (1Sat). Column names for
 * them are in `src/main/studio/import/rows/header-words.ts`, and their texts are `import.cell` and `tokenSheet` of the page.
 */
export const itemFields = {
  /** 1 is the rarest. */
  rank: { rule: z.number().int().min(1), cell: z.number().int().nullable() },
  rarityLabel: {
    rule: z.string().trim().min(1).max(64),
    cell: z.string().nullable(),
    word: 'import.word.rarity-label',
  },
} as const satisfies Record<string, ItemFieldRow>;

export type ItemField = keyof typeof itemFields;
export const itemFieldRows = Object.entries(itemFields) as [ItemField, ItemFieldRow][];
export const itemFieldNames = Object.keys(itemFields) as ItemField[];

export function isNumberField(field: ItemField): boolean {
  return itemFields[field].rule instanceof z.ZodNumber;
}

type Column<Name extends 'rule' | 'cell'> = { [Field in ItemField]: (typeof itemFields)[Field][Name] };
const column = <Name extends 'rule' | 'cell'>(name: Name) =>
  Object.fromEntries(itemFieldRows.map(([field, row]) => [field, row[name]])) as Column<Name>;

export const itemFieldsSchema = z.object(column('rule')).partial();
export type ItemFields = z.infer<typeof itemFieldsSchema>;

export const itemCellsSchema = z.object(column('cell'));
export type ItemCells = z.infer<typeof itemCellsSchema>;

/** Those fields of a record that have a value. */
export function itemFieldsOf(record: { readonly [Field in ItemField]?: ItemFields[Field] | null }): ItemFields {
  return Object.fromEntries(
    itemFieldNames.flatMap((field) =>
      record[field] === undefined || record[field] === null ? [] : [[field, record[field]]],
    ),
  );
}
