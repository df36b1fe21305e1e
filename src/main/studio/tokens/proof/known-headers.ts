import { existsSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Network } from '../../../../contract/index.ts';

/**
 * Which of these blocks this installation knows as part of the chain: those whose headers it stored while it followed the chain, and those
 * that hold its own proven mints. Reads the file alone, so neither the application nor a network is needed.
 * @param hashes display hex
 */
export function knownHeaders(dataDir: string, network: Network, hashes: readonly string[]): Set<string> {
  const file = join(dataDir, network, 'planchet.db');
  return new Set([
    ...found(file, 'select 1 from studio_headers where hash = ?', hashes),
    ...found(file, "select 1 from studio_jobs where block_hash = ? and state = 'proven'", hashes),
  ]);
}

/** A file that is missing, locked or of another version knows no header. */
function found(file: string, sql: string, hashes: readonly string[]): string[] {
  if (!existsSync(file)) return [];
  let db: Database.Database | undefined;
  try {
    db = new Database(file, { readonly: true, fileMustExist: true });
    const query = db.prepare(sql);
    return hashes.filter((hash) => query.get(hash) !== undefined);
  } catch {
    return [];
  } finally {
    db?.close();
  }
}
