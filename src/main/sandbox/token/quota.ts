import { z } from 'zod';
import { ApiError } from '../api/api-error.ts';
import type { KeyOwner } from '../api/api-keys.ts';
import { isoTime, read, type TokenContext } from './context.ts';

/** Body of `POST quota/keys`. */
export const quotaKeysSchema = z.object({ apiKeys: z.array(z.string()).min(1).max(100) });

/** Monthly mint quota per API key, by calendar month in UTC (spec 2.4, 4.2). */
export class Quota {
  readonly #ctx: TokenContext;

  constructor(ctx: TokenContext) {
    this.#ctx = ctx;
  }

  /** The quota record of a key. @param apiKey as sent by the client */
  async record(apiKey: string, { keyHash }: KeyOwner): Promise<unknown> {
    const { monthlyMintLimit } = this.#ctx.settings.current().sandbox;
    const { from, to } = this.#month();
    const totalUsed = await this.#used(keyHash);
    return {
      apiKey,
      startDate: isoTime(from),
      endDate: isoTime(to - 1),
      monthlyMintLimit,
      totalUsed,
      available: monthlyMintLimit - totalUsed,
    };
  }

  /** One record for each key, in order. @throws ApiError `invalid-request`, `api-key-foreign` unless all belong to the client's user */
  async records(client: KeyOwner, body: unknown): Promise<unknown[]> {
    const { apiKeys } = read(quotaKeysSchema, body);
    const owners = apiKeys.map((apiKey) => {
      const owner = this.#ctx.keys.find(apiKey);
      if (owner?.userUid === client.userUid) return { apiKey, owner };
      throw new ApiError('api-key-foreign', 'sandbox-api.api-key-foreign');
    });
    return Promise.all(owners.map(({ apiKey, owner }) => this.record(apiKey, owner)));
  }

  /** @throws ApiError `quota-exceeded` if the key may not mint that many more tokens this month */
  async requireRoom({ keyHash }: KeyOwner, tokens: number): Promise<void> {
    const { monthlyMintLimit } = this.#ctx.settings.current().sandbox;
    const left = monthlyMintLimit - (await this.#used(keyHash));
    if (tokens <= left) return;
    throw new ApiError('quota-exceeded', 'sandbox-api.quota-exceeded', {
      limit: monthlyMintLimit,
      left: Math.max(0, left),
      tokens,
    });
  }

  async #used(keyHash: string): Promise<number> {
    const { from, to } = this.#month();
    const row = await this.#ctx.db
      .selectFrom('token_transactions')
      .select((eb) => eb.fn.sum('tokens').as('tokens'))
      .innerJoin('token_projects', 'token_projects.uid', 'token_transactions.project_uid')
      .where('token_projects.key_hash', '=', keyHash)
      .where('state', '=', 'submitted')
      .where('submitted_at', '>=', from)
      .where('submitted_at', '<', to)
      .executeTakeFirst();
    return Number(row?.tokens ?? 0);
  }

  #month(): { from: number; to: number } {
    const now = new Date(this.#ctx.clock.now());
    const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
    return { from: Date.UTC(year, month), to: Date.UTC(year, month + 1) };
  }
}
