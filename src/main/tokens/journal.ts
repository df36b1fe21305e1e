import type { Kysely } from 'kysely';
import type { Utxo } from '../../chain/index.ts';
import { fromHex, satoshis, toHex } from '../../chain/index.ts';
import {
  type Failure,
  type Network,
  PlanchetError,
  type TokenJob,
  type TokenRequest,
  type TokenReview,
  tokenJobStates,
  tokenRequestSchema,
  tokenReviewSchema,
} from '../../contract/index.ts';
import type { UnsignedTransaction } from '../../token/index.ts';
import type { Store } from '../ports/store.ts';
import type { Draft } from './build.ts';
import type { JobRow, TokenTables } from './tables.ts';

/** The jobs of one network in the store. */
export class Journal {
  readonly #db: Kysely<TokenTables>;
  readonly #network: Network;

  constructor(store: Store<TokenTables>, network: Network) {
    this.#db = store.db;
    this.#network = network;
  }

  insert(row: JobRow): Promise<unknown> {
    return this.#db.insertInto('token_jobs').values(row).execute();
  }

  update(id: string, values: Partial<JobRow>): Promise<unknown> {
    return this.#db.updateTable('token_jobs').set(values).where('id', '=', id).execute();
  }

  remove(id: string): Promise<unknown> {
    return this.#db.deleteFrom('token_jobs').where('id', '=', id).execute();
  }

  /** @throws PlanchetError `not-found` */
  async get(id: string): Promise<JobRow> {
    const row = await this.#own().where('id', '=', id).executeTakeFirst();
    if (row) return row;
    throw new PlanchetError('token.missing', { id });
  }

  byKey(key: string): Promise<JobRow | undefined> {
    return this.#own().where('idempotency_key', '=', key).executeTakeFirst();
  }

  inState(...states: JobRow['state'][]): Promise<JobRow[]> {
    return this.#own().where('state', 'in', states).orderBy('created_at').execute();
  }

  /** Mined in this block or a later one. */
  minedSince(height: number): Promise<JobRow[]> {
    return this.#own().where('state', '=', 'mined').where('block_height', '>=', height).execute();
  }

  /** Newest first. */
  newest(limit: number): Promise<JobRow[]> {
    return this.#own().where('state', '!=', 'draft').orderBy('created_at', 'desc').limit(limit).execute();
  }

  /** Every transaction that was signed here. */
  async txids(): Promise<string[]> {
    const rows = await this.#own().where('txid', 'is not', null).orderBy('created_at').execute();
    return rows.flatMap(({ txid }) => txid ?? []);
  }

  #own() {
    return this.#db.selectFrom('token_jobs').selectAll().where('network', '=', this.#network);
  }
}

/** The name under which the wallet holds what a job spends. */
export function ownerOf(id: string): string {
  return `token:${id}`;
}

/** True where a job stopped for good. */
export function isHalted({ halted }: JobRow): boolean {
  return Number(halted) === 1;
}

/** True where the miner refused the signed transaction. */
export function isRefused(row: JobRow): boolean {
  return row.state === 'signed' && isHalted(row);
}

/** A stored job as the contract shows it. */
export function jobOf(row: JobRow): TokenJob {
  const halted = isHalted(row);
  const awaitingApproval = row.state === 'reviewed' && !halted;
  const review = reviewOf(row);
  return {
    id: row.id,
    request: requestOf(row),
    symbol: row.symbol,
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

export function requestOf(row: JobRow): TokenRequest {
  return tokenRequestSchema.parse(JSON.parse(row.request));
}

export function reviewOf(row: JobRow): TokenReview {
  return tokenReviewSchema.parse(JSON.parse(row.review ?? 'null'));
}

export function storedDraft({ unsigned, spent }: Draft): string {
  return JSON.stringify({
    unsigned,
    spent: spent.map(({ lockingScript, ...rest }) => ({ ...rest, lockingScript: toHex(lockingScript) })),
  });
}

export function draftOf(row: JobRow): Draft {
  const { unsigned, spent } = JSON.parse(row.unsigned ?? 'null') as {
    unsigned: UnsignedTransaction;
    spent: { txid: string; vout: number; satoshis: number; lockingScript: string }[];
  };
  const outputs: Utxo[] = spent.map(({ satoshis: amount, lockingScript, ...outpoint }) => ({
    ...outpoint,
    satoshis: satoshis(amount),
    lockingScript: fromHex(lockingScript),
  }));
  return { unsigned, spent: outputs, symbol: row.symbol };
}
