import type { Kysely } from 'kysely';
import type { Network } from '../../contract/index.ts';
import type { NamedMigration } from '../store/store.ts';
import { type JobRow, jobColumns } from '../transaction-jobs/job-row.ts';
import type { BookNotice } from './coins/book-edit.ts';

/** Numbers that PostgreSQL returns as text; read them with `Number()`. */
type BigInteger = number;

/** Whose rows these are: `<network>` for the main account, `<network>/<id of the account>` for another one. */
type Scope = string;

export function networkOf(scope: Scope): Network {
  return scope.split('/', 1)[0] as Network;
}

/** Tables of the wallet. Every row belongs to one account of one network, so one database serves all of them. */
export interface WalletTables {
  wallet_coins: {
    network: Scope;
    txid: string;
    vout: number;
    satoshis: BigInteger;
    /** Locking script, hex; of a long inscription only the lock. */
    script: string;
    /** SHA-256 (hex) of the whole script where `script` is the lock alone. */
    script_hash: string | null;
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
  wallet_blocks: { network: Scope; height: number; hash: string };
  wallet_reservations: { network: Scope; txid: string; vout: number; owner: string };
  /** Outputs that a person set aside, of whatever account and whether the wallet sees them now or not. Only a person lifts this. */
  wallet_freezes: { network: Network; txid: string; vout: number };
  /** Signed transactions that left this process: see `SignedSpend`. They outlive the coins, which may be read again. */
  wallet_signed: { network: Scope; txid: string; owner: string /** JSON of a list of outpoints. */; inputs: string };
  /** Transactions of the wallet that no block holds yet. */
  wallet_pending: {
    network: Scope;
    txid: string;
    since: BigInteger;
    missing_since: BigInteger | null;
    /** 1 where its id can still be changed by others. */
    malleable: number;
    /** 1 where others made it and not all that it builds on is known. */
    unproven: number;
  };
  /** What every transaction of the wallet did to it: its history. */
  wallet_transactions: {
    network: Scope;
    txid: string;
    at: BigInteger;
    height: number | null;
    received: BigInteger;
    spent: BigInteger;
    tokens: number;
    fee: BigInteger | null;
    owner: string | null;
    lost: 'double-spent' | 'dropped' | null;
  };
  /** Further addresses that were given out. */
  wallet_addresses: { network: Scope; owner: string; key_index: number };
  /** Keys that were paid, those for change among them. A row is kept for ever: coins are forgotten once they are spent. */
  wallet_used_keys: {
    network: Scope;
    owner: string;
    key_index: number;
    /** The first block that pays it; null while none does. */
    height: number | null;
  };
  /** A person's words for an address, a transaction or a coin (`subject` says which it is), of whatever account. Only a person takes them away. */
  wallet_labels: { network: Network; subject: string; label: string };
  /** What transactions were made for, where the chain does not tell it. A row is kept for ever: the history may be read anew from the chain. */
  wallet_purposes: {
    network: Network;
    txid: string;
    purpose: 'mint' | 'token' | 'writer' /** When it was noted. */;
    at: BigInteger;
  };
  /** When a backup of the keys of `owner` was last shown to restore them. */
  wallet_backup_checks: { network: Scope; owner: string; checked_at: BigInteger };
  /** Payments: the request is a `WalletSendRequest`, the review a `Review`. */
  wallet_sends: JobRow & {
    /** The payment it is a further transaction of. */
    part_of: string | null;
  };
  /** Accounts beside the main one, and the name of the main one. */
  wallet_accounts: {
    network: Network;
    id: string;
    kind: 'seed' | 'watch' | 'key';
    name: string;
    /** Account of the seed (BIP44); null where the keys come from elsewhere. */
    account: number | null;
    xpub: string | null;
    /** First block that can hold coins of it; that of the seed is in the vault. */
    birth_height: number | null;
    created_at: BigInteger;
  };
  /** What happened to transactions of an account and was not dismissed yet. */
  wallet_notices: {
    network: Scope;
    id: string;
    kind: BookNotice['kind'];
    at: BigInteger;
    /** JSON of a list. */
    txids: string;
    height: number | null;
  };
  wallet_active_account: { network: Network; id: string };
  /** The wallet outside this process that signs, by the identity key it was first seen with or that a person accepted. */
  wallet_external: { network: Network; identity_key: string; since: BigInteger };
  wallet_state: {
    network: Scope;
    /** Public key hash (hex) of the key the rows belong to. */
    owner: string;
    key_index: number;
    /** Public key hashes (hex) that the scanned blocks were searched for, space between them. */
    keys: string;
    /** Height the scan begins at; null until the node was asked for it. */
    birth_height: number | null;
    /** The blocks up to this height hold nothing for keys that come later; null where they may, from the first one on. */
    searched_to: number | null;
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
];
