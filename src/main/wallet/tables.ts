import type { Network } from '../../contract/index.ts';
import type { NamedMigration } from '../store/store.ts';

/** Numbers that PostgreSQL returns as text; read them with `Number()`. */
type BigInteger = number;

/** Tables of the wallet. Every row belongs to one network, so one database serves all of them. */
export interface WalletTables {
  wallet_coins: {
    network: Network;
    txid: string;
    vout: number;
    satoshis: BigInteger;
    /** Locking script, hex. */
    script: string;
    kind: 'funding' | 'token' | 'other';
    key_index: number;
    /** 0 or 1: SQLite has no boolean. */
    coinbase: number;
    /** Height of the block that holds the transaction; null while none does. */
    height: number | null;
    spent_by: string | null;
    spent_height: number | null;
  };
  /** The newest scanned blocks, to notice when the chain behind the node changed. */
  wallet_blocks: { network: Network; height: number; hash: string };
  wallet_reservations: { network: Network; txid: string; vout: number; owner: string };
  /** Transactions of the wallet that no block holds yet. */
  wallet_pending: {
    network: Network;
    txid: string;
    since: BigInteger;
    missing_since: BigInteger | null;
    /** 1 where its id can still be changed by others. */
    malleable: number;
  };
  wallet_state: {
    network: Network;
    /** Public key hash (hex) of the key the rows belong to. */
    owner: string;
    key_index: number;
    /** Public key hashes (hex) that the scanned blocks were searched for, space between them. */
    keys: string;
    /** Height the scan begins at; null until the node was asked for it. */
    birth_height: number | null;
  };
}

export const walletMigrations: readonly NamedMigration[] = [
  {
    name: 'wallet-0001-coins',
    async up(db) {
      await db.schema
        .createTable('wallet_coins')
        .addColumn('network', 'text', (column) => column.notNull())
        .addColumn('txid', 'text', (column) => column.notNull())
        .addColumn('vout', 'bigint', (column) => column.notNull())
        .addColumn('satoshis', 'bigint', (column) => column.notNull())
        .addColumn('script', 'text', (column) => column.notNull())
        .addColumn('kind', 'text', (column) => column.notNull())
        .addColumn('key_index', 'bigint', (column) => column.notNull())
        .addColumn('coinbase', 'integer', (column) => column.notNull())
        .addColumn('height', 'bigint')
        .addColumn('spent_by', 'text')
        .addColumn('spent_height', 'bigint')
        .addPrimaryKeyConstraint('wallet_coins_pk', ['network', 'txid', 'vout'])
        .execute();
      await db.schema
        .createTable('wallet_blocks')
        .addColumn('network', 'text', (column) => column.notNull())
        .addColumn('height', 'bigint', (column) => column.notNull())
        .addColumn('hash', 'text', (column) => column.notNull())
        .addPrimaryKeyConstraint('wallet_blocks_pk', ['network', 'height'])
        .execute();
      await db.schema
        .createTable('wallet_reservations')
        .addColumn('network', 'text', (column) => column.notNull())
        .addColumn('txid', 'text', (column) => column.notNull())
        .addColumn('vout', 'bigint', (column) => column.notNull())
        .addColumn('owner', 'text', (column) => column.notNull())
        .addPrimaryKeyConstraint('wallet_reservations_pk', ['network', 'txid', 'vout'])
        .execute();
      await db.schema
        .createTable('wallet_pending')
        .addColumn('network', 'text', (column) => column.notNull())
        .addColumn('txid', 'text', (column) => column.notNull())
        .addColumn('since', 'bigint', (column) => column.notNull())
        .addColumn('missing_since', 'bigint')
        .addPrimaryKeyConstraint('wallet_pending_pk', ['network', 'txid'])
        .execute();
      await db.schema
        .createTable('wallet_state')
        .addColumn('network', 'text', (column) => column.primaryKey())
        .addColumn('owner', 'text', (column) => column.notNull())
        .addColumn('key_index', 'bigint', (column) => column.notNull())
        .addColumn('birth_height', 'bigint')
        .execute();
    },
  },
  {
    // whoever scanned before this did so for the first key alone, and scans again
    name: 'wallet-0002-searched-keys',
    async up(db) {
      await db.schema
        .alterTable('wallet_state')
        .addColumn('keys', 'text', (column) => column.notNull().defaultTo(''))
        .execute();
    },
  },
  {
    // tokens whose envelope stands before the lock were not seen, so the chain is scanned again
    name: 'wallet-0003-envelope-first',
    async up(db) {
      await db.updateTable('wallet_state').set({ keys: '' }).execute();
    },
  },
  {
    name: 'wallet-0004-malleable',
    async up(db) {
      await db.schema
        .alterTable('wallet_pending')
        .addColumn('malleable', 'integer', (column) => column.notNull().defaultTo(0))
        .execute();
    },
  },
];
