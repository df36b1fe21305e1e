import { type Kysely, sql } from 'kysely';
import { type Network, networks, type WriterState, writerStates } from '../../../contract/index.ts';
import type { NamedMigration } from '../../store/store.ts';

/** The two databases the queue can stand in. They differ in the names of a few types and in how rows are locked. */
export type Dialect = 'sqlite' | 'postgres';

export type WriteState = WriterState;

export interface WriterTables {
  writer_documents: {
    /** 32 hex digits that rise with the time of acceptance: the first twelve are its milliseconds. */
    id: string;
    network: Network;
    /** Names the API key without telling it: the start of a SHA-256 over the network and the key. */
    key_id: string;
    idempotency_key: string | null;
    /** SHA-256 over mode, content type, tag and body as they were sent, hex. */
    digest: string;
    /** Bytes of X-Tag, hex; null without one. */
    tag: string | null;
    content_type: string;
    body_bytes: number;
    /** 0 or 1: whether X-FeesRequired asked the service to pay the fee. */
    fees_required: number;
    state: WriteState;
    transaction_id: string | null;
    /** The document's output in its transaction. */
    vout: number | null;
    attempts: number;
    /** Not before this time (ms) is the document taken up; also the end of a claim. */
    next_attempt_at: number;
    /** Names the process that works on it; one that lost its claim can change nothing. */
    claim: string | null;
    last_error: string | null;
    /** `last_error` as an entry of the error catalogue (JSON of a failure); null where it is in the words of another program. */
    last_failure: string | null;
    /** Number in the table of write-errors.ts, of a dead document. */
    dead_code: number | null;
    created_at: number;
    updated_at: number;
  };
  /** Apart from the documents, so that a change of state does not write the body again. */
  writer_bodies: { document_id: string; body: Uint8Array };
  /** Small groups of accepted documents until they are moved into the tables they belong in. SQLite only, see ingest-buffer.ts. */
  writer_ingest: {
    id: string;
    network: Network;
    key_id: string;
    idempotency_key: string | null;
    digest: string;
    tag: string | null;
    content_type: string;
    fees_required: number;
    created_at: number;
    /** Where the document counts in writer_usage. */
    counted_hour: number;
    counted_tag: string;
    body: Uint8Array;
  };
  writer_transactions: {
    id: string;
    network: Network;
    /** `split` makes coins ahead of need. */
    kind: 'documents' | 'split';
    source: 'wallet' | 'service' | 'sandbox';
    /** Whose key signs, where the service pays. */
    key_id: string | null;
    /** Public key hash of the coins' owner, where the pool pays. */
    owner: string | null;
    state: Exclude<WriteState, 'accepted'>;
    raw_tx: Uint8Array;
    /** The service's own transaction, sent together with ours. */
    fee_tx: Uint8Array | null;
    txid: string;
    fee: number;
    documents: number;
    attempts: number;
    next_attempt_at: number;
    claim: string | null;
    last_error: string | null;
    funded_at: number;
    signed_at: number | null;
    submitted_at: number | null;
    seen_at: number | null;
    mined_at: number | null;
    proven_at: number | null;
    block_hash: string | null;
    block_height: number | null;
    /** JSON of a TSC proof. */
    proof: string | null;
    /** The transaction that writes the documents in place of this one, which was given up (see dead-letters/retry.ts). */
    replaced_by: string | null;
    created_at: number;
    updated_at: number;
  };
  /** Coins of the writer's own key. A coin leaves the table when the miner took what spends it. */
  writer_coins: {
    network: Network;
    txid: string;
    vout: number;
    /** Public key hash, hex. */
    owner: string;
    satoshis: number;
    /** How many unconfirmed transactions it stands on. */
    depth: number;
    /** Transaction that spends it; null while it is free. */
    held_by: string | null;
  };
  writer_usage: { network: Network; key_id: string; hour: number; tag: string; documents: number; bytes: number };
  /** Documents of each state, kept by the database itself as documents change. SQLite only: there one process changes them. */
  writer_counts: { network: Network; state: WriteState; documents: number; bytes: number };
  /** Fees of each day (UTC), for the daily cap. */
  writer_spend: { network: Network; day: number; satoshis: number };
  /** The newest blocks that were looked through, to notice when the chain changed. */
  writer_blocks: { network: Network; height: number; hash: string };
  /** How far the chain was looked through for coins of an owner this journal knows nothing of, and where that ends. */
  writer_scans: { network: Network; owner: string; next_height: number; last_height: number };
  writer_keys: {
    network: Network;
    key_id: string;
    /** The key's first characters, to tell keys apart. */
    label: string;
    public_key: string;
    address: string;
    created_at: number;
    revoked_at: number | null;
    /**
     * The API key, for machines with the same wallet alone (see seed-keys.ts). Null where its signing key does not come from the wallet,
     * or once nothing waits for a revoked one.
     */
    sealed_api_key: string | null;
  };
}

/** The tables, in the words of the given database. */
export function writerMigrations(dialect: Dialect): readonly NamedMigration[] {
  const blob = dialect === 'postgres' ? sql`bytea` : sql`blob`;
  return [
    {
      name: 'writer-0001-queue',
      async up(db) {
        await sql`create table writer_documents (id text primary key, network text not null,
          key_id text not null, idempotency_key text, digest text not null, tag text,
          content_type text not null, body_bytes integer not null, fees_required integer not null,
          state text not null, transaction_id text, vout integer, attempts integer not null,
          next_attempt_at bigint not null, claim text, last_error text, dead_code integer,
          created_at bigint not null, updated_at bigint not null)`.execute(db);
        await sql`create table writer_bodies (document_id text primary key, body ${blob} not null)`.execute(db);
        await sql`create table writer_transactions (id text primary key, network text not null,
          kind text not null, source text not null, key_id text, owner text, state text not null,
          raw_tx ${blob} not null, fee_tx ${blob}, txid text not null, fee bigint not null,
          documents integer not null, attempts integer not null, next_attempt_at bigint not null, claim text,
          last_error text, funded_at bigint not null, signed_at bigint, submitted_at bigint, seen_at bigint,
          mined_at bigint, proven_at bigint, block_hash text, block_height integer, proof text,
          created_at bigint not null, updated_at bigint not null)`.execute(db);
        await sql`create table writer_coins (network text not null, txid text not null, vout integer not null,
          owner text not null, satoshis bigint not null, depth integer not null, held_by text,
          constraint writer_coins_pk primary key (network, txid, vout))`.execute(db);
        await sql`create table writer_usage (network text not null, key_id text not null,
          hour bigint not null, tag text not null, documents bigint not null, bytes bigint not null,
          constraint writer_usage_pk primary key (network, hour, key_id, tag))`.execute(db);
        await sql`create table writer_spend (network text not null, day bigint not null,
          satoshis bigint not null, constraint writer_spend_pk primary key (network, day))`.execute(db);
        await sql`create table writer_blocks (network text not null, height integer not null,
          hash text not null, constraint writer_blocks_pk primary key (network, height))`.execute(db);
        await sql`create table writer_keys (network text not null, key_id text primary key,
          label text not null, public_key text not null, address text not null, created_at bigint not null,
          revoked_at bigint)`.execute(db);
        // Both databases read these words alike; the schema builder has none for an index over a part of the rows.
        const indexes = [
          sql`create unique index writer_documents_idempotency on writer_documents (key_id, idempotency_key) where idempotency_key is not null`,
          sql`create index writer_documents_open on writer_documents (network, state, next_attempt_at, id) where state <> 'proven'`,
          sql`create index writer_documents_key on writer_documents (key_id, id)`,
          sql`create index writer_documents_key_state on writer_documents (key_id, state, id)`,
          sql`create index writer_documents_tag on writer_documents (key_id, tag, id) where tag is not null`,
          sql`create index writer_documents_tag_state on writer_documents (key_id, tag, state, id) where tag is not null`,
          sql`create index writer_documents_transaction on writer_documents (transaction_id) where transaction_id is not null`,
          sql`create index writer_transactions_open on writer_transactions (network, state, next_attempt_at, id) where state <> 'proven'`,
          sql`create index writer_transactions_txid on writer_transactions (network, txid)`,
          sql`create index writer_transactions_block on writer_transactions (network, block_hash) where block_hash is not null`,
          sql`create index writer_coins_free on writer_coins (network, owner, depth, satoshis) where held_by is null`,
          sql`create index writer_coins_held on writer_coins (held_by) where held_by is not null`,
        ];
        for (const index of indexes) await index.execute(db);
      },
    },
    {
      name: 'writer-0002-replacements',
      async up(db) {
        await db.schema.alterTable('writer_transactions').addColumn('replaced_by', 'text').execute();
        await sql`create index writer_transactions_replaced on writer_transactions (replaced_by)
          where replaced_by is not null`.execute(db);
      },
    },
    {
      name: 'writer-0003-counts',
      async up(db) {
        if (dialect === 'sqlite') await countDocuments(db);
      },
    },
    {
      name: 'writer-0004-scans',
      async up(db) {
        await sql`create table writer_scans (network text not null, owner text not null,
          next_height integer not null, last_height integer not null,
          constraint writer_scans_pk primary key (network, owner))`.execute(db);
      },
    },
    {
      name: 'writer-0005-intake',
      async up(db) {
        if (dialect === 'sqlite') await createIntake(db);
      },
    },
    {
      name: 'writer-0006-shared-keys',
      async up(db) {
        await db.schema.alterTable('writer_keys').addColumn('sealed_api_key', 'text').execute();
      },
    },
    {
      name: 'writer-0007-failures',
      async up(db) {
        await db.schema.alterTable('writer_documents').addColumn('last_failure', 'text').execute();
      },
    },
    {
      name: 'writer-0008-ingest',
      async up(db) {
        if (dialect === 'sqlite') await db.schema.alterTable('writer_intake').renameTo('writer_ingest').execute();
      },
    },
  ];
}

/**
 * Counting a million waiting documents takes a tenth of a second in which SQLite answers nobody. Triggers count them as they change.
 * PostgreSQL counts beside its other work, and rows that every transaction changes would make its writers wait for each other.
 */
async function countDocuments(db: Kysely<unknown>): Promise<void> {
  const added = sql.raw('set documents = documents + 1, bytes = bytes + new.body_bytes');
  const taken = sql.raw('set documents = documents - 1, bytes = bytes - old.body_bytes');
  const steps = [
    sql`create table writer_counts (network text not null, state text not null, documents integer not null, bytes integer not null,
      primary key (network, state)) without rowid`,
    ...networks.flatMap((network) =>
      writerStates.names.map(
        (state) => sql`insert into writer_counts values (${sql.lit(network)}, ${sql.lit(state)}, 0, 0)`,
      ),
    ),
    sql`insert or replace into writer_counts
      select network, state, count(*), sum(body_bytes) from writer_documents group by network, state`,
    sql`create trigger writer_documents_counted after insert on writer_documents begin
      update writer_counts ${added} where network = new.network and state = new.state;
    end`,
    sql`create trigger writer_documents_recounted after update of state on writer_documents when old.state <> new.state begin
      update writer_counts ${taken} where network = old.network and state = old.state;
      update writer_counts ${added} where network = new.network and state = new.state;
    end`,
  ];
  for (const step of steps) await step.execute(db);
}

/** In order of arrival, with no index but the one that a second request with the same Idempotency-Key is noticed by. */
async function createIntake(db: Kysely<unknown>): Promise<void> {
  await sql`create table writer_intake (id text not null, network text not null, key_id text not null, idempotency_key text,
    digest text not null, tag text, content_type text not null, fees_required integer not null, created_at integer not null,
    counted_hour integer not null, counted_tag text not null, body blob not null)`.execute(db);
  await sql`create unique index writer_intake_idempotency on writer_intake (key_id, idempotency_key)
    where idempotency_key is not null`.execute(db);
}
