import { type Kysely, sql, type Transaction } from 'kysely';
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

const blockColumns = sql`
  hash text primary key, height integer not null, previous_hash text not null, header bytea not null,
  chainwork text not null, time bigint not null, median_time bigint not null, size integer not null,
  transactions integer not null, chain_transactions bigint not null`;

/** Migrations of the node's tables. Bytes are `bytea`, a PostgreSQL type that SQLite stores unchanged. */
export const nodeMigrations: NamedMigration[] = [
  {
    name: 'node-0001-chain',
    up: async (db) => {
      // raw is last, so that reading the other columns never touches the pages of a large block
      await sql`create table node_blocks (${blockColumns}, raw bytea not null)`.execute(db);
      await sql`create unique index node_blocks_height on node_blocks (height)`.execute(db);
      await sql`create table node_transactions (
        txid text primary key, block_hash text not null references node_blocks (hash), height integer not null,
        position integer not null, start integer not null, size integer not null
      )`.execute(db);
      await sql`create index node_transactions_block on node_transactions (block_hash, position)`.execute(db);
      await sql`create table node_utxos (
        outpoint text primary key, satoshis bigint not null, script_hash text not null, height integer not null,
        coinbase integer not null, script bytea not null
      )`.execute(db);
      await sql`create index node_utxos_script on node_utxos (script_hash)`.execute(db);
      await sql`create table node_mempool (
        sequence bigint primary key, txid text not null unique, fee bigint not null, time bigint not null,
        height integer not null, raw bytea not null
      )`.execute(db);
    },
  },
  {
    name: 'node-0002-branches',
    up: async (db) => {
      await sql`create table node_side_blocks (
        ${blockColumns}, arrival bigint not null, validity text not null, failed integer not null, raw bytea not null
      )`.execute(db);
      await sql`create table node_undo (
        hash text primary key, arrival bigint not null, undo bytea not null
      )`.execute(db);
      await sql`create index node_undo_arrival on node_undo (arrival)`.execute(db);
      await sql`create table node_nonfinal (
        txid text primary key, fee bigint not null, time bigint not null, raw bytea not null
      )`.execute(db);
      await sql`create table node_marks (name text primary key)`.execute(db);
    },
  },
  {
    name: 'node-0003-block-parts',
    up: async (db) => {
      await sql`create table node_block_parts (
        hash text not null, part integer not null, bytes bytea not null,
        constraint node_block_parts_key primary key (hash, part)
      )`.execute(db);
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
      await sql`create table node_spends (
        outpoint text primary key, spender text not null, input integer not null
      ) without rowid`.execute(db);
    },
  },
  {
    name: 'node-0005-frozen',
    up: async (db) => {
      await sql`create table node_frozen (outpoint text primary key, list text not null)`.execute(db);
    },
  },
];
