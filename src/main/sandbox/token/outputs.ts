import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Kysely, Selectable } from 'kysely';
import { z } from 'zod';
import { formatOutpoint } from '../../../chain/index.ts';
import { ApiError } from '../api/api-error.ts';
import type { KeyOwner } from '../api/api-keys.ts';
import { lastSequence, type OutputsTable, type TokenTables } from '../tables.ts';
import type { IncomingContent } from './content-files.ts';
import { isoTime, read, TOKEN_PROTOCOL, type TokenContext } from './context.ts';
import { readFileBody } from './file-body.ts';
import { GroupCommit } from './group-commit.ts';
import { checkMetadata, collectionIdOf, editMetadata, metadataSchema, type SubType, subTypes } from './metadata.ts';
import type { ProjectRow, Projects } from './projects.ts';

export type OutputRow = Selectable<OutputsTable>;

/** Maximum bytes of a body besides its file. */
const BODY_OVERHEAD = 1_048_576;
const OUTPUT_TYPE = 'token';

/** Body of `POST create-output`. */
export const createOutputSchema = z.object({
  projectUid: z.string(),
  contentType: z.string(),
  b64File: z.string(),
  metadata: metadataSchema,
});
/** Body of `PUT update-output`. */
export const updateOutputSchema = z.object({
  contentType: z.string().optional(),
  b64File: z.string().optional(),
  metadata: metadataSchema,
});
const flag = z.enum(['0', '1']).optional();
const filterSchema = z.object({ 'on-chain': flag, onchain: flag, type: z.enum(subTypes).optional() });

/** Draft tokens: content and metadata, editable until a transaction contains them (spec 2.2, 4.1). */
export class Outputs {
  readonly #ctx: TokenContext;
  readonly #projects: Projects;
  readonly #commits: GroupCommit<TokenTables>;
  #nextSequence: number;

  static async open(ctx: TokenContext, projects: Projects): Promise<Outputs> {
    return new Outputs(ctx, projects, (await lastSequence(ctx.db, 'token_outputs')) + 1);
  }

  private constructor(ctx: TokenContext, projects: Projects, nextSequence: number) {
    this.#ctx = ctx;
    this.#projects = projects;
    this.#commits = new GroupCommit(ctx.db);
    this.#nextSequence = nextSequence;
  }

  /** Maximum bytes of a request with one file. */
  maxBodyBytes(): number {
    return 4 * Math.ceil(this.#ctx.settings.current().maxTokenBytes / 3) + BODY_OVERHEAD;
  }

  /** @param payload the body, streamed. @throws ApiError */
  async create(owner: KeyOwner, payload: Readable): Promise<unknown> {
    return this.#receive(payload, async (body, content) => {
      const { projectUid, contentType, metadata: given } = read(createOutputSchema, body);
      const project = await this.#projects.require(owner, projectUid);
      const { metadata, subType } = checkMetadata(given);
      await this.#requireAllowed(project, subType, metadata);
      checkContentType(contentType);
      const kept = await content.keep();
      const row: OutputRow = {
        uid: randomUUID(),
        sequence: this.#nextSequence++,
        project_uid: project.uid,
        sub_type: subType,
        content_type: contentType,
        content_hash: kept.sha256,
        content_size: content.bytes,
        metadata: JSON.stringify(metadata),
        created_at: this.#ctx.clock.now(),
        transaction_uid: null,
        vout: null,
        tx_id: null,
      };
      await this.#commits.write(async (db) => {
        // Another request may have created one while the content was being written.
        if (subType === 'collection') await requireNoCollection(db, project.uid);
        await kept.write(db);
        await db.insertInto('token_outputs').values(row).execute();
      });
      return { uid: row.uid, type: OUTPUT_TYPE, tokenProtocol: TOKEN_PROTOCOL };
    });
  }

  /**
   * Replaces the metadata of an unused output and, if sent, its content and content type (wire.md 1.2).
   * @param payload the body, streamed
   * @throws ApiError
   */
  async update(owner: KeyOwner, uid: string, payload: Readable): Promise<unknown> {
    return this.#receive(payload, async (body, content) => {
      const { contentType, b64File, metadata } = read(updateOutputSchema, body);
      const row = await this.#requireUnused(owner, uid);
      if (contentType !== undefined) checkContentType(contentType);
      const kept = b64File === undefined ? undefined : await content.keep();
      const edited = editMetadata(JSON.parse(row.metadata) as Record<string, string>, metadata);
      const changes = {
        metadata: JSON.stringify(edited),
        ...(contentType !== undefined && { content_type: contentType }),
        ...(kept && { content_hash: kept.sha256, content_size: content.bytes }),
      };
      await this.#commits.write(async (db) => {
        await kept?.write(db);
        const { numUpdatedRows } = await db
          .updateTable('token_outputs')
          .set(changes)
          .where('uid', '=', uid)
          .where('transaction_uid', 'is', null)
          .executeTakeFirstOrThrow();
        // a transaction may have taken it while the content was written
        if (numUpdatedRows === 0n) throw used();
      });
      return { uid, type: OUTPUT_TYPE, tokenProtocol: TOKEN_PROTOCOL };
    });
  }

  /** @returns the deleted output. @throws ApiError `not-found` | `output-used` */
  async remove(owner: KeyOwner, uid: string): Promise<unknown> {
    const row = await this.#requireUnused(owner, uid);
    const { numDeletedRows } = await this.#ctx.db
      .deleteFrom('token_outputs')
      .where('uid', '=', uid)
      .where('transaction_uid', 'is', null)
      .executeTakeFirstOrThrow();
    if (numDeletedRows === 0n) throw used();
    const { createdAt, projectUid, transactionUid, type, tokenProtocol, metadata, offChainData } = view(row);
    return {
      uid,
      createdAt,
      projectUid,
      transactionUid,
      txId: row.tx_id,
      identityUid: owner.userUid,
      address: null,
      type,
      tokenProtocol,
      metadata,
      offChainData,
    };
  }

  /** @param query `on-chain` (0 or 1) and `type`. @throws ApiError `not-found` | `invalid-request` */
  async list(owner: KeyOwner, projectUid: string, query: unknown): Promise<unknown> {
    const filter = read(filterSchema, query, 'query');
    const onChain = filter['on-chain'] ?? filter.onchain;
    await this.#projects.require(owner, projectUid);
    let select = this.#ctx.db.selectFrom('token_outputs').selectAll().where('project_uid', '=', projectUid);
    if (onChain !== undefined) select = select.where('tx_id', onChain === '1' ? 'is not' : 'is', null);
    if (filter.type !== undefined) select = select.where('sub_type', '=', filter.type);
    const rows = await select.orderBy('sequence').execute();
    return { outputList: rows.map(view) };
  }

  /**
   * Outputs of a project in the requested order.
   * @throws ApiError `not-found` | `output-used`
   */
  async requireFree(project: ProjectRow, uids: readonly string[]): Promise<OutputRow[]> {
    const rows = await this.#ctx.db
      .selectFrom('token_outputs')
      .selectAll()
      .where('project_uid', '=', project.uid)
      .where('uid', 'in', uids)
      .execute();
    const byUid = new Map(rows.map((row) => [row.uid, row]));
    return uids.map((uid) => {
      const row = byUid.get(uid);
      if (row === undefined)
        throw new ApiError('not-found', 'sandbox-api.output-not-in-project', { uid: uid.slice(0, 64) });
      if (row.transaction_uid !== null) throw used();
      return row;
    });
  }

  async #requireAllowed(project: ProjectRow, subType: SubType, metadata: Record<string, string>): Promise<void> {
    if ((project.type === 'single') !== (subType === 'single')) {
      throw new ApiError(
        'sub-type-not-allowed',
        project.type === 'single' ? 'sandbox-api.single-only' : 'sandbox-api.collection-only',
      );
    }
    if (subType === 'collection') await requireNoCollection(this.#ctx.db, project.uid);
    if (subType === 'collectionItem') await this.#requireCollectionOf(project, metadata);
  }

  /** An item must name the collection of its project once that is on the chain; before, its id is unknown. */
  async #requireCollectionOf(project: ProjectRow, metadata: Record<string, string>): Promise<void> {
    const seeds = await this.#ctx.db
      .selectFrom('token_outputs')
      .select(['tx_id', 'vout'])
      .where('project_uid', '=', project.uid)
      .where('sub_type', '=', 'collection')
      .execute();
    if (seeds.length === 0) throw new ApiError('collection-missing', 'sandbox-api.collection-missing');
    const named = collectionIdOf(metadata);
    const ids = seeds.flatMap(({ tx_id, vout }) =>
      tx_id === null || vout === null ? [] : [formatOutpoint({ txid: tx_id, vout })],
    );
    if (ids.length === 0 && named !== undefined) {
      throw new ApiError('collection-missing', 'sandbox-api.collection-not-minted');
    }
    if (ids.length > 0 && (named === undefined || !ids.includes(named))) {
      throw new ApiError('collection-missing', 'sandbox-api.collection-other', { ids: ids.join(' or ') });
    }
  }

  async #requireUnused(owner: KeyOwner, uid: string): Promise<OutputRow> {
    const row = await this.#ctx.db
      .selectFrom('token_outputs')
      .innerJoin('token_projects', 'token_projects.uid', 'token_outputs.project_uid')
      .selectAll('token_outputs')
      .where('token_outputs.uid', '=', uid)
      .where('token_projects.key_hash', '=', owner.keyHash)
      .executeTakeFirst();
    if (row === undefined) throw new ApiError('not-found', 'sandbox-api.output-unknown');
    if (row.transaction_uid !== null) throw used();
    return row;
  }

  /** Reads a body with a file and streams the file to disk. Content that `use` does not keep is discarded. */
  async #receive(
    payload: Readable,
    use: (body: unknown, content: IncomingContent) => Promise<unknown>,
  ): Promise<unknown> {
    const limit = this.#ctx.settings.current().maxTokenBytes;
    const content = this.#ctx.files.begin();
    try {
      const write = async (piece: Uint8Array): Promise<void> => {
        if (content.bytes + piece.length > limit) {
          throw new ApiError('too-large', 'sandbox-api.file-too-large', { limit });
        }
        await content.write(piece);
      };
      const { body, hasFile } = await readFileBody(payload, write, BODY_OVERHEAD);
      if (hasFile && content.bytes === 0)
        throw new ApiError('file-empty', 'sandbox-api.file-empty', { field: 'b64File' });
      return await use(body, content);
    } finally {
      await content.drop();
    }
  }
}

/**
 * A project has one collection output. One in a transaction that was never submitted does not count: it is stuck there, and nothing
 * else could become the collection.
 * @throws ApiError `collection-exists`
 */
async function requireNoCollection(db: Kysely<TokenTables>, projectUid: string): Promise<void> {
  const existing = await db
    .selectFrom('token_outputs')
    .select('uid')
    .where('project_uid', '=', projectUid)
    .where('sub_type', '=', 'collection')
    .where((eb) => eb.or([eb('transaction_uid', 'is', null), eb('tx_id', 'is not', null)]))
    .executeTakeFirst();
  if (existing === undefined) return;
  throw new ApiError('collection-exists', 'sandbox-api.collection-exists', { uid: existing.uid });
}

function view(row: OutputRow) {
  return {
    createdAt: isoTime(row.created_at),
    uid: row.uid,
    projectUid: row.project_uid,
    transactionUid: row.transaction_uid,
    type: OUTPUT_TYPE,
    tokenProtocol: TOKEN_PROTOCOL,
    metadata: JSON.parse(row.metadata) as Record<string, string>,
    offChainData: { b64FileHash: row.content_hash, b64FileSize: row.content_size, contentType: row.content_type },
  };
}

/** The service accepts any text as a MIME type (wire.md 1.2); only what no transaction should contain is refused. */
function checkContentType(contentType: string): void {
  if (
    contentType.trim() === '' ||
    contentType.length > 255 ||
    /\p{Cc}/u.test(contentType) ||
    !contentType.isWellFormed()
  ) {
    throw new ApiError('content-type-invalid', 'sandbox-api.content-type-invalid', { field: 'contentType' });
  }
}

function used(): ApiError {
  return new ApiError('output-used', 'sandbox-api.output-used');
}
