import { createHash, randomUUID } from 'node:crypto';
import { type Kysely, type Selectable, sql } from 'kysely';
import { z } from 'zod';
import { ChainError, formatOutpoint, fromHex, parseTx, type Tx, type TxObj, txidOf } from '../../../chain/index.ts';
import { ApiError } from '../api/api-error.ts';
import type { KeyOwner } from '../api/api-keys.ts';
import { SerialQueue } from '../node/mempool/admission.ts';
import type { Rejection } from '../node/node.ts';
import type { PlacedOutput, TokenTables, TransactionsTable } from '../tables.ts';
import { buildMint, findFunding, ownerHash, recipientHash, requireFitting, tampered } from './build.ts';
import { read, type TokenContext } from './context.ts';
import { collectionIdOf } from './metadata.ts';
import type { OutputRow, Outputs } from './outputs.ts';
import type { ProjectRow, Projects } from './projects.ts';
import type { Quota } from './quota.ts';

type TransactionRow = Selectable<TransactionsTable>;

const uniqueList = <T extends z.ZodType>(item: T, keyOf: (value: z.infer<T>) => string) =>
  z
    .array(item)
    .min(1)
    .max(1_000)
    .refine((list) => new Set(list.map(keyOf)).size === list.length, 'each may be listed once');

/** Body of `POST create-transaction`. */
export const createTransactionSchema = z.object({
  projectUid: z.string(),
  publicKey: z.string(),
  dstAddress: z.string(),
  outputList: uniqueList(z.string(), (uid) => uid),
  utxoList: uniqueList(
    z.object({
      outputIndex: z.number().int().min(0).max(0xffffffff),
      txId: z
        .string()
        .regex(/^[0-9a-fA-F]{64}$/, 'must be 64 hex digits')
        .transform((txid) => txid.toLowerCase()),
    }),
    ({ txId, outputIndex }) => `${txId}_${outputIndex}`,
  ),
});
/** Body of `POST submit`. */
export const submitTransactionSchema = z.object({ transactionUid: z.string(), tx: z.string() });

/** Reject codes of the node for conflicts with another transaction. */
const CONFLICTS = new Set([18, 258]);

/** Builds mint transactions and broadcasts them once they are signed (spec 2.3, 4.1). */
export class Transactions {
  readonly #ctx: TokenContext;
  readonly #projects: Projects;
  readonly #outputs: Outputs;
  readonly #quota: Quota;
  /** Serialises submissions, so that the quota and the outputs they check cannot change meanwhile. */
  readonly #submits = new SerialQueue();

  /** Reconciles the records with the node after a crash. */
  static async open(ctx: TokenContext, projects: Projects, outputs: Outputs, quota: Quota): Promise<Transactions> {
    const transactions = new Transactions(ctx, projects, outputs, quota);
    const open = await ctx.db.selectFrom('token_transactions').selectAll().where('state', '=', 'submitting').execute();
    for (const row of open) {
      if (!(await transactions.#settle(row))) await transactions.#release(row.uid);
    }
    return transactions;
  }

  private constructor(ctx: TokenContext, projects: Projects, outputs: Outputs, quota: Quota) {
    this.#ctx = ctx;
    this.#projects = projects;
    this.#outputs = outputs;
    this.#quota = quota;
  }

  /** Builds an unsigned transaction and assigns its outputs to it. @throws ApiError */
  async create(owner: KeyOwner, body: unknown): Promise<{ transactionUid: string; txObj: TxObj }> {
    const request = read(createTransactionSchema, body);
    const project = await this.#projects.require(owner, request.projectUid);
    const rows = await this.#outputs.requireFree(project, request.outputList);
    await this.#quota.requireRoom(owner, rows.length);
    await this.#requireLinked(project, rows);
    const pubKeyHash = ownerHash(request.publicKey);
    const recipient = recipientHash(request.dstAddress, 'dstAddress');
    const outpoints = request.utxoList.map(({ txId, outputIndex }) => ({ txid: txId, vout: outputIndex }));
    const funding = await findFunding(this.#ctx.node, outpoints, pubKeyHash);
    requireFitting(rows.reduce((sum, { content_size }) => sum + content_size, 0));
    const isText = this.#ctx.faults.take('base64-content', 'token') !== undefined;
    const tokens = await Promise.all(
      rows.map(async ({ content_type: contentType, content_hash, metadata }) => {
        const content = await this.#ctx.files.read(content_hash);
        const map = JSON.parse(metadata) as Record<string, string>;
        return { contentType, content: isText ? base64Text(content) : content, map };
      }),
    );
    const { tx, txObj } = buildMint(tokens, recipient, funding, pubKeyHash);
    const transactionUid = await this.#record(project, rows, tx);
    const isTampered = this.#ctx.faults.take('tampered-txobj', 'token') !== undefined;
    return { transactionUid, txObj: isTampered ? tampered(tx, funding) : txObj };
  }

  /**
   * Broadcasts the signed form of a built transaction. Repeating the same bytes gives the same answer. A failed submission releases the
   * outputs, and the transaction may be submitted again as long as no other one has claimed them.
   * @throws ApiError
   */
  async submit(owner: KeyOwner, body: unknown): Promise<{ txId: string }> {
    const { transactionUid, tx } = read(submitTransactionSchema, body);
    return this.#submits.run(() => this.#submit(owner, transactionUid, tx));
  }

  /** Resolves when nothing is being submitted. */
  async idle(): Promise<void> {
    await this.#submits.idle();
  }

  /** Items need their collection on the chain, or before them in the same transaction (spec 2.2). */
  async #requireLinked(project: ProjectRow, rows: readonly OutputRow[]): Promise<void> {
    const seeds = await this.#ctx.db
      .selectFrom('token_outputs')
      .select(['tx_id', 'vout'])
      .where('project_uid', '=', project.uid)
      .where('sub_type', '=', 'collection')
      .where('tx_id', 'is not', null)
      .execute();
    const onChain = new Set(
      seeds.map(({ tx_id, vout }) => formatOutpoint({ txid: tx_id as string, vout: vout as number })),
    );
    let seedBefore = false;
    for (const row of rows) {
      if (row.sub_type === 'collection') {
        if (seedBefore || onChain.size > 0) throw secondCollection();
        seedBefore = true;
      }
      // a transaction cannot contain its own id, so only items of a minted collection are checked
      if (row.sub_type !== 'collectionItem' || seedBefore) continue;
      if (onChain.size === 0) throw new ApiError('collection-missing', 'sandbox-api.collection-not-first');
      const collectionId = collectionIdOf(JSON.parse(row.metadata) as Record<string, string>);
      if (collectionId === undefined || !onChain.has(collectionId)) {
        throw new ApiError('collection-missing', 'sandbox-api.item-collection', {
          output: row.uid,
          ids: [...onChain].join(' or '),
        });
      }
    }
  }

  async #record(project: ProjectRow, rows: readonly OutputRow[], tx: Tx): Promise<string> {
    const uid = randomUUID();
    const placed = rows.map((row): PlacedOutput => ({ uid: row.uid, digest: digestOf(row) }));
    await this.#ctx.db.transaction().execute(async (db) => {
      await db
        .insertInto('token_transactions')
        .values({
          uid,
          project_uid: project.uid,
          unsigned_id: txidOf(tx),
          outputs: JSON.stringify(placed),
          tokens: rows.length,
          state: 'built',
          tx_id: null,
          created_at: this.#ctx.clock.now(),
          submitted_at: null,
        })
        .execute();
      await claimOutputs(db, uid, placed);
    });
    return uid;
  }

  async #submit(owner: KeyOwner, uid: string, hex: string): Promise<{ txId: string }> {
    let row = await this.#require(owner, uid);
    // submissions to the node whose answer was lost
    if (row.state === 'submitting' && (await this.#settle(row))) row = await this.#require(owner, uid);
    try {
      const { raw, tx, txid } = readSigned(hex);
      if (row.state === 'submitted') {
        if (row.tx_id === txid) return { txId: txid };
        throw new ApiError('already-submitted', 'sandbox-api.already-submitted', { txid: String(row.tx_id) });
      }
      if (unsignedId(tx) !== row.unsigned_id) {
        throw new ApiError('tx-different', 'sandbox-api.tx-different', { field: 'tx' });
      }
      await this.#requireUnclaimed(txid);
      await this.#requireFirstCollection(row);
      await this.#quota.requireRoom(owner, row.tokens);
      await this.#claim(row, txid);
      const [result] = await this.#ctx.submit([{ raw, tx, txid }]);
      if (result === undefined) throw new Error('a submission has no result');
      if (!result.ok) throw rejected(result);
      await this.#mark(uid, txid);
      return { txId: txid };
    } catch (error) {
      // any other error leaves the outcome open; the next submission or start resolves it
      if (error instanceof ApiError && row.state !== 'submitted') await this.#release(uid);
      throw error;
    }
  }

  async #require(owner: KeyOwner, uid: string): Promise<TransactionRow> {
    const row = await this.#ctx.db
      .selectFrom('token_transactions')
      .innerJoin('token_projects', 'token_projects.uid', 'token_transactions.project_uid')
      .selectAll('token_transactions')
      .where('token_transactions.uid', '=', uid)
      .where('token_projects.key_hash', '=', owner.keyHash)
      .executeTakeFirst();
    if (row === undefined) throw new ApiError('not-found', 'sandbox-api.transaction-unknown');
    return row;
  }

  /** Equal content paid by the same coin gives the same transaction, which can mint the outputs of one request only. */
  async #requireUnclaimed(txid: string): Promise<void> {
    const other = await this.#ctx.db
      .selectFrom('token_transactions')
      .select('uid')
      .where('tx_id', '=', txid)
      .where('state', '=', 'submitted')
      .executeTakeFirst();
    if (other === undefined) return;
    throw new ApiError('tx-conflict', 'sandbox-api.tx-claimed', { uid: other.uid });
  }

  /** Two transactions may each have been built with a collection output; the first one submitted creates the collection. */
  async #requireFirstCollection(row: TransactionRow): Promise<void> {
    const uids = (JSON.parse(row.outputs) as PlacedOutput[]).map(({ uid }) => uid);
    const collections = await this.#ctx.db
      .selectFrom('token_outputs')
      .select(['uid', 'tx_id'])
      .where('project_uid', '=', row.project_uid)
      .where('sub_type', '=', 'collection')
      .execute();
    const own = collections.some(({ uid }) => uids.includes(uid));
    if (own && collections.some(({ uid, tx_id }) => tx_id !== null && !uids.includes(uid))) throw secondCollection();
  }

  /** Records the submission before it is sent, and reclaims outputs that a failed submission released. */
  async #claim(row: TransactionRow, txid: string): Promise<void> {
    await this.#ctx.db.transaction().execute(async (db) => {
      if (row.state === 'released') await claimOutputs(db, row.uid, JSON.parse(row.outputs) as PlacedOutput[]);
      await db
        .updateTable('token_transactions')
        .set({ state: 'submitting', tx_id: txid })
        .where('uid', '=', row.uid)
        .execute();
    });
  }

  /** @returns true if the node has the transaction; the record is then updated. */
  async #settle(row: TransactionRow): Promise<boolean> {
    if (row.tx_id === null || (await this.#ctx.node.transaction(row.tx_id)) === undefined) return false;
    await this.#mark(row.uid, row.tx_id);
    return true;
  }

  async #mark(uid: string, txid: string): Promise<void> {
    await this.#ctx.db.transaction().execute(async (db) => {
      await db
        .updateTable('token_transactions')
        .set({ state: 'submitted', tx_id: txid, submitted_at: this.#ctx.clock.now() })
        .where('uid', '=', uid)
        .execute();
      await db.updateTable('token_outputs').set({ tx_id: txid }).where('transaction_uid', '=', uid).execute();
    });
  }

  async #release(uid: string): Promise<void> {
    await this.#ctx.db.transaction().execute(async (db) => {
      await db
        .updateTable('token_transactions')
        .set({ state: 'released', tx_id: null })
        .where('uid', '=', uid)
        .execute();
      await db
        .updateTable('token_outputs')
        .set({ transaction_uid: null, vout: null })
        .where('transaction_uid', '=', uid)
        .execute();
    });
  }
}

/**
 * Assigns outputs to a transaction, all or none: the caller's database transaction rolls back otherwise.
 * @throws ApiError `output-used` if one is used, deleted or changed
 */
async function claimOutputs(
  db: Kysely<TokenTables>,
  transactionUid: string,
  outputs: readonly PlacedOutput[],
): Promise<void> {
  const uids = JSON.stringify(outputs.map(({ uid }) => uid));
  const rows = await db
    .selectFrom('token_outputs')
    .selectAll()
    .where('uid', 'in', sql<string>`(select value from json_each(${uids}))`)
    .execute();
  const free = new Map(rows.filter((row) => row.transaction_uid === null).map((row) => [row.uid, digestOf(row)]));
  for (const { uid, digest } of outputs) {
    if (free.get(uid) !== digest) throw new ApiError('output-used', 'sandbox-api.output-changed');
    // an output that is named twice fails here the second time
    free.delete(uid);
  }
  await sql`update token_outputs set transaction_uid = ${transactionUid}, vout = new.key from json_each(${uids}) as new
    where token_outputs.uid = new.value`.execute(db);
}

function digestOf({ content_hash, content_type, metadata }: OutputRow): string {
  return createHash('sha256')
    .update(JSON.stringify([content_hash, content_type, metadata]))
    .digest('hex');
}

function readSigned(hex: string): { raw: Uint8Array; tx: Tx; txid: string } {
  try {
    const raw = fromHex(hex.trim());
    return { raw, tx: parseTx(raw, true), txid: txidOf(raw) };
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    throw new ApiError('tx-malformed', 'sandbox-api.tx-malformed', { field: 'tx', reason: error.message });
  }
}

function secondCollection(): ApiError {
  return new ApiError('collection-exists', 'sandbox-api.second-collection');
}

function unsignedId(tx: Tx): string {
  return txidOf({ ...tx, inputs: tx.inputs.map((input) => ({ ...input, script: new Uint8Array() })) });
}

function rejected({ code, reason }: Rejection): ApiError {
  return new ApiError(CONFLICTS.has(code) ? 'tx-conflict' : 'tx-rejected', 'sandbox-api.tx-rejected', { code, reason });
}

/** Fault `base64-content`: some services inscribe the Base64 text that they received instead of the content. */
function base64Text(content: Uint8Array): Uint8Array {
  return new Uint8Array(Buffer.from(Buffer.from(content).toString('base64')));
}
