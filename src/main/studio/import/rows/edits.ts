import {
  acceptableProblems,
  type ImportEdit,
  type ImportProblemCode,
  itemFieldNames,
  PlanchetError,
} from '../../../../contract/index.ts';
import type { ImportSession } from '../session/session.ts';

const CELLS = new Set<string>([
  ...['name', 'description', 'number', 'collectionId', 'collectionName', 'contentType'],
  ...itemFieldNames,
]);

export interface StoredEdit {
  readonly row: number;
  readonly field: string;
  readonly value: string | null;
}

/**
 * Checks edits against the rows and converts them to the form in which they are stored.
 * @throws PlanchetError `import.edit-unknown`
 */
export function toStoredEdits(session: ImportSession, edits: readonly ImportEdit[]): StoredEdit[] {
  const files = new Set(session.body.files.map(({ id }) => String(id)));
  const rows = new Map(session.derived().rows.map((row) => [row.id, row]));
  return edits.flatMap((edit): StoredEdit[] => {
    const row = rows.get(edit.row);
    if (row === undefined || row.itemId !== null) throw unknown(edit);
    const { field, value } = edit;
    if (field === 'accept') return accepted(edit);
    if (field === 'file' && value !== null && !files.has(value)) throw unknown(edit);
    const known = CELLS.has(field) || field === 'file' || field === 'excluded' || /^trait:\s*\S/.test(field);
    if (!known) throw unknown(edit);
    if (field === 'excluded' && value === 'false') return [{ row: edit.row, field, value: null }];
    return [{ row: edit.row, field, value }];
  });
}

function accepted(edit: ImportEdit): StoredEdit[] {
  if (edit.value === null) {
    return acceptableProblems.map((code) => ({ row: edit.row, field: `accept:${code}`, value: null }));
  }
  if (!acceptableProblems.includes(edit.value as ImportProblemCode)) throw unknown(edit);
  return [{ row: edit.row, field: `accept:${edit.value}`, value: 'true' }];
}

function unknown({ row, field }: ImportEdit): PlanchetError {
  return new PlanchetError('import.edit-unknown', { row, field });
}
