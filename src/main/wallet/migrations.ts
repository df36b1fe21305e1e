import { type Kysely, sql } from 'kysely';
import type { NamedMigration } from '../store/store.ts';
import { jobColumns } from '../transaction-jobs/job-row.ts';
import { networkOf, type WalletTables } from './tables.ts';

export const walletMigrations: readonly NamedMigration[] = [
  {
    name: 'wallet-0001-coins',
    async up(db) {
      await sql`create table wallet_coins (
        network text not null, txid text not null, vout bigint not null, satoshis bigint not null,
        script text not null, kind text not null, key_index bigint not null, coinbase integer not null, height bigint,
        spent_by text, spent_height bigint,
        constraint wallet_coins_pk primary key (network, txid, vout)
      )`.execute(db);
      await sql`create table wallet_blocks (
        network text not null, height bigint not null, hash text not null,
        constraint wallet_blocks_pk primary key (network, height)
      )`.execute(db);
      await sql`create table wallet_reservations (
        network text not null, txid text not null, vout bigint not null, owner text not null,
        constraint wallet_reservations_pk primary key (network, txid, vout)
      )`.execute(db);
      await sql`create table wallet_pending (
        network text not null, txid text not null, since bigint not null, missing_since bigint,
        constraint wallet_pending_pk primary key (network, txid)
      )`.execute(db);
      await sql`create table wallet_state (
        network text primary key, owner text not null, key_index bigint not null, birth_height bigint
      )`.execute(db);
    },
  },
  {
    // whoever scanned before this did so for the first key alone, and scans again
    name: 'wallet-0002-searched-keys',
    async up(db) {
      await sql`alter table wallet_state add column keys text not null default ''`.execute(db);
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
      await sql`alter table wallet_pending add column malleable integer not null default 0`.execute(db);
    },
  },
  {
    // the history and the further addresses are learned from the blocks, so the chain is scanned again
    name: 'wallet-0005-history',
    async up(db) {
      await sql`create table wallet_transactions (
        network text not null, txid text not null, at bigint not null, height bigint, received bigint not null,
        spent bigint not null, tokens bigint not null, fee bigint, owner text,
        constraint wallet_transactions_pk primary key (network, txid)
      )`.execute(db);
      await sql`create table wallet_addresses (
        network text not null, owner text not null, key_index bigint not null,
        constraint wallet_addresses_pk primary key (network, owner, key_index)
      )`.execute(db);
      await sql`create table wallet_labels (
        network text not null, subject text not null, label text not null,
        constraint wallet_labels_pk primary key (network, subject)
      )`.execute(db);
      await sql`create table wallet_backup_checks (
        network text not null, owner text not null, checked_at bigint not null,
        constraint wallet_backup_checks_pk primary key (network, owner)
      )`.execute(db);
      await db.updateTable('wallet_state').set({ keys: '' }).execute();
    },
  },
  {
    name: 'wallet-0006-sends',
    async up(db) {
      await jobColumns(db.schema.createTable('wallet_sends'), 'wallet_sends').execute();
    },
  },
  {
    name: 'wallet-0007-accounts',
    async up(db) {
      await sql`create table wallet_accounts (
        network text not null, id text not null, kind text not null, name text not null, account bigint, xpub text,
        birth_height bigint, created_at bigint not null,
        constraint wallet_accounts_pk primary key (network, id)
      )`.execute(db);
      await sql`create table wallet_active_account (network text primary key, id text not null)`.execute(db);
    },
  },
  {
    name: 'wallet-0008-notices',
    async up(db) {
      await sql`create table wallet_notices (
        network text not null, id text not null, kind text not null, at bigint not null, txids text not null,
        height bigint,
        constraint wallet_notices_pk primary key (network, id)
      )`.execute(db);
    },
  },
  {
    // transactions that were lost before this stay out of the history
    name: 'wallet-0009-lost',
    async up(db) {
      await sql`alter table wallet_transactions add column lost text`.execute(db);
    },
  },
  {
    // coins that are stored already keep their whole scripts until they change
    name: 'wallet-0010-script-hash',
    async up(db) {
      await sql`alter table wallet_coins add column script_hash text`.execute(db);
    },
  },
  {
    // a freeze was a reservation, which went with its coin
    name: 'wallet-0011-freezes',
    async up(db) {
      await sql`create table wallet_freezes (
        network text not null, txid text not null, vout bigint not null,
        constraint wallet_freezes_pk primary key (network, txid, vout)
      )`.execute(db);
      const frozen = db.selectFrom('wallet_reservations').selectAll().where('owner', '=', 'frozen');
      for (const { network: scope, txid, vout } of await frozen.execute()) {
        const row = db.insertInto('wallet_freezes').values({ network: networkOf(scope), txid, vout });
        await row.onConflict((conflict) => conflict.doNothing()).execute();
      }
      await db.deleteFrom('wallet_reservations').where('owner', '=', 'frozen').execute();
    },
  },
  {
    // Which keys were paid cannot be told from coins, which are forgotten, and blocks were not searched for keys that came later: they are
    // scanned again.
    name: 'wallet-0012-used-keys',
    async up(db: Kysely<WalletTables>) {
      await sql`create table wallet_used_keys (
        network text not null, owner text not null, key_index bigint not null, height bigint,
        constraint wallet_used_keys_pk primary key (network, owner, key_index)
      )`.execute(db);
      await sql`alter table wallet_state add column searched_to bigint`.execute(db);
      await sql`insert into wallet_used_keys (network, owner, key_index, height)
        select coin.network, state.owner, coin.key_index, min(coin.height)
        from wallet_coins as coin inner join wallet_state as state on state.network = coin.network
        group by coin.network, state.owner, coin.key_index`.execute(db);
      await db.updateTable('wallet_state').set({ keys: '' }).execute();
    },
  },
  {
    // a payment of all there is may take several transactions
    name: 'wallet-0013-send-parts',
    async up(db) {
      await sql`alter table wallet_sends add column part_of text`.execute(db);
    },
  },
  {
    // a wallet that was in use before is remembered at its next answer
    name: 'wallet-0014-external',
    async up(db) {
      await sql`create table wallet_external (
        network text primary key, identity_key text not null, since bigint not null
      )`.execute(db);
    },
  },
  {
    name: 'wallet-0015-signed',
    async up(db) {
      await sql`create table wallet_signed (
        network text not null, txid text not null, owner text not null, inputs text not null,
        constraint wallet_signed_pk primary key (network, txid)
      )`.execute(db);
    },
  },
  {
    // what others made was believed unchecked; it is checked when the mempool is read again
    name: 'wallet-0016-unproven',
    async up(db) {
      await sql`alter table wallet_pending add column unproven integer not null default 0`.execute(db);
      const own = db.selectFrom('wallet_transactions').select(['network', 'txid']).where('owner', 'is not', null);
      await db.updateTable('wallet_pending').set({ unproven: 1 }).execute();
      for (const { network, txid } of await own.where('height', 'is', null).execute()) {
        const row = db.updateTable('wallet_pending').set({ unproven: 0 }).where('network', '=', network);
        await row.where('txid', '=', txid).execute();
      }
    },
  },
  {
    // what a node sent as a block was believed unchecked, so the chain is scanned again
    name: 'wallet-0017-checked-blocks',
    async up(db: Kysely<WalletTables>) {
      await db.updateTable('wallet_state').set({ keys: '' }).execute();
    },
  },
  {
    // a history that was read anew had forgotten what its transactions were for, and labels went with their account
    name: 'wallet-0018-purposes',
    async up(db: Kysely<WalletTables>) {
      await sql`create table wallet_purposes (
        network text not null, txid text not null, purpose text not null, at bigint not null,
        constraint wallet_purposes_pk primary key (network, txid)
      )`.execute(db);
      const made = db.selectFrom('wallet_transactions').select(['network', 'txid', 'owner', 'at']);
      for (const { network, txid, owner, at } of await made.where('owner', 'is not', null).execute()) {
        if (owner?.startsWith('send')) continue;
        const purpose = (['token', 'writer'] as const).find((one) => owner?.startsWith(one)) ?? 'mint';
        const row = db.insertInto('wallet_purposes').values({ network: networkOf(network), txid, purpose, at });
        await row.onConflict((conflict) => conflict.doNothing()).execute();
      }
      const labels = await db.selectFrom('wallet_labels').selectAll().orderBy('network').execute();
      await db.deleteFrom('wallet_labels').execute();
      for (const { network, ...label } of labels) {
        const row = db.insertInto('wallet_labels').values({ network: networkOf(network), ...label });
        await row.onConflict((conflict) => conflict.doNothing()).execute();
      }
    },
  },
  {
    // a reading of histories that was interrupted began anew
    name: 'wallet-0019-searched-for',
    async up(db) {
      await sql`alter table wallet_transactions add column searched_for integer not null default 0`.execute(db);
    },
  },
  {
    name: 'wallet-0020-disputes',
    async up(db) {
      await sql`create table wallet_disputes (
        network text not null, txid text not null, vout integer not null, sources text not null,
        asked integer not null,
        constraint wallet_disputes_pk primary key (network, txid, vout)
      )`.execute(db);
    },
  },
  {
    name: 'wallet-0021-paymail-tells',
    async up(db) {
      await sql`create table wallet_paymail_tells (
        network text not null, send_id text not null, position integer not null, receiver text not null,
        attempts integer not null, noted_at bigint not null, next_at bigint not null, failure text,
        constraint wallet_paymail_tells_pk primary key (send_id, position)
      )`.execute(db);
    },
  },
  {
    name: 'wallet-0022-kept-transactions',
    async up(db) {
      await sql`create table wallet_kept_transactions (
        network text not null, txid text not null, raw_tx blob, bump blob not null,
        constraint wallet_kept_transactions_pk primary key (network, txid)
      )`.execute(db);
    },
  },
];
