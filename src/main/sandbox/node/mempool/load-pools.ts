import { formatOutpoint, parseTx, plainBytes, satoshis } from '../../../../chain/index.ts';
import { pause } from '../../../pause.ts';
import { mempoolRows } from '../storage/chain-store.ts';
import type { NodeDb } from '../storage/tables.ts';
import { Mempool } from './mempool.ts';
import { MempoolEntry } from './mempool-entry.ts';
import { NonFinalPool } from './nonfinal-pool.ts';

export async function loadMempool(db: NodeDb): Promise<Mempool> {
  const mempool = new Mempool();
  for (const row of await mempoolRows(db)) {
    await pause();
    const raw = plainBytes(row.raw);
    const outpoints = parseTx(raw, true).inputs.map(formatOutpoint);
    const ancestors = mempool.ancestorsOf(outpoints);
    mempool.add(new MempoolEntry({ ...row, raw, outpoints, fee: satoshis(row.fee), ancestors }));
  }
  return mempool;
}

export async function loadNonFinal(db: NodeDb): Promise<NonFinalPool> {
  const pool = new NonFinalPool();
  for (const row of await db.selectFrom('node_nonfinal').selectAll().orderBy('time').execute()) {
    const raw = plainBytes(row.raw);
    pool.add({ ...row, raw, tx: parseTx(raw), fee: satoshis(row.fee) });
  }
  return pool;
}
