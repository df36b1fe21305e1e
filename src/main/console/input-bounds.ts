import { MAX_BACKUP_TEXT, MAX_SETTINGS_FILE, UPLOAD_PIECE_BYTES } from '../../contract/index.ts';
import { type JsonFault, JsonScan } from '../json-scan.ts';

/** A call with what a person typed. */
export const MAX_JSON_BYTES = 4 * 1_048_576;
/** A backup file's text with its few quotes escaped, and the passphrase. */
export const MAX_BACKUP_BYTES = MAX_BACKUP_TEXT + 65_536;
/** A settings file's text with its quotes and line ends escaped. */
const MAX_SETTINGS_BYTES = 4 * MAX_SETTINGS_FILE;
/** Procedures that take a file as text. */
export const FILE_PATHS: Readonly<Record<string, number>> = {
  '/api/wallet/backup/check': MAX_BACKUP_BYTES,
  '/api/wallet/backup/restore': MAX_BACKUP_BYTES,
  '/api/wallet/restoreBackup': MAX_BACKUP_BYTES,
  '/api/networks/checkBackup': MAX_BACKUP_BYTES,
  '/api/settings/previewImport': MAX_SETTINGS_BYTES,
  '/api/settings/import': MAX_SETTINGS_BYTES,
  '/api/tokens/sendMany/read': MAX_JSON_BYTES,
};
/** One piece of an upload with its multipart form. */
export const MAX_FORM_BYTES = UPLOAD_PIECE_BYTES + 16_384;
/** A token to sign in with. */
export const MAX_LOGIN_BYTES = 4_096;
/** More than any procedure needs; checked before the JSON is parsed. */
const JSON_BOUNDS = { depth: 128, values: 200_000, escapes: 500_000 };

/** The bound that JSON exceeds. A syntax error is left to the parser. */
export function passedBound(json: Uint8Array): Exclude<JsonFault, 'syntax'> | undefined {
  const scan = new JsonScan(JSON_BOUNDS);
  const fault = scan.push(json) ?? scan.end();
  return fault === 'syntax' ? undefined : fault;
}
