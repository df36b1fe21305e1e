import type { NamedMigration } from '../../store/store.ts';

/** A transaction that spends a coin of a tracked one. */
interface RivalRow {
  /** Of the tracked transaction, display-order hex. */
  txid: string;
  rival_txid: string;
  /** Null while only a word of it is known. */
  raw_tx: Uint8Array | null;
  at: number;
  /** Name of the miner that told of it, or `chain`. */
  source: string;
}

export interface DoubleSpendTables {
  transaction_rivals: RivalRow;
}

export const doubleSpendMigrations: readonly NamedMigration[] = [
  {
    name: 'double-spends-0001-rivals',
    async up(db) {
      await db.schema
        .createTable('transaction_rivals')
        .addColumn('txid', 'text', (column) => column.notNull())
        .addColumn('rival_txid', 'text', (column) => column.notNull())
        .addColumn('raw_tx', 'blob')
        .addColumn('at', 'bigint', (column) => column.notNull())
        .addColumn('source', 'text', (column) => column.notNull())
        .addPrimaryKeyConstraint('transaction_rivals_pair', ['txid', 'rival_txid'])
        .execute();
    },
  },
];
