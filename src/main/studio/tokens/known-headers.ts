import { existsSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Network } from '../../../contract/index.ts';

/**
 * Which of these blocks this installation has verified as part of the chain: those that hold its own proven mints, and the blocks of its
 * own sandbox. Reads the files alone, so neither the application nor a network is needed.
 * @param hashes display hex
 */
export function knownHeaders(dataDir: string, network: Network, hashes: readonly string[]): Set<string> {
  const sources: { file: string; sql: string }[] = [
    {
      file: join(dataDir, network, 'planchet.db'),
      sql: "select 1 from studio_jobs where block_hash = ? and state = 'proven'",
    },
    ...(network === 'sandbox'
      ? [{ file: join(dataDir, 'sandbox', 'node', 'sandbox.db'), sql: 'select 1 from node_blocks where hash = ?' }]
      : []),
  ];
  const known = new Set<string>();
  for (const { file, sql } of sources) {
    for (const hash of found(file, sql, hashes)) known.add(hash);
  }
  return known;
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
