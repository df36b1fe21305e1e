import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { keyIdOf } from '../../src/main/writer/storage/document.ts';
import { openWriterStore } from '../../src/main/writer/storage/store.ts';

/** Documents that share a transaction. */
const A_TRANSACTION = 50;
export const TAGS = 20;
const STEP = 500_000;
/** They came in over so many days. */
const DAYS = 30;

export interface Stored {
  /** Name of the nth document. */
  idOf(n: number): string;
  /** Txid of the nth document's transaction. */
  txidOf(n: number): string;
}

/**
 * Fills a writer's database with documents as years of use would, without their bodies: twenty tags, one document in a hundred of another
 * key, one in a thousand dead, the newest hundredth still waiting. The indexes are built afterwards, as that is faster. A file that was
 * filled before stays as it is.
 */
export async function storeDocuments(file: string, apiKey: string, count: number): Promise<Stored> {
  const noted = `${file}.${count}`;
  if (!existsSync(noted)) writeFileSync(noted, String(await fill(file, apiKey, count)));
  const born = Number(readFileSync(noted, 'utf8'));
  const every = (DAYS * 86_400_000) / count;
  return {
    idOf: (n) =>
      `${Math.floor(born + n * every)
        .toString(16)
        .padStart(12, '0')}${n.toString(16).padStart(20, '0')}`,
    txidOf: (n) =>
      Math.floor(n / A_TRANSACTION)
        .toString(16)
        .padStart(64, '0'),
  };
}

/** @returns when the first document came in (ms) */
async function fill(file: string, apiKey: string, count: number): Promise<number> {
  await (await openWriterStore(file, '')).close();
  const sqlite = new Database(file);
  sqlite.pragma('journal_mode = delete');
  sqlite.pragma('journal_mode = off');
  sqlite.pragma('synchronous = off');
  sqlite.pragma('cache_size = -200000');
  const kept = sqlite
    .prepare(
      `select type, name, sql from sqlite_master where sql is not null and type in ('index', 'trigger')
        and tbl_name in ('writer_documents', 'writer_transactions')`,
    )
    .all() as { type: string; name: string; sql: string }[];
  for (const { type, name } of kept) sqlite.exec(`drop ${type} ${name}`);
  const born = Date.now() - DAYS * 86_400_000;
  const every = (DAYS * 86_400_000) / count;
  const key = keyIdOf('sandbox', apiKey);
  // All times follow from the number, so that names need not be read back.
  const at = `cast(${born} + n * ${every} as integer)`;
  const id = `printf('%012x%020x', ${at}, n)`;
  const transaction = `printf('%032x', n / ${A_TRANSACTION})`;
  const state = `case when n > ${count - count / 100} then 'accepted' when n % 1000 = 0 then 'dead' else 'proven' end`;
  for (let from = 0; from < count; from += STEP) {
    const numbers = `with recursive numbers(n) as (select ${from} union all select n + 1 from numbers where n < ${Math.min(count, from + STEP) - 1})`;
    sqlite.exec(`${numbers} insert into writer_documents (id, network, key_id, digest, tag, content_type, body_bytes, fees_required, state,
        transaction_id, vout, attempts, next_attempt_at, last_error, dead_code, created_at, updated_at)
      select ${id}, 'sandbox', case when n % 100 = 7 then 'ffffffffffffffff' else '${key}' end, printf('%064x', n),
        hex('tag' || (n % ${TAGS})), 'application/json', 512, 0, ${state},
        case when ${state} = 'proven' then ${transaction} end, case when ${state} = 'proven' then n % ${A_TRANSACTION} end, 0, ${at},
        case when ${state} = 'dead' then 'refused' end, case when ${state} = 'dead' then 600 end, ${at}, ${at} from numbers`);
    sqlite.exec(`${numbers} insert into writer_transactions (id, network, kind, source, state, raw_tx, txid, fee, documents, attempts,
        next_attempt_at, funded_at, created_at, updated_at, block_hash, block_height)
      select ${transaction}, 'sandbox', 'documents', 'wallet', 'proven', zeroblob(300), printf('%064x', n / ${A_TRANSACTION}), 1000,
        ${A_TRANSACTION}, 0, 0, ${at}, ${at}, ${at}, printf('%064x', n / 100000), n / 100000 from numbers where n % ${A_TRANSACTION} = 0`);
  }
  sqlite.exec(`insert into writer_usage select network, key_id, created_at / 3600000 * 3600000, tag, count(*), sum(body_bytes)
    from writer_documents group by 1, 2, 3, 4`);
  sqlite.exec(`insert or replace into writer_counts
    select network, state, count(*), sum(body_bytes) from writer_documents group by network, state`);
  for (const { sql } of kept) sqlite.exec(sql);
  sqlite.pragma('journal_mode = wal');
  sqlite.close();
  return born;
}
