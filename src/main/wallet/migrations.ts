import type { Kysely } from 'kysely';
import type { NamedMigration } from '../store/store.ts';
import { jobColumns } from '../transaction-jobs/job-row.ts';
import { networkOf, type WalletTables } from './tables.ts';

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
  {
    // the history and the further addresses are learned from the blocks, so the chain is scanned again
    name: 'wallet-0005-history',
    async up(db) {
      await db.schema
        .createTable('wallet_transactions')
        .addColumn('network', 'text', (column) => column.notNull())
        .addColumn('txid', 'text', (column) => column.notNull())
        .addColumn('at', 'bigint', (column) => column.notNull())
        .addColumn('height', 'bigint')
        .addColumn('received', 'bigint', (column) => column.notNull())
        .addColumn('spent', 'bigint', (column) => column.notNull())
        .addColumn('tokens', 'bigint', (column) => column.notNull())
        .addColumn('fee', 'bigint')
        .addColumn('owner', 'text')
        .addPrimaryKeyConstraint('wallet_transactions_pk', ['network', 'txid'])
        .execute();
      await db.schema
        .createTable('wallet_addresses')
        .addColumn('network', 'text', (column) => column.notNull())
        .addColumn('owner', 'text', (column) => column.notNull())
        .addColumn('key_index', 'bigint', (column) => column.notNull())
        .addPrimaryKeyConstraint('wallet_addresses_pk', ['network', 'owner', 'key_index'])
        .execute();
      await db.schema
        .createTable('wallet_labels')
        .addColumn('network', 'text', (column) => column.notNull())
        .addColumn('subject', 'text', (column) => column.notNull())
        .addColumn('label', 'text', (column) => column.notNull())
        .addPrimaryKeyConstraint('wallet_labels_pk', ['network', 'subject'])
        .execute();
      await db.schema
        .createTable('wallet_backup_checks')
        .addColumn('network', 'text', (column) => column.notNull())
        .addColumn('owner', 'text', (column) => column.notNull())
        .addColumn('checked_at', 'bigint', (column) => column.notNull())
        .addPrimaryKeyConstraint('wallet_backup_checks_pk', ['network', 'owner'])
        .execute();
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
      await db.schema
        .createTable('wallet_accounts')
        .addColumn('network', 'text', (column) => column.notNull())
        .addColumn('id', 'text', (column) => column.notNull())
        .addColumn('kind', 'text', (column) => column.notNull())
        .addColumn('name', 'text', (column) => column.notNull())
        .addColumn('account', 'bigint')
        .addColumn('xpub', 'text')
        .addColumn('birth_height', 'bigint')
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addPrimaryKeyConstraint('wallet_accounts_pk', ['network', 'id'])
        .execute();
      await db.schema
        .createTable('wallet_active_account')
        .addColumn('network', 'text', (column) => column.primaryKey())
        .addColumn('id', 'text', (column) => column.notNull())
        .execute();
    },
  },
  {
    name: 'wallet-0008-notices',
    async up(db) {
      await db.schema
        .createTable('wallet_notices')
        .addColumn('network', 'text', (column) => column.notNull())
        .addColumn('id', 'text', (column) => column.notNull())
        .addColumn('kind', 'text', (column) => column.notNull())
        .addColumn('at', 'bigint', (column) => column.notNull())
        .addColumn('txids', 'text', (column) => column.notNull())
        .addColumn('height', 'bigint')
        .addPrimaryKeyConstraint('wallet_notices_pk', ['network', 'id'])
        .execute();
    },
  },
  {
    // transactions that were lost before this stay out of the history
    name: 'wallet-0009-lost',
    async up(db) {
      await db.schema.alterTable('wallet_transactions').addColumn('lost', 'text').execute();
    },
  },
  {
    // coins that are stored already keep their whole scripts until they change
    name: 'wallet-0010-script-hash',
    async up(db) {
      await db.schema.alterTable('wallet_coins').addColumn('script_hash', 'text').execute();
    },
  },
  {
    // a freeze was a reservation, which went with its coin
    name: 'wallet-0011-freezes',
    async up(db) {
      await db.schema
        .createTable('wallet_freezes')
        .addColumn('network', 'text', (column) => column.notNull())
        .addColumn('txid', 'text', (column) => column.notNull())
        .addColumn('vout', 'bigint', (column) => column.notNull())
        .addPrimaryKeyConstraint('wallet_freezes_pk', ['network', 'txid', 'vout'])
        .execute();
      const frozen = db.selectFrom('wallet_reservations').selectAll().where('owner', '=', 'frozen');
      for (const { network: scope, txid, vout } of await frozen.execute()) {
        const row = { network: networkOf(scope), txid, vout };
        await db
          .insertInto('wallet_freezes')
          .values(row)
          .onConflict((conflict) => conflict.doNothing())
          .execute();
      }
      await db.deleteFrom('wallet_reservations').where('owner', '=', 'frozen').execute();
    },
  },
  {
    // Which keys were paid cannot be told from coins, which are forgotten, and blocks were not searched for keys that came later: they are
    // scanned again.
    name: 'wallet-0012-used-keys',
    async up(db: Kysely<WalletTables>) {
      await db.schema
        .createTable('wallet_used_keys')
        .addColumn('network', 'text', (column) => column.notNull())
        .addColumn('owner', 'text', (column) => column.notNull())
        .addColumn('key_index', 'bigint', (column) => column.notNull())
        .addColumn('height', 'bigint')
        .addPrimaryKeyConstraint('wallet_used_keys_pk', ['network', 'owner', 'key_index'])
        .execute();
      await db.schema.alterTable('wallet_state').addColumn('searched_to', 'bigint').execute();
      const paid = db
        .selectFrom('wallet_coins as coin')
        .innerJoin('wallet_state as state', 'state.network', 'coin.network')
        .select((eb) => ['coin.network', 'state.owner', 'coin.key_index', eb.fn.min('coin.height').as('height')])
        .groupBy(['coin.network', 'state.owner', 'coin.key_index']);
      await db
        .insertInto('wallet_used_keys')
        .columns(['network', 'owner', 'key_index', 'height'])
        .expression(paid)
        .execute();
      await db.updateTable('wallet_state').set({ keys: '' }).execute();
    },
  },
  {
    // a payment of all there is may take several transactions
    name: 'wallet-0013-send-parts',
    async up(db) {
      await db.schema.alterTable('wallet_sends').addColumn('part_of', 'text').execute();
    },
  },
  {
    // a wallet that was in use before is remembered at its next answer
    name: 'wallet-0014-external',
    async up(db) {
      await db.schema
        .createTable('wallet_external')
        .addColumn('network', 'text', (column) => column.primaryKey())
        .addColumn('identity_key', 'text', (column) => column.notNull())
        .addColumn('since', 'bigint', (column) => column.notNull())
        .execute();
    },
  },
  {
    name: 'wallet-0015-signed',
    async up(db) {
      await db.schema
        .createTable('wallet_signed')
        .addColumn('network', 'text', (column) => column.notNull())
        .addColumn('txid', 'text', (column) => column.notNull())
        .addColumn('owner', 'text', (column) => column.notNull())
        .addColumn('inputs', 'text', (column) => column.notNull())
        .addPrimaryKeyConstraint('wallet_signed_pk', ['network', 'txid'])
        .execute();
    },
  },
  {
    // what others made was believed unchecked; it is checked when the mempool is read again
    name: 'wallet-0016-unproven',
    async up(db) {
      await db.schema
        .alterTable('wallet_pending')
        .addColumn('unproven', 'integer', (column) => column.notNull().defaultTo(0))
        .execute();
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
      await db.schema
        .createTable('wallet_purposes')
        .addColumn('network', 'text', (column) => column.notNull())
        .addColumn('txid', 'text', (column) => column.notNull())
        .addColumn('purpose', 'text', (column) => column.notNull())
        .addColumn('at', 'bigint', (column) => column.notNull())
        .addPrimaryKeyConstraint('wallet_purposes_pk', ['network', 'txid'])
        .execute();
      const made = db.selectFrom('wallet_transactions').select(['network', 'txid', 'owner', 'at']);
      for (const { network, txid, owner, at } of await made.where('owner', 'is not', null).execute()) {
        if (owner?.startsWith('send')) continue;
        const purpose = (['token', 'writer'] as const).find((one) => owner?.startsWith(one)) ?? 'mint';
        await db
          .insertInto('wallet_purposes')
          .values({ network: networkOf(network), txid, purpose, at })
          .onConflict((conflict) => conflict.doNothing())
          .execute();
      }
      const labels = await db.selectFrom('wallet_labels').selectAll().orderBy('network').execute();
      await db.deleteFrom('wallet_labels').execute();
      for (const { network, ...row } of labels) {
        await db
          .insertInto('wallet_labels')
          .values({ network: networkOf(network), ...row })
          .onConflict((conflict) => conflict.doNothing())
          .execute();
      }
    },
  },
  {
    // a reading of histories that was interrupted began anew
    name: 'wallet-0019-searched-for',
    async up(db) {
      await db.schema
        .alterTable('wallet_transactions')
        .addColumn('searched_for', 'integer', (column) => column.notNull().defaultTo(0))
        .execute();
    },
  },
  {
    name: 'wallet-0020-disputes',
    async up(db) {
      await db.schema
        .createTable('wallet_disputes')
        .addColumn('network', 'text', (column) => column.notNull())
        .addColumn('txid', 'text', (column) => column.notNull())
        .addColumn('vout', 'integer', (column) => column.notNull())
        .addColumn('sources', 'text', (column) => column.notNull())
        .addColumn('asked', 'integer', (column) => column.notNull())
        .addPrimaryKeyConstraint('wallet_disputes_pk', ['network', 'txid', 'vout'])
        .execute();
    },
  },
  {
    name: 'wallet-0021-paymail-tells',
    async up(db) {
      await db.schema
        .createTable('wallet_paymail_tells')
        .addColumn('network', 'text', (column) => column.notNull())
        .addColumn('send_id', 'text', (column) => column.notNull())
        .addColumn('position', 'integer', (column) => column.notNull())
        .addColumn('receiver', 'text', (column) => column.notNull())
        .addColumn('attempts', 'integer', (column) => column.notNull())
        .addColumn('noted_at', 'bigint', (column) => column.notNull())
        .addColumn('next_at', 'bigint', (column) => column.notNull())
        .addColumn('failure', 'text')
        .addPrimaryKeyConstraint('wallet_paymail_tells_pk', ['send_id', 'position'])
        .execute();
    },
  },
  {
    name: 'wallet-0022-kept-transactions',
    async up(db) {
      await db.schema
        .createTable('wallet_kept_transactions')
        .addColumn('network', 'text', (column) => column.notNull())
        .addColumn('txid', 'text', (column) => column.notNull())
        .addColumn('raw_tx', 'blob')
        .addColumn('bump', 'blob', (column) => column.notNull())
        .addPrimaryKeyConstraint('wallet_kept_transactions_pk', ['network', 'txid'])
        .execute();
    },
  },
];
