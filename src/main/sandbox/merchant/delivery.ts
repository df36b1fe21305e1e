import type { Kysely, Selectable } from 'kysely';
import { Agent, type Dispatcher, request } from 'undici';
import { fromHex, toHex, txidOf } from '../../../chain/index.ts';
import type { Clock, Logger, SettingsView } from '../../ports.ts';
import type { Faults } from '../faults.ts';
import { blockByHash, blockTxids, locateTransaction } from '../node/chain-store.ts';
import type { SandboxNode } from '../node/node.ts';
import { createNodeRpc, type NodeRpcDispatcher } from '../node/rpc.ts';
import type { SandboxTables } from '../tables.ts';
import { ProofTrees } from './proof-trees.ts';
import { namesPrivateHost, publicLookup } from './receivers.ts';
import { seal } from './seal.ts';
import type { EnvelopeSigner } from './signer.ts';
import type { CallbacksTable, WatchesTable } from './tables.ts';

/** Messages of one receiver that one turn sends. */
const BATCH = 100;
/** A receiver gets this long for a message; after a failure a little longer (wire.md 3.9). */
const TIMEOUT_MS = 1_000;
const SLOW_TIMEOUT_MS = 3_000;
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 600_000;
/** With the back-off these cover about four hours. */
const MAX_ATTEMPTS = 32;
/** Receivers that are sent to at the same time. */
const MAX_AT_ONCE = 256;

type Row = Selectable<CallbacksTable> & Omit<WatchesTable, 'uid'>;

interface Receiver {
  busy: boolean;
  /** Times in a row it could not be reached. */
  failures: number;
  /** Not to be tried before. */
  notBefore: number;
}

interface DeliveryOptions {
  readonly db: Kysely<SandboxTables>;
  readonly node: SandboxNode;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly settings: SettingsView;
  readonly signer: EnvelopeSigner;
  readonly faults: Faults;
}

/**
 * Sends queued messages. Every receiver has a turn of its own, so one that is slow or gone holds up nobody else's; what fails is tried
 * again, later and later. A message leaves the queue when its receiver said 2xx, so each arrives at least once.
 */
export class Delivery {
  readonly #options: DeliveryOptions;
  readonly #rpc: NodeRpcDispatcher;
  readonly #trees = new ProofTrees();
  readonly #agents: { readonly any: Agent; readonly public: Agent };
  readonly #receivers = new Map<string, Receiver>();
  readonly #turns = new Set<Promise<void>>();
  readonly #stop = new AbortController();
  #looking: Promise<void> | undefined;
  #lookAgain = false;
  #cancelTimer: (() => void) | undefined;

  constructor(options: DeliveryOptions) {
    this.#options = options;
    this.#rpc = createNodeRpc(options.node);
    this.#agents = {
      any: new Agent({ connections: 1 }),
      public: new Agent({ connections: 1, connect: { lookup: publicLookup } }),
    };
  }

  /** Looks for messages that are due, now and whenever the next one will be. */
  wake(): void {
    if (this.#stop.signal.aborted) return;
    this.#lookAgain = true;
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
  }

  /** Messages that wait, and those given up. */
  async counts(): Promise<{ waiting: number; givenUp: number }> {
    const rows = await this.#options.db
      .selectFrom('mapi_callbacks')
      .select((eb) => ['state', eb.fn.countAll().as('count')])
      .groupBy('state')
      .execute();
    const count = (state: string): number => Number(rows.find((row) => row.state === state)?.count ?? 0);
    return { waiting: count('waiting'), givenUp: count('given-up') };
  }

  /** Ends what is being sent; the next start sends it again. */
  async close(): Promise<void> {
    this.#stop.abort();
    this.#cancelTimer?.();
    await this.#looking;
    await Promise.all(this.#turns);
    await Promise.all([this.#agents.any.destroy(), this.#agents.public.destroy()]);
  }

  async #look(): Promise<void> {
    const { db, clock, logger } = this.#options;
    while (this.#lookAgain && !this.#stop.signal.aborted) {
      this.#lookAgain = false;
      try {
        const origins = await db
          .selectFrom('mapi_callbacks')
          .select((eb) => ['origin', eb.fn.min('next_at').as('next_at')])
          .where('state', '=', 'waiting')
          .groupBy('origin')
          .orderBy('next_at')
          .execute();
        for (const { origin } of origins) this.#receivers.set(origin, this.#receivers.get(origin) ?? newReceiver());
        let next = Number.POSITIVE_INFINITY;
        for (const { origin, next_at } of origins) {
          const receiver = this.#receivers.get(origin) as Receiver;
          const due = Math.max(next_at, receiver.notBefore);
          if (receiver.busy) continue;
          if (due > clock.now()) next = Math.min(next, due);
          // when one of them ends, this looks again
          else if (this.#turns.size < MAX_AT_ONCE) this.#begin(origin, receiver);
        }
        this.#cancelTimer?.();
        if (next < Number.POSITIVE_INFINITY) {
          this.#cancelTimer = clock.after(Math.max(1, next - clock.now()), () => this.wake());
        }
      } catch (error) {
        logger.error({ err: error }, 'the queue of callbacks could not be read');
        this.#cancelTimer = clock.after(FIRST_RETRY_MS, () => this.wake());
      }
    }
  }

  #begin(origin: string, receiver: Receiver): void {
    receiver.busy = true;
    const turn = this.#turn(origin, receiver)
      .catch((error: unknown) => {
        receiver.notBefore = this.#options.clock.now() + FIRST_RETRY_MS;
        this.#options.logger.error({ err: error }, 'callbacks could not be sent');
      })
      .finally(() => {
        receiver.busy = false;
        this.#turns.delete(turn);
        this.wake();
      });
    this.#turns.add(turn);
  }

  async #turn(origin: string, receiver: Receiver): Promise<void> {
    const { db, clock } = this.#options;
    const rows = await db
      .selectFrom('mapi_callbacks')
      .innerJoin('mapi_watches', 'mapi_watches.uid', 'mapi_callbacks.watch_uid')
      .selectAll('mapi_callbacks')
      .select(['txid', 'url', 'token', 'seal_key', 'merkle_proof', 'merkle_format', 'ds_check', 'spends'])
      .select(['proven_block', 'proven_height', 'created_at'])
      .where('origin', '=', origin)
      .where('state', '=', 'waiting')
      .where('next_at', '<=', clock.now())
      .orderBy('sequence')
      .limit(BATCH)
      .execute();
    const sent: number[] = [];
    try {
      for (const row of rows) {
        if (this.#stop.signal.aborted) return;
        const failure = await this.#send(row, receiver.failures > 0 ? SLOW_TIMEOUT_MS : TIMEOUT_MS);
        if (this.#stop.signal.aborted) return;
        if (failure === undefined) {
          receiver.failures = 0;
          sent.push(row.sequence);
          continue;
        }
        if (!failure.reached) {
          // the receiver itself is not there: the rest of its messages waits as well
          receiver.failures += 1;
          receiver.notBefore = clock.now() + backOff(receiver.failures);
        }
        await this.#failed(row, failure.text);
        if (!failure.reached) return;
      }
    } finally {
      if (sent.length > 0) await db.deleteFrom('mapi_callbacks').where('sequence', 'in', sent).execute();
    }
  }

  async #failed({ sequence, attempts, origin, reason }: Row, text: string): Promise<void> {
    const { db, clock, logger } = this.#options;
    const isLast = attempts + 1 >= MAX_ATTEMPTS;
    if (isLast) logger.warn({ origin, reason, error: text }, 'a callback was given up');
    await db
      .updateTable('mapi_callbacks')
      .set({
        attempts: attempts + 1,
        next_at: clock.now() + backOff(attempts + 1),
        last_error: text.slice(0, 300),
        state: isLast ? 'given-up' : 'waiting',
      })
      .where('sequence', '=', sequence)
      .execute();
  }

  /** @returns undefined once nothing is left to do for the message */
  async #send(row: Row, timeoutMs: number): Promise<{ text: string; reached: boolean } | undefined> {
    const { faults, settings, signer, clock } = this.#options;
    const message = await this.#message(row);
    if (message === undefined || faults.take('callbacks-lost') !== undefined) return undefined;
    const envelope = signer.wrap(message);
    const body = row.seal_key === '' ? envelope : await seal(envelope, row.seal_key);
    const headers = {
      'content-type': row.seal_key === '' ? 'application/json' : 'application/octet-stream',
      ...(row.token === '' ? {} : { authorization: row.token }),
    };
    const refusePrivate = settings.current().sandbox.refusePrivateCallbacks;
    // a name is looked up when it is connected to; an address is not, and the setting may be younger than the message
    if (refusePrivate && namesPrivateHost(new URL(row.url))) {
      return { text: 'callbackUrl is a private address', reached: true };
    }
    const dispatcher: Dispatcher = refusePrivate ? this.#agents.public : this.#agents.any;
    const late = new AbortController();
    const endWait = clock.after(timeoutMs, () => late.abort(new Error(`gave no answer within ${timeoutMs} ms`)));
    const signal = AbortSignal.any([this.#stop.signal, late.signal]);
    try {
      const url = row.url.replace(/\{callbackReason\}/gi, row.reason);
      const answer = await request(url, { method: 'POST', headers, body, dispatcher, signal });
      // what it says is of no interest, but its connection is
      await answer.body.dump({ limit: 16_384, signal });
      const { statusCode } = answer;
      if (statusCode >= 200 && statusCode < 300) return undefined;
      return { text: `answered ${statusCode}`, reached: true };
    } catch (error) {
      return { text: error instanceof Error ? error.message : 'unknown', reached: false };
    } finally {
      endWait();
    }
  }

  /** @returns undefined for what is no longer true: a proof for a block that was replaced since */
  async #message(row: Row): Promise<Record<string, unknown> | undefined> {
    const payload = row.reason === 'merkleProof' ? await this.#proof(row) : conflictOf(row);
    if (payload === undefined) return undefined;
    const { settings, clock, signer } = this.#options;
    const { mapiVersion } = settings.current().sandbox;
    return {
      // spec 6 shows text; the payloads of 1.5.0 hold an object (wire.md 3.9)
      callbackPayload: mapiVersion === '1.5.0' ? payload : JSON.stringify(payload),
      apiVersion: mapiVersion,
      timestamp: new Date(clock.now()).toISOString(),
      ...(signer.minerId === undefined ? {} : { minerId: signer.minerId }),
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

function backOff(attempts: number): number {
  return Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** (attempts - 1));
}

function newReceiver(): Receiver {
  return { busy: false, failures: 0, notBefore: 0 };
}
