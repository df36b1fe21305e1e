import type { Logger } from 'pino';
import { phrase, type TrackedTransaction, type TransactionOrigin } from '../../../contract/index.ts';
import { backOffMs } from '../../async/back-off.ts';
import { leftUntil } from '../../async/left-until.ts';
import { chunks } from '../../chunks.ts';
import type { ChainData } from '../../ports/chain-data.ts';
import type { TrackRequest } from '../../ports/merchant/transactions.ts';
import { isSentFromHere } from './answers.ts';
import { minedStep, proofOf } from './block-follower.ts';
import { findRivals, type Rival } from './spenders.ts';
import { firstLook, IMPOSSIBLE_MS, nextLook } from './storage/due-times.ts';
import type { LightRow } from './storage/rows.ts';
import type { TransactionStep } from './storage/steps.ts';
import type { TrackedChain } from './storage/tracked-chain.ts';
import type { Tracker } from './tracker.ts';

/** Transactions read from the disk at once. */
const PAGE = 5_000;
/** Up to so many are asked for one by one; more are looked for in a list of the mempool. */
const ASKED_ONE_BY_ONE = 10;
/** A larger mempool is not listed: so many ids fit into an answer that is read. */
const LISTED_MEMPOOL = 350_000;
/** Transactions in neither mempool nor block that one look follows up; the others wait for the next. */
const FOLLOWED_UP = 500;
const AT_ONCE = 8;
/** A miner's node may take so long to tell others of what it accepted. */
const LOST_AFTER_MS = 20_000;
const LONGEST_RETRY_MS = 3_600_000;
const FIRST_RETRY_MS = 5_000;

export interface WaitingTransactionsOptions {
  chain: TrackedChain;
  tracker: Tracker;
  chainData: ChainData;
  now: () => number;
  logger: Logger;
  /** Sends transactions once more, parents before children. */
  sendAgain: (lost: readonly Pick<TrackRequest, 'rawTx' | 'origin'>[]) => Promise<void>;
  /** Services that send their own transactions again, by rules of their own. */
  sentByTheirService: readonly TransactionOrigin[];
}

/** Looks at transactions that no block holds: in the mempool, taken by another that spends the same coin, or lost. */
export class WaitingTransactions {
  readonly #options: WaitingTransactionsOptions;

  constructor(options: WaitingTransactionsOptions) {
    this.#options = options;
  }

  /**
   * @param which `all` after a change of the chain, which may have replaced any of them
   * @returns how many it looked at
   * @throws PlanchetError `upstream-*`
   */
  async look(which: 'due' | 'all', signal: AbortSignal): Promise<number> {
    const { chain } = this.#options;
    let listed: ReadonlySet<string> | undefined;
    const missing: LightRow[] = [];
    let looked = 0;
    for (let after = 0, rows: LightRow[] = []; ; after = rows.at(-1)?.id ?? 0) {
      signal.throwIfAborted();
      rows = await chain.toLookAt(which, after, PAGE);
      if (rows.length === 0) break;
      looked += rows.length;
      if (listed === undefined && (rows.length > ASKED_ONE_BY_ONE || which === 'all'))
        listed = await this.#mempool(signal);
      missing.push(...(await this.#sortOut(rows, listed, signal)));
      if (rows.length < PAGE) break;
    }
    await this.#followUp(missing.slice(0, FOLLOWED_UP), signal);
    await this.#postpone(missing.slice(FOLLOWED_UP));
    return looked;
  }

  async #mempool(signal: AbortSignal): Promise<ReadonlySet<string> | undefined> {
    const { value: listed } = await this.#options.chainData.until(signal).mempool(LISTED_MEMPOOL);
    return listed && new Set(listed);
  }

  /** Journals what the mempool holds. @returns the others */
  async #sortOut(
    rows: readonly LightRow[],
    listed: ReadonlySet<string> | undefined,
    signal: AbortSignal,
  ): Promise<LightRow[]> {
    const present = listed ?? (await this.#ask(rows, signal));
    const missing = rows.filter(({ txid }) => !present.has(txid));
    await this.#noteSeen(rows.filter(({ txid }) => present.has(txid)));
    return missing;
  }

  /** Those that were in a mempool before are looked at again later. */
  async #noteSeen(rows: readonly LightRow[]): Promise<void> {
    const { now } = this.#options;
    const news = rows.filter(({ state }) => state !== 'seen');
    await this.#change(news, () => seenStep(now()));
    await this.#postpone(rows.filter(({ state }) => state === 'seen'));
  }

  async #ask(rows: readonly LightRow[], signal: AbortSignal): Promise<ReadonlySet<string>> {
    const present = new Set<string>();
    await inGroups(rows.slice(0, FOLLOWED_UP), signal, async (row) => {
      if (!this.#isDoubted(row) && (await this.#isInMempool(row.txid, signal))) present.add(row.txid);
    });
    return present;
  }

  async #isInMempool(txid: string, signal: AbortSignal): Promise<boolean> {
    return (await this.#options.chainData.until(signal).isInMempool(txid)).value === true;
  }

  /** A service may have the bytes of a transaction long after another one took its coin. */
  #isDoubted({ double_spent_by: suspect }: LightRow): boolean {
    return suspect !== null && this.#options.chainData.withoutLists === true;
  }

  #isDue({ due_at: dueAt }: LightRow): boolean {
    return leftUntil(dueAt ?? 0, this.#options.now(), IMPOSSIBLE_MS) === 0;
  }

  /** Sets when they are looked at next. One that was looked at before it was due keeps its time. */
  async #postpone(rows: readonly LightRow[]): Promise<void> {
    const now = this.#options.now();
    const due = rows.filter((row) => this.#isDue(row));
    const times = due.map((row) => [row.id, row.state, nextLook(row.state, now, Number(row.updated_at))] as const);
    await this.#options.chain.postpone(times);
  }

  /** Changes those that are still as they were looked at: what was learnt meanwhile, as from a callback with a proof, stands. */
  async #change(
    rows: readonly LightRow[],
    decide: (before: TrackedTransaction, attempts: number) => TransactionStep | undefined,
  ): Promise<void> {
    const looked = new Map(rows.map(({ txid, state }) => [txid, state]));
    await this.#options.tracker.change([...looked.keys()], (before, attempts) =>
      before.state === looked.get(before.txid) ? decide(before, attempts) : undefined,
    );
  }

  /** What neither the mempool nor a searched block holds: mined after all, double-spent, or to be sent again. */
  async #followUp(rows: readonly LightRow[], signal: AbortSignal): Promise<void> {
    const { now, tracker } = this.#options;
    const chainData = this.#options.chainData.until(signal);
    const unknown: LightRow[] = [];
    const doubted: LightRow[] = [];
    await inGroups(rows, signal, async (row) => {
      // Accepted since the mempool was listed; asked first, because some nodes say where it is with the whole of it.
      const place = (await this.#isInMempool(row.txid, signal)) ? null : (await chainData.placeOf(row.txid)).value;
      if (place) await this.#found(row, place, signal);
      else if (place === undefined) unknown.push(row);
      else if (this.#isDoubted(row)) doubted.push(row);
      else if (row.state !== 'seen') await this.#change([row], () => seenStep(now()));
    });
    unknown.sort((a, b) => a.id - b.id);
    const compared = [...unknown, ...doubted];
    const raws = await tracker.rawOf(compared.map(({ txid }) => txid));
    const spendings = compared.flatMap(({ txid, double_spent_by: suspect }) => {
      const rawTx = raws.get(txid);
      return rawTx === undefined ? [] : [{ txid, rawTx, suspect }];
    });
    const rivals = await findRivals(chainData, spendings, signal);
    const beaten = compared.filter(({ txid }) => rivals.get(txid)?.where === 'block');
    await this.#change(beaten, ({ txid }) => beatenStep(rivals.get(txid) as Rival));
    await this.#noteSeen(doubted.filter((row) => !beaten.includes(row)));
    const open = unknown.filter((row) => !beaten.includes(row));
    const displaced = open.filter(({ txid, state }) => rivals.has(txid) && (state === 'stale' || state === 'seen'));
    await this.#change(displaced, () => displacedStep(now()));
    const lost = open.filter((row) => !rivals.has(row.txid) && this.#isLost(row));
    await this.#postpone(open.filter((row) => !lost.includes(row) && !displaced.includes(row)));
    await this.#sendAgain(lost, raws);
  }

  async #found(row: LightRow, place: { hash: string; height: number }, signal: AbortSignal): Promise<void> {
    const { chainData, logger, now } = this.#options;
    const asked = chainData.until(signal).inclusion(row.txid, place.hash);
    const found = await asked.catch((error: unknown) => {
      if (signal.aborted) throw error;
      logger.debug({ err: error, txid: row.txid }, 'there is no proof of a transaction yet');
      return undefined;
    });
    const proof = found?.value && proofOf(found.value);
    // Nothing is new: only the proof is missing, and asked for again, ever later.
    if (proof === undefined && row.state === 'mined' && row.block_hash === place.hash) return this.#postpone([row]);
    const dueAt = proof === undefined ? nextLook('mined', now(), Number(row.updated_at)) : null;
    await this.#change([row], () => minedStep(place, proof, dueAt));
  }

  #isLost(row: LightRow): boolean {
    const { state, origin, reason, updated_at: since } = row;
    // A time in the future was written before the clock was put back.
    const isOld = Math.abs(this.#options.now() - Number(since)) >= LOST_AFTER_MS;
    // Without any answer, the program ended before it was sent.
    if (state === 'queued') return (reason !== null || isOld) && isSentFromHere({ origin }) && this.#isDue(row);
    if (state === 'evicted') return this.#isDue(row);
    if (state === 'submitted') return isOld;
    return state === 'seen' || state === 'stale';
  }

  async #sendAgain(lost: readonly LightRow[], raws: ReadonlyMap<string, Uint8Array>): Promise<void> {
    if (lost.length === 0) return;
    const { now, sendAgain, sentByTheirService } = this.#options;
    const at = now();
    const stillLost = new Set<string>();
    await this.#change(lost, ({ txid, state, origin }, attempts) => {
      stillLost.add(txid);
      const isLeft = sentByTheirService.includes(origin);
      const next = isLeft || state === 'seen' || state === 'submitted' ? 'evicted' : state;
      if (isLeft && state === next) return { change: { dueAt: nextLook(next, at, at - LOST_AFTER_MS) }, events: [] };
      const dueAt = at + backOffMs({ firstMs: LOST_AFTER_MS, longestMs: LONGEST_RETRY_MS }, attempts + 1);
      if (state === 'queued') return retryStep(at, attempts);
      const sentence = phrase(isLeft ? 'event.unknown' : 'event.sent-again');
      return {
        change: { state: next, attempts: attempts + 1, dueAt },
        events: [{ kind: 'retry', state: next === state ? null : next, sentence }],
      };
    });
    const toSend = lost.flatMap(({ txid, origin }) => {
      const rawTx = raws.get(txid);
      const isLeft = !stillLost.has(txid) || sentByTheirService.includes(origin);
      return rawTx === undefined || isLeft ? [] : [{ rawTx, origin }];
    });
    if (toSend.length > 0) await sendAgain(toSend);
  }
}

/** No miner could be asked, so it is sent again later. */
function retryStep(now: number, attempts: number) {
  const dueAt = now + backOffMs({ firstMs: FIRST_RETRY_MS, longestMs: LONGEST_RETRY_MS }, attempts + 1);
  const event = { kind: 'retry' as const, sentence: phrase('event.retried') };
  return { change: { attempts: attempts + 1, dueAt }, events: [event] };
}

/** A mempool holds it. */
export function seenStep(now: number) {
  const change = { state: 'seen' as const, reason: null, attempts: 0, dueAt: firstLook('seen', now) };
  return { change, events: [{ kind: 'state' as const, state: 'seen' as const }] };
}

/** Another transaction took its place in the mempool; which of them wins is not known yet. */
function displacedStep(now: number) {
  const sentence = phrase('event.spent-in-mempool');
  return {
    change: { state: 'evicted' as const, reason: null, dueAt: nextLook('evicted', now, now) },
    events: [{ kind: 'double-spend' as const, state: 'evicted' as const, sentence }],
  };
}

function beatenStep(rival: Rival) {
  if (rival.where !== 'block') return undefined;
  const { txid, block } = rival;
  const sentence = phrase('event.spent-in-block', { height: block.height, txid });
  return {
    change: { state: 'double-spent' as const, block, doubleSpentBy: txid, reason: null, dueAt: null },
    events: [{ kind: 'double-spend' as const, state: 'double-spent' as const, sentence }],
    proof: null,
  };
}

async function inGroups<T>(items: readonly T[], signal: AbortSignal, work: (item: T) => Promise<void>): Promise<void> {
  for (const some of chunks(items, AT_ONCE)) {
    signal.throwIfAborted();
    await Promise.all(some.map(work));
  }
}
