import { describe, expect, it } from 'vitest';
import { itemFieldNames } from '../../../../contract/index.ts';
import { importFiles, png, sessionOf } from '../test-support/import-files.ts';
import { toStoredEdits } from './edits.ts';
import { problemsOf } from './validate.ts';

describe('the fields of an item of a collection', () => {
  it.each([
    ['rank', '0', 'number-invalid', 'rank'],
    ['rank', 'first', 'number-invalid', 'rank'],
    ['rank', '1', undefined, undefined],
    ['rarity label', 'x'.repeat(65), 'too-long', 'rarityLabel'],
    ['rarity label', 'x'.repeat(64), undefined, undefined],
  ])('of a column %s with %s: the problem is %s of the cell %s', async (column, value, code, field) => {
    const { rows } = await importFiles({ '1.png': png('1'), 'a.csv': `file,name,${column}\n1.png,One,${value}\n` });
    const problems = rows.flatMap((row) => problemsOf(row));
    expect(problems[0]?.code).toBe(code);
    expect(problems[0]?.field).toBe(field);
  });

  it('can each be corrected in their cells', async () => {
    const session = await sessionOf({ '1.png': png('1'), 'a.csv': 'file,name\n1.png,One\n' });
    const edits = itemFieldNames.map((field) => ({ row: 0, field, value: '3' }));
    expect(toStoredEdits(session, edits)).toEqual(edits);
  });
});
