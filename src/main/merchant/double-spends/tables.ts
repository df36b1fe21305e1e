import { sql } from 'kysely';
import type { NamedMigration } from '../../store/store.ts';

export interface DoubleSpendTables {
  /** Transactions that spend a coin of a tracked one. */
  transaction_rivals: {
    /** Of the tracked transaction, display-order hex. */
    txid: string;
    rival_txid: string;
    /** Null while only its txid is known. */
    raw_tx: Uint8Array | null;
    at: number;
    /** Name of the miner that told of it, or `chain`. */
    source: string;
  };
}

export const doubleSpendMigrations: readonly NamedMigration[] = [
  {
    name: 'double-spends-0001-rivals',
    async up(db) {
      await sql`create table transaction_rivals (txid text not null, rival_txid text not null, raw_tx blob, at bigint not null,
        source text not null, constraint transaction_rivals_pair primary key (txid, rival_txid))`.execute(db);
    },
  },
];
