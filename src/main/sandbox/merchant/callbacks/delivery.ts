import type { Selectable } from 'kysely';
import { fromHex, toHex, txidOf } from '../../../../chain/index.ts';
import { backOffMs } from '../../../async/back-off.ts';
import { createNodeRpc, type NodeRpcDispatcher } from '../../node/rpc/dispatcher.ts';
import { blockByHash, blockTxids, locateTransaction } from '../../node/storage/chain-store.ts';
import type { SandboxParts } from '../../parts.ts';
import { ProofTrees } from '../proof-trees.ts';
import type { EnvelopeSigner } from '../signer.ts';
import type { CallbacksTable, WatchesTable } from '../tables.ts';
import { CallbackClient, type CallbackFailure } from './callback-client.ts';
import { DueLoop } from './due-loop.ts';
import { seal } from './seal.ts';

/** Messages for one URL that are loaded at once. */
const BATCH = 100;
/** URLs per origin that are sent to concurrently, so that one that hangs does not block the others. */
const ADDRESSES_AT_ONCE = 8;
/** Timeout of a message; slightly longer after a failure (wire.md 3.9). */
const TIMEOUT_MS = 1_000;
const SLOW_TIMEOUT_MS = 3_000;
const RETRY = { firstMs: 1_000, longestMs: 600_000 };
/** With the back-off, these attempts take about four hours. */
const MAX_ATTEMPTS = 32;
/** URLs that are sent to concurrently. */
const MAX_AT_ONCE = 256;

type Row = Selectable<CallbacksTable> & Omit<WatchesTable, 'uid'>;

interface DeliveryOptions extends Omit<SandboxParts, 'submit'> {
  readonly signer: EnvelopeSigner;
}

/**
 * Delivers queued callbacks: one at a time per URL, and to a few URLs per origin concurrently. A failed message is retried with
 * increasing delays while messages to other URLs continue. A message leaves the queue when its receiver answers 2xx, so delivery is
 * at least once.
 */
export class Delivery {
  readonly #options: DeliveryOptions;
  readonly #rpc: NodeRpcDispatcher;
  readonly #trees = new ProofTrees();
  readonly #client: CallbackClient;
  /** URLs being sent to, with their origins. */
  readonly #busy = new Map<string, string>();
  readonly #loop: DueLoop;

  constructor(options: DeliveryOptions) {
    this.#options = options;
    this.#rpc = createNodeRpc(options.node);
    this.#client = new CallbackClient(options, ADDRESSES_AT_ONCE);
    this.#loop = new DueLoop({ ...options, look: () => this.#look() });
  }

  /** Checks for due messages, now and whenever the next one is due. */
  wake(): void {
    this.#loop.wake();
  }

  /** Aborts deliveries; the next start sends them again. */
  async close(): Promise<void> {
    this.#client.stop();
    await this.#loop.stop();
    await this.#client.close();
  }

  async #look(): Promise<number | undefined> {
    const { clock } = this.#options;
    let next: number | undefined;
    // The origin whose message is due first comes first.
    for (const { origin, next_at } of await this.#origins()) {
      if (next_at > clock.now()) next ??= next_at;
      else await this.#beginAll(origin);
    }
    return next;
  }

  /** Origins with messages for idle URLs, and when the first of them is due. */
  async #origins(): Promise<{ origin: string; next_at: number }[]> {
    const busy = [...this.#busy.keys()];
    return this.#options.db
      .selectFrom('mapi_callbacks')
      .$if(busy.length > 0, (query) =>
        query
          .innerJoin('mapi_watches', 'mapi_watches.uid', 'mapi_callbacks.watch_uid')
          .where('mapi_watches.url', 'not in', busy),
      )
      .select((eb) => ['origin', eb.fn.min('next_at').as('next_at')])
      .where('state', '=', 'waiting')
      .groupBy('origin')
      .orderBy('next_at')
      .execute();
  }

  /** Starts deliveries to URLs of an origin with due messages, up to the limit. */
  async #beginAll(origin: string): Promise<void> {
    // Checked again whenever one of them ends.
    while (this.#loop.senders < MAX_AT_ONCE && this.#busyOf(origin).length < ADDRESSES_AT_ONCE) {
      const url = await this.#take(origin);
      if (url === undefined) return;
      this.#loop.run(this.#sendAll(origin, url));
    }
  }

  /** Reserves the URL of an origin whose message has been due longest. @returns undefined if there is none */
  async #take(origin: string): Promise<string | undefined> {
    const { db, clock } = this.#options;
    for (;;) {
      const busy = this.#busyOf(origin);
      const row = await db
        .selectFrom('mapi_callbacks')
        .innerJoin('mapi_watches', 'mapi_watches.uid', 'mapi_callbacks.watch_uid')
        .select('url')
        .where('origin', '=', origin)
        .where('state', '=', 'waiting')
        .where('next_at', '<=', clock.now())
        .$if(busy.length > 0, (query) => query.where('url', 'not in', busy))
        .orderBy('next_at')
        .orderBy('sequence')
        .limit(1)
        .executeTakeFirst();
      // Another worker may have taken it meanwhile.
      if (row !== undefined && this.#busy.has(row.url)) continue;
      if (row !== undefined) this.#busy.set(row.url, origin);
      return row?.url;
    }
  }

  #busyOf(origin: string): string[] {
    return [...this.#busy].flatMap(([url, of]) => (of === origin ? [url] : []));
  }

  /** Delivers to the URLs of an origin, one after the other, as long as messages are due. */
  async #sendAll(origin: string, first: string): Promise<void> {
    for (let url: string | undefined = first; url !== undefined; url = await this.#take(origin)) {
      try {
        await this.#sendTo(origin, url);
      } finally {
        this.#busy.delete(url);
      }
      if (this.#client.stopped) return;
    }
  }

  /** Delivers due messages to a URL until one gets no response. */
  async #sendTo(origin: string, url: string): Promise<void> {
    const { db, clock } = this.#options;
    const rows = await db
      .selectFrom('mapi_callbacks')
      .innerJoin('mapi_watches', 'mapi_watches.uid', 'mapi_callbacks.watch_uid')
      .selectAll('mapi_callbacks')
      .select(['txid', 'url', 'token', 'seal_key', 'merkle_proof', 'merkle_format', 'ds_check', 'spends'])
      .select(['proven_block', 'proven_height', 'created_at'])
      .where('origin', '=', origin)
      .where('url', '=', url)
      .where('state', '=', 'waiting')
      .where('next_at', '<=', clock.now())
      .orderBy('next_at')
      .orderBy('sequence')
      .limit(BATCH)
      .execute();
    const sent: number[] = [];
    try {
      for (const [index, row] of rows.entries()) {
        if (this.#client.stopped) return;
        const failure = await this.#send(row, row.attempts > 0 ? SLOW_TIMEOUT_MS : TIMEOUT_MS);
        if (this.#client.stopped) return;
        if (failure === undefined) {
          sent.push(row.sequence);
          continue;
        }
        await this.#failed(row, failure.text);
        if (failure.answered) continue;
        await this.#setAside(rows.slice(index + 1));
        return;
      }
    } finally {
      if (sent.length > 0) await db.deleteFrom('mapi_callbacks').where('sequence', 'in', sent).execute();
    }
  }

  /** Postpones messages for a URL that does not respond, so that those of other URLs come first. */
  async #setAside(rows: readonly Row[]): Promise<void> {
    if (rows.length === 0) return;
    const { db, clock } = this.#options;
    const sequences = rows.map(({ sequence }) => sequence);
    await db
      .updateTable('mapi_callbacks')
      .set({ next_at: clock.now() + RETRY.firstMs })
      .where('sequence', 'in', sequences)
      .execute();
  }

  async #failed({ sequence, attempts, origin, reason }: Row, text: string): Promise<void> {
    const { db, clock, logger } = this.#options;
    const isLast = attempts + 1 >= MAX_ATTEMPTS;
    if (isLast) logger.warn({ origin, reason, error: text }, 'a callback was given up');
    await db
      .updateTable('mapi_callbacks')
      .set({
        attempts: attempts + 1,
        next_at: clock.now() + backOffMs(RETRY, attempts + 1),
        last_error: text.slice(0, 300),
        state: isLast ? 'given-up' : 'waiting',
      })
      .where('sequence', '=', sequence)
      .execute();
  }

  /** @returns undefined if the message is done */
  async #send(row: Row, timeoutMs: number): Promise<CallbackFailure | undefined> {
    const { faults, signer } = this.#options;
    const message = await this.#message(row);
    if (message === undefined || faults.take('callbacks-lost') !== undefined) return undefined;
    const envelope = signer.wrap(message);
    const body = row.seal_key === '' ? envelope : await seal(envelope, row.seal_key);
    const headers = {
      'content-type': row.seal_key === '' ? 'application/json' : 'application/octet-stream',
      ...(row.token === '' ? {} : { authorization: row.token }),
    };
    const url = row.url.replace(/\{callbackReason\}/gi, row.reason);
    return this.#client.post({ url, headers, body, timeoutMs });
  }

  /** @returns undefined if the message is obsolete: a proof for a block that has been replaced */
  async #message(row: Row): Promise<Record<string, unknown> | undefined> {
    const payload = row.reason === 'merkleProof' ? await this.#proof(row) : conflictOf(row);
    if (payload === undefined) return undefined;
    const { settings, clock, signer } = this.#options;
    const { mapiVersion } = settings.current().sandbox;
    return {
      // spec 6 uses a string; payloads of 1.5.0 contain an object (wire.md 3.9)
      callbackPayload: mapiVersion === '1.5.0' ? payload : JSON.stringify(payload),
      apiVersion: mapiVersion,
      timestamp: new Date(clock.now()).toISOString(),
      minerId: signer.minerId,
      blockHash: row.block_hash,
      blockHeight: row.block_height,
      callbackTxId: row.txid,
      callbackReason: row.reason,
    };
  }

  async #proof({ txid, block_hash, merkle_format }: Row): Promise<unknown> {
    const { node } = this.#options;
    const at = await locateTransaction(node.db, txid);
    const block = at?.block_hash === block_hash ? await blockByHash(node.db, block_hash) : undefined;
    if (at === undefined || block === undefined) return undefined;
    const nodes = await this.#trees.branch(block_hash, at.position, () => blockTxids(node.db, block_hash));
    const proof = { index: at.position, txOrId: txid };
    if (merkle_format === 'TSC') return { ...proof, targetType: 'header', target: toHex(block.header), nodes };
    const header = await this.#rpc.dispatch('getblockheader', [block_hash, true]);
    return { flags: 2, ...proof, target: header, nodes };
  }
}

function conflictOf({ conflict }: Row): unknown {
  return { doubleSpendTxId: txidOf(fromHex(conflict)), payload: conflict };
}
