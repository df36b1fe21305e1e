import type { Kysely } from 'kysely';
import {
  type Failure,
  type Network,
  PlanchetError,
  type Review,
  reviewSchema,
  tokenJobStates,
  type WalletSend,
  type WalletSendRequest,
  walletSendRequestSchema,
} from '../../../contract/index.ts';
import type { Store } from '../../ports/store.ts';
import type { WalletSendRow, WalletTables } from '../tables.ts';

const MAX_LISTED = 200;

/** The payments of one network in the store. */
export class SendJournal {
  readonly #db: Kysely<WalletTables>;
  readonly #network: Network;

  constructor(store: Store<WalletTables>, network: Network) {
    this.#db = store.db;
    this.#network = network;
  }

  insert(row: WalletSendRow): Promise<unknown> {
    return this.#db.insertInto('wallet_sends').values(row).execute();
  }

  update(id: string, values: Partial<WalletSendRow>): Promise<unknown> {
    return this.#db.updateTable('wallet_sends').set(values).where('id', '=', id).execute();
  }

  remove(id: string): Promise<unknown> {
    return this.#db.deleteFrom('wallet_sends').where('id', '=', id).execute();
  }

  /** @throws PlanchetError `not-found` */
  async get(id: string): Promise<WalletSendRow> {
    const row = await this.#own().where('id', '=', id).executeTakeFirst();
    if (row) return row;
    throw new PlanchetError('wallet.send-missing', { id });
  }

  byKey(key: string): Promise<WalletSendRow | undefined> {
    return this.#own().where('idempotency_key', '=', key).executeTakeFirst();
  }

  inState(...states: WalletSendRow['state'][]): Promise<WalletSendRow[]> {
    return this.#own().where('state', 'in', states).orderBy('created_at').execute();
  }

  /** Mined in this block or a later one. */
  minedSince(height: number): Promise<WalletSendRow[]> {
    return this.#own().where('state', '=', 'mined').where('block_height', '>=', height).execute();
  }

  /** Newest first. */
  newest(): Promise<WalletSendRow[]> {
    return this.#own().where('state', '!=', 'draft').orderBy('created_at', 'desc').limit(MAX_LISTED).execute();
  }

  #own() {
    return this.#db.selectFrom('wallet_sends').selectAll().where('network', '=', this.#network);
  }
}

/** The name under which the wallet holds the coins of a payment. */
export function ownerOf(id: string): string {
  return `send:${id}`;
}

/** True where the miner refused the signed transaction. */
export function isRefused(row: WalletSendRow): boolean {
  return row.state === 'signed' && Number(row.halted) === 1;
}

export function requestOf(row: WalletSendRow): WalletSendRequest {
  return walletSendRequestSchema.parse(JSON.parse(row.request));
}

export function reviewOf(row: WalletSendRow): Review {
  return reviewSchema.parse(JSON.parse(row.review ?? 'null'));
}

/** A stored payment as the contract shows it. */
export function sendOf(row: WalletSendRow): WalletSend {
  const halted = Number(row.halted) === 1;
  const awaitingApproval = row.state === 'reviewed';
  const review = reviewOf(row);
  return {
    id: row.id,
    request: requestOf(row),
    state: row.state,
    awaitingApproval,
    active: !halted && tokenJobStates.is(row.state, 'followed'),
    canApprove: awaitingApproval && review.ok,
    canCancel: row.state === 'reviewed',
    canRetry: isRefused(row),
    failure: row.failure === null ? null : (JSON.parse(row.failure) as Failure),
    review,
    txid: row.txid,
    blockHash: row.block_hash,
    blockHeight: row.block_height === null ? null : Number(row.block_height),
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
  };
}
