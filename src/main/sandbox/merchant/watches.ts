import { randomUUID } from 'node:crypto';
import type { Insertable } from 'kysely';
import { formatOutpoint, parseBlock, parseTx, serializeTx, toHex, txidOf } from '../../../chain/index.ts';
import { chunks } from '../../chunks.ts';
import { SerialQueue } from '../node/mempool/admission.ts';
import { rawBlock } from '../node/storage/block-bytes.ts';
import { blockAtHeight } from '../node/storage/chain-store.ts';
import type { SandboxParts } from '../parts.ts';
import { lastSequence } from '../tables.ts';
import type { CallbacksTable, WatchesTable } from './tables.ts';

/** Confirmations after which a proven transaction is final. */
const SETTLED_DEPTH = 100;
/** Blocks searched at start for transactions mined while the sandbox was stopped. */
const SEARCHED_BLOCKS = 100;
/** Rows per statement: SQLite allows 32,766 values. */
const ROWS_AT_ONCE = 1_000;

/** Placeholder for the block of a double-spent transaction whose callback has been queued. */
const LOST = 'lost';

export interface WatchRequest {
  readonly url: string;
  readonly token: string;
  readonly sealKey: string;
  readonly merkleProof: boolean;
  readonly merkleFormat: string;
  readonly dsCheck: boolean;
}

type Message = Pick<CallbacksTable, 'reason' | 'block_hash' | 'block_height' | 'conflict'> & { watch: Watched };
type Watched = Pick<WatchesTable, 'uid' | 'url' | 'merkle_proof' | 'ds_check'>;

interface WatchesOptions extends Pick<SandboxParts, 'db' | 'node' | 'clock' | 'logger'> {
  /** Called after messages were queued. */
  readonly queued: () => void;
}

/**
 * Watches the transactions with requested callbacks and queues messages. A message is stored in the database first. Events that happened
 * while the sandbox was stopped are found at the next start.
 */
export class Watches {
  readonly #options: WatchesOptions;
  /** By txid. */
  readonly #watched = new Map<string, Watched[]>();
  readonly #work = new SerialQueue();
  readonly #stops: (() => void)[];
  #sequence: number;

  static async open(options: WatchesOptions): Promise<Watches> {
    const watches = new Watches(options, await lastSequence(options.db, 'mapi_callbacks'));
    await watches.#catchUp();
    return watches;
  }

  private constructor(options: WatchesOptions, sequence: number) {
    const { node } = options;
    this.#options = options;
    this.#sequence = sequence;
    this.#stops = [
      node.onTip((tip, block) => {
        const mined = block.transactions.filter(({ txid }) => this.#watched.has(txid)).map(({ txid }) => txid);
        this.#later(() => this.#mined(block.hash, tip.height, mined));
      }),
      node.onRemoved(({ txid, collidedWith, blockHash }) => {
        if (collidedWith === undefined || blockHash === undefined || !this.#watched.has(txid)) return;
        this.#later(() => this.#doubleSpent(txid, collidedWith.raw, blockHash));
      }),
      node.onRefused(({ raw, conflictedWith }) => {
        const attacked = (conflictedWith ?? []).map(({ txid }) => txid).filter((txid) => this.#watched.has(txid));
        if (attacked.length > 0) this.#later(() => this.#attempted(attacked, raw));
      }),
    ];
  }

  /** Earlier callback requests, by txid. */
  async asked(txids: readonly string[]): Promise<Map<string, WatchRequest[]>> {
    const requests = new Map<string, WatchRequest[]>();
    for (const some of chunks(txids, ROWS_AT_ONCE)) {
      const rows = await this.#options.db.selectFrom('mapi_watches').selectAll().where('txid', 'in', some).execute();
      for (const row of rows) {
        const request = {
          url: row.url,
          token: row.token,
          sealKey: row.seal_key,
          merkleProof: row.merkle_proof === 1,
          merkleFormat: row.merkle_format,
          dsCheck: row.ds_check === 1,
        };
        requests.set(row.txid, [...(requests.get(row.txid) ?? []), request]);
      }
    }
    return requests;
  }

  /**
   * Starts to watch transactions. Call it before submitting them, so that no event is missed.
   * @returns a function that removes the watches of failed submissions
   */
  async add(
    wanted: readonly { raw: Uint8Array; txid: string; request: WatchRequest }[],
  ): Promise<(txids: ReadonlySet<string>) => Promise<void>> {
    const rows = wanted.map(
      ({ raw, txid, request }): Insertable<WatchesTable> => ({
        uid: randomUUID(),
        txid,
        url: request.url,
        token: request.token,
        seal_key: request.sealKey,
        merkle_proof: request.merkleProof ? 1 : 0,
        merkle_format: request.merkleFormat,
        ds_check: request.dsCheck ? 1 : 0,
        spends: JSON.stringify(parseTx(raw).inputs.map(formatOutpoint)),
        proven_block: null,
        proven_height: null,
        created_at: this.#options.clock.now(),
      }),
    );
    await this.#options.db.transaction().execute(async (db) => {
      for (const some of chunks(rows, ROWS_AT_ONCE)) await db.insertInto('mapi_watches').values(some).execute();
    });
    for (const row of rows) this.#remember(row.txid, row);
    return async (failed) => {
      const gone = rows.filter(({ txid }) => failed.has(txid));
      for (const { txid, uid } of gone) this.#forget(txid, uid);
      for (const some of chunks(gone, ROWS_AT_ONCE)) {
        const uids = some.map(({ uid }) => uid);
        // a pending message keeps its watch
        await this.#options.db
          .deleteFrom('mapi_watches')
          .where('uid', 'in', uids)
          .where('uid', 'not in', (eb) => eb.selectFrom('mapi_callbacks').select('watch_uid'))
          .execute();
      }
    };
  }

  /** Stops listening; events so far are queued. */
  async close(): Promise<void> {
    for (const stop of this.#stops) stop();
    await this.#work.idle();
  }

  #later(work: () => Promise<void>): void {
    this.#work.run(work).catch((error: unknown) => {
      this.#options.logger.error(
        { err: error },
        'callbacks could not be queued; the next start of the sandbox makes up for it',
      );
    });
  }

  #remember(txid: string, { uid, url, merkle_proof, ds_check }: Watched): void {
    const watched = this.#watched.get(txid) ?? [];
    watched.push({ uid, url, merkle_proof, ds_check });
    this.#watched.set(txid, watched);
  }

  #forget(txid: string, uid: string): void {
    const left = (this.#watched.get(txid) ?? []).filter((watch) => watch.uid !== uid);
    if (left.length === 0) this.#watched.delete(txid);
    else this.#watched.set(txid, left);
  }

  async #mined(hash: string, height: number, txids: readonly string[]): Promise<void> {
    const messages = txids.flatMap((txid) =>
      (this.#watched.get(txid) ?? [])
        .filter(({ merkle_proof }) => merkle_proof === 1)
        .map(
          (watch): Message => ({ watch, reason: 'merkleProof', block_hash: hash, block_height: height, conflict: '' }),
        ),
    );
    await this.#options.db.transaction().execute(async (db) => {
      await this.#queue(db, messages);
      for (const some of chunks(txids, ROWS_AT_ONCE)) {
        await db
          .updateTable('mapi_watches')
          .set({ proven_block: hash, proven_height: height })
          .where('txid', 'in', some)
          .execute();
      }
    });
    if (messages.length > 0) this.#options.queued();
    await this.#forgetSettled(height - SETTLED_DEPTH);
  }

  async #forgetSettled(height: number): Promise<void> {
    const settled = await this.#options.db
      .selectFrom('mapi_watches')
      .select(['uid', 'txid'])
      .where('proven_height', '<=', height)
      .where('uid', 'not in', (eb) => eb.selectFrom('mapi_callbacks').select('watch_uid'))
      .limit(ROWS_AT_ONCE)
      .execute();
    if (settled.length === 0) return;
    for (const { uid, txid } of settled) this.#forget(txid, uid);
    const uids = settled.map(({ uid }) => uid);
    await this.#options.db.deleteFrom('mapi_watches').where('uid', 'in', uids).execute();
  }

  async #doubleSpent(txid: string, conflict: Uint8Array, blockHash: string): Promise<void> {
    const block = (await this.#options.node.proof(txidOf(conflict)))?.blockHeight ?? this.#options.node.tip().height;
    await this.#tell([txid], {
      reason: 'doubleSpend',
      block_hash: blockHash,
      block_height: block,
      conflict: toHex(conflict),
    });
    await this.#options.db
      .updateTable('mapi_watches')
      .set({ proven_block: LOST, proven_height: block })
      .where('txid', '=', txid)
      .execute();
  }

  #attempted(txids: readonly string[], conflict: Uint8Array): Promise<void> {
    const none = { block_hash: '', block_height: -1 };
    return this.#tell(txids, { reason: 'doubleSpendAttempt', ...none, conflict: toHex(conflict) });
  }

  async #tell(txids: readonly string[], message: Omit<Message, 'watch'>): Promise<void> {
    const watching = txids.flatMap((txid) => this.#watched.get(txid) ?? []).filter(({ ds_check }) => ds_check === 1);
    if (watching.length === 0) return;
    const messages = watching.map((watch) => ({ watch, ...message }));
    await this.#options.db.transaction().execute((db) => this.#queue(db, messages));
    this.#options.queued();
  }

  async #queue(db: SandboxParts['db'], messages: readonly Message[]): Promise<void> {
    const now = this.#options.clock.now();
    const rows = messages.map(
      ({ watch, ...message }): CallbacksTable => ({
        sequence: ++this.#sequence,
        watch_uid: watch.uid,
        origin: new URL(watch.url).origin,
        ...message,
        queued_at: now,
        attempts: 0,
        next_at: now,
        state: 'waiting',
        last_error: '',
      }),
    );
    for (const some of chunks(rows, ROWS_AT_ONCE)) await db.insertInto('mapi_callbacks').values(some).execute();
  }

  /** Loads the watches, and queues messages for events that happened while the sandbox was stopped. */
  async #catchUp(): Promise<void> {
    const rows = await this.#options.db.selectFrom('mapi_watches').selectAll().execute();
    for (const row of rows) this.#remember(row.txid, row);
    const unproven = new Map<string, string[]>();
    for (const { txid, spends, proven_block, uid } of rows) {
      const found = await this.#options.node.transaction(txid);
      if (found === undefined && proven_block !== LOST) unproven.set(txid, JSON.parse(spends) as string[]);
      else if (found?.blockHash && found.blockHeight !== null && found.blockHash !== proven_block) {
        const all = this.#watched.get(txid) ?? [];
        const own = all.filter((watch) => watch.uid === uid);
        this.#watched.set(txid, own);
        await this.#mined(found.blockHash, found.blockHeight, [txid]);
        this.#watched.set(txid, all);
      }
    }
    if (unproven.size > 0) await this.#findDoubleSpends(unproven);
  }

  async #findDoubleSpends(lost: ReadonlyMap<string, readonly string[]>): Promise<void> {
    const victims = new Map([...lost].flatMap(([txid, spends]) => spends.map((outpoint) => [outpoint, txid] as const)));
    const told = new Set<string>();
    const { height } = this.#options.node.tip();
    for (let at = height; at > Math.max(0, height - SEARCHED_BLOCKS); at--) {
      const hash = (await blockAtHeight(this.#options.db, at))?.hash;
      const raw = hash === undefined ? undefined : await rawBlock(this.#options.db, hash);
      if (hash === undefined || raw === undefined) continue;
      for (const tx of parseBlock(raw).transactions) {
        for (const input of tx.inputs) {
          const txid = victims.get(formatOutpoint(input));
          if (txid === undefined || told.has(txid)) continue;
          told.add(txid);
          await this.#doubleSpent(txid, serializeTx(tx), hash);
        }
      }
    }
  }
}
