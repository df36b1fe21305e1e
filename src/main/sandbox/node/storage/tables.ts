import { type CreateTableBuilder, type Kysely, sql, type Transaction } from 'kysely';
import type { NamedMigration } from '../../../store/store.ts';

/** Blocks of the main chain. The newest row is the tip; it is not stored elsewhere, so it cannot disagree with the blocks. */
export interface BlocksTable {
  hash: string;
  height: number;
  previous_hash: string;
  /** 80 bytes. */
  header: Uint8Array;
  /** Total work up to this block: 64 hex digits, so text order equals numeric order. */
  chainwork: string;
  /** Header time and median time past, in seconds. */
  time: number;
  median_time: number;
  size: number;
  transactions: number;
  /** Number of transactions up to and including this block. */
  chain_transactions: number;
}

/** The serialised bytes of each block, split into parts of {@link BLOCK_PART_BYTES}, so that parts can be read separately. */
interface BlockPartsTable {
  hash: string;
  /** 0 is the first. */
  part: number;
  bytes: Uint8Array;
}

/** Size of every part of a block except the last. */
export const BLOCK_PART_BYTES = 262_144;

/** Position of each mined transaction in its block's bytes. */
export interface TransactionsTable {
  txid: string;
  block_hash: string;
  height: number;
  /** 0 is the coinbase. */
  position: number;
  /** Byte offset in the block. */
  start: number;
  size: number;
}

/** Unspent, spendable outputs of the main chain. */
export interface UtxosTable {
  /** `<txid>_<vout>` */
  outpoint: string;
  satoshis: number;
  script: Uint8Array;
  /** SHA-256 of the script in hex: a script may be megabytes, too long for a key. */
  script_hash: string;
  height: number;
  /** 1 or 0. */
  coinbase: number;
}

/**
 * Which input of which mined transaction last spent an output. A reorganisation leaves rows behind; they count only while their
 * transaction is on the main chain. Blocks from before this table have none.
 */
export interface SpendsTable {
  /** `<txid>_<vout>` */
  outpoint: string;
  spender: string;
  input: number;
}

/** Outputs that must not be spent. */
interface FrozenTable {
  /** `<txid>_<vout>` */
  outpoint: string;
  list: 'policy' | 'consensus';
}

/** Accepted unconfirmed transactions in arrival order: parents before children. */
export interface MempoolTable {
  sequence: number;
  txid: string;
  raw: Uint8Array;
  fee: number;
  /** Milliseconds since 1970-01-01 UTC. */
  time: number;
  /** Height of the tip at arrival. */
  height: number;
}

/** Side blocks. A block is either here or in `node_blocks`, never in both. */
export interface SideBlocksTable extends BlocksTable {
  /** Arrival number: of two chains with equal work the one that arrived first wins. */
  arrival: number;
  /** `scripts` if it was on the main chain before, `transactions` if its scripts were never run. */
  validity: 'transactions' | 'scripts';
  /** 1 if it is invalid or was invalidated; its descendants are invalid too but not marked. */
  failed: number;
}

/** Undo data of each main chain block except the genesis block. */
interface UndoTable {
  hash: string;
  arrival: number;
  /** Encoded by `undo.ts`. */
  undo: Uint8Array;
}

/** Transactions waiting for their lock time. */
interface NonFinalTable {
  txid: string;
  raw: Uint8Array;
  fee: number;
  /** Milliseconds since 1970-01-01 UTC. */
  time: number;
}

/**
 * Unfinished work: a row exists as long as it is unfinished. One mark has a height: where the script rules changed when the chain was
 * last opened.
 */
export interface MarksTable {
  name: 'mempool-unchecked' | 'scripts-unchecked' | `chronicle-${number}`;
}

export interface NodeTables {
  node_blocks: BlocksTable;
  node_side_blocks: SideBlocksTable;
  node_block_parts: BlockPartsTable;
  node_undo: UndoTable;
  node_nonfinal: NonFinalTable;
  node_marks: MarksTable;
  node_transactions: TransactionsTable;
  node_utxos: UtxosTable;
  node_spends: SpendsTable;
  node_frozen: FrozenTable;
  node_mempool: MempoolTable;
}

export type NodeDb = Kysely<NodeTables> | Transaction<NodeTables>;

/** Migrations of the node's tables. Bytes are `bytea`, a PostgreSQL type that SQLite stores unchanged. */
export const nodeMigrations: NamedMigration[] = [
  {
    name: 'node-0001-chain',
    up: async (db) => {
      await withBlockColumns(db.schema.createTable('node_blocks'))
        // last, so that reading the other columns never touches the pages of a large block
        .addColumn('raw', 'bytea', (column) => column.notNull())
        .execute();
      await db.schema.createIndex('node_blocks_height').unique().on('node_blocks').column('height').execute();
      await db.schema
        .createTable('node_transactions')
        .addColumn('txid', 'text', (column) => column.primaryKey())
        .addColumn('block_hash', 'text', (column) => column.notNull().references('node_blocks.hash'))
        .addColumn('height', 'integer', (column) => column.notNull())
        .addColumn('position', 'integer', (column) => column.notNull())
        .addColumn('start', 'integer', (column) => column.notNull())
        .addColumn('size', 'integer', (column) => column.notNull())
        .execute();
      await db.schema
        .createIndex('node_transactions_block')
        .on('node_transactions')
        .columns(['block_hash', 'position'])
        .execute();
      await db.schema
        .createTable('node_utxos')
        .addColumn('outpoint', 'text', (column) => column.primaryKey())
        .addColumn('satoshis', 'bigint', (column) => column.notNull())
        .addColumn('script_hash', 'text', (column) => column.notNull())
        .addColumn('height', 'integer', (column) => column.notNull())
        .addColumn('coinbase', 'integer', (column) => column.notNull())
        .addColumn('script', 'bytea', (column) => column.notNull())
        .execute();
      await db.schema.createIndex('node_utxos_script').on('node_utxos').column('script_hash').execute();
      await db.schema
        .createTable('node_mempool')
        .addColumn('sequence', 'bigint', (column) => column.primaryKey())
        .addColumn('txid', 'text', (column) => column.notNull().unique())
        .addColumn('fee', 'bigint', (column) => column.notNull())
        .addColumn('time', 'bigint', (column) => column.notNull())
        .addColumn('height', 'integer', (column) => column.notNull())
        .addColumn('raw', 'bytea', (column) => column.notNull())
        .execute();
    },
  },
  {
    name: 'node-0002-branches',
    up: async (db) => {
      await withBlockColumns(db.schema.createTable('node_side_blocks'))
        .addColumn('arrival', 'bigint', (column) => column.notNull())
        .addColumn('validity', 'text', (column) => column.notNull())
        .addColumn('failed', 'integer', (column) => column.notNull())
        .addColumn('raw', 'bytea', (column) => column.notNull())
        .execute();
      await db.schema
        .createTable('node_undo')
        .addColumn('hash', 'text', (column) => column.primaryKey())
        .addColumn('arrival', 'bigint', (column) => column.notNull())
        .addColumn('undo', 'bytea', (column) => column.notNull())
        .execute();
      await db.schema.createIndex('node_undo_arrival').on('node_undo').column('arrival').execute();
      await db.schema
        .createTable('node_nonfinal')
        .addColumn('txid', 'text', (column) => column.primaryKey())
        .addColumn('fee', 'bigint', (column) => column.notNull())
        .addColumn('time', 'bigint', (column) => column.notNull())
        .addColumn('raw', 'bytea', (column) => column.notNull())
        .execute();
      await db.schema
        .createTable('node_marks')
        .addColumn('name', 'text', (column) => column.primaryKey())
        .execute();
    },
  },
  {
    name: 'node-0003-block-parts',
    up: async (db) => {
      await db.schema
        .createTable('node_block_parts')
        .addColumn('hash', 'text', (column) => column.notNull())
        .addColumn('part', 'integer', (column) => column.notNull())
        .addColumn('bytes', 'bytea', (column) => column.notNull())
        .addPrimaryKeyConstraint('node_block_parts_key', ['hash', 'part'])
        .execute();
      for (const blocks of ['node_blocks', 'node_side_blocks']) {
        await sql`
          insert into node_block_parts (hash, part, bytes)
          with recursive pieces (hash, part, size) as (
            select hash, 0, length(raw) from ${sql.table(blocks)}
            union all
            select hash, part + 1, size from pieces where (part + 1) * ${BLOCK_PART_BYTES} < size
          )
          select hash, part, substr(raw, part * ${BLOCK_PART_BYTES} + 1, ${BLOCK_PART_BYTES})
          from pieces join ${sql.table(blocks)} using (hash)`.execute(db);
        await db.schema.alterTable(blocks).dropColumn('raw').execute();
      }
    },
  },
  {
    name: 'node-0004-spends',
    up: async (db) => {
      await db.schema
        .createTable('node_spends')
        .addColumn('outpoint', 'text', (column) => column.primaryKey())
        .addColumn('spender', 'text', (column) => column.notNull())
        .addColumn('input', 'integer', (column) => column.notNull())
        .modifyEnd(sql`without rowid`)
        .execute();
    },
  },
  {
    name: 'node-0005-frozen',
    up: async (db) => {
      await db.schema
        .createTable('node_frozen')
        .addColumn('outpoint', 'text', (column) => column.primaryKey())
        .addColumn('list', 'text', (column) => column.notNull())
        .execute();
    },
  },
];

/** The columns of a block row without its bytes. */
function withBlockColumns<T extends string>(table: CreateTableBuilder<T>): CreateTableBuilder<T, keyof BlocksTable> {
  return table
    .addColumn('hash', 'text', (column) => column.primaryKey())
    .addColumn('height', 'integer', (column) => column.notNull())
    .addColumn('previous_hash', 'text', (column) => column.notNull())
    .addColumn('header', 'bytea', (column) => column.notNull())
    .addColumn('chainwork', 'text', (column) => column.notNull())
    .addColumn('time', 'bigint', (column) => column.notNull())
    .addColumn('median_time', 'bigint', (column) => column.notNull())
    .addColumn('size', 'integer', (column) => column.notNull())
    .addColumn('transactions', 'integer', (column) => column.notNull())
    .addColumn('chain_transactions', 'bigint', (column) => column.notNull());
}
