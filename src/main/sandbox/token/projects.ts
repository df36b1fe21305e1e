import { randomUUID } from 'node:crypto';
import type { Selectable } from 'kysely';
import { z } from 'zod';
import { ApiError } from '../api/api-error.ts';
import type { KeyOwner } from '../api/api-keys.ts';
import { lastSequence, type ProjectsTable } from '../tables.ts';
import { NETWORK, read, TOKEN_PROTOCOL, type TokenContext } from './context.ts';

export type ProjectRow = Selectable<ProjectsTable>;

/** Body of `POST /project/create`. */
export const createProjectSchema = z.object({
  name: z.string().trim().min(1).max(255),
  isFungible: z.boolean().default(false),
  type: z.enum(['single', 'collection']),
  tokenProtocol: z.string(),
});

/** Projects, each owned by the API key that created it (spec 2.1, 4.1). */
export class Projects {
  readonly #ctx: TokenContext;
  #nextSequence: number;

  static async open(ctx: TokenContext): Promise<Projects> {
    return new Projects(ctx, (await lastSequence(ctx.db, 'token_projects')) + 1);
  }

  private constructor(ctx: TokenContext, nextSequence: number) {
    this.#ctx = ctx;
    this.#nextSequence = nextSequence;
  }

  /** @throws ApiError `invalid-request` | `protocol-unsupported` */
  async create(owner: KeyOwner, body: unknown): Promise<{ projectUid: string }> {
    const { name, isFungible, type, tokenProtocol } = read(createProjectSchema, body);
    if (tokenProtocol !== TOKEN_PROTOCOL) {
      throw new ApiError('protocol-unsupported', 'sandbox-api.protocol-unsupported', { protocol: TOKEN_PROTOCOL });
    }
    const uid = randomUUID();
    await this.#ctx.db
      .insertInto('token_projects')
      .values({
        uid,
        sequence: this.#nextSequence++,
        key_hash: owner.keyHash,
        name,
        type,
        is_fungible: isFungible ? 1 : 0,
        token_protocol: tokenProtocol,
        created_at: this.#ctx.clock.now(),
      })
      .execute();
    return { projectUid: uid };
  }

  async list(owner: KeyOwner): Promise<unknown> {
    const rows = await this.#ctx.db
      .selectFrom('token_projects')
      .selectAll()
      .where('key_hash', '=', owner.keyHash)
      .orderBy('sequence')
      .execute();
    return {
      projectList: rows.map((row) => ({
        uid: row.uid,
        name: row.name,
        network: NETWORK,
        offChainData: { isFungible: row.is_fungible === 1 },
        tokenProtocol: row.token_protocol,
      })),
    };
  }

  /** @throws ApiError `not-found` */
  async detail(owner: KeyOwner, uid: string): Promise<unknown> {
    const row = await this.require(owner, uid);
    return {
      uid: row.uid,
      name: row.name,
      tokenProtocol: row.token_protocol,
      network: NETWORK,
      isFungible: row.is_fungible === 1,
      type: row.type,
    };
  }

  /** @throws ApiError `not-found` if the key has no such project */
  async require(owner: KeyOwner, uid: string): Promise<ProjectRow> {
    const row = await this.#ctx.db
      .selectFrom('token_projects')
      .selectAll()
      .where('uid', '=', uid)
      .where('key_hash', '=', owner.keyHash)
      .executeTakeFirst();
    if (row === undefined) throw new ApiError('not-found', 'sandbox-api.project-unknown');
    return row;
  }
}
