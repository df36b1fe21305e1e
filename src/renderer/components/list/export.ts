import { type ListColumn, plainValue } from './rows.ts';

export type ExportFormat = 'csv' | 'json';

/** A cell in the format of RFC 4180. Text that a spreadsheet would run as a formula is escaped. */
function csvCell(value: string | number | boolean | null): string {
  if (value === null) return '';
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The rows as a file: comma-separated values with a heading, or a JSON array of objects. */
export function exportText<T>(rows: readonly T[], visible: readonly ListColumn<T>[], format: ExportFormat): string {
  const columns = visible.filter(({ action }) => action !== true);
  if (format === 'json') {
    const records = rows.map((row) =>
      Object.fromEntries(columns.map((column) => [column.key, plainValue(column, row)])),
    );
    return `${JSON.stringify(records, null, 2)}\n`;
  }
  const lines = rows.map((row) => columns.map((column) => csvCell(plainValue(column, row))).join(','));
  return [columns.map(({ key }) => csvCell(key)).join(','), ...lines, ''].join('\r\n');
}
