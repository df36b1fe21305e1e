import type { Logger } from 'pino';
import { type ErrorCode, type ErrorId, type Failure, PlanchetError, toFailure } from '../../../contract/index.ts';
import { Rerun } from '../../async/rerun.ts';
import { chunks } from '../../chunks.ts';
import { classifyRefusal } from '../../merchant/refusals.ts';
import type { Clock } from '../../ports/clock.ts';
import type { FundingWallet } from '../../ports/wallet.ts';
import { backOff, type Funding } from '../funding/funding.ts';
import { type FundedSignerOptions, signFunded } from '../funding/service/funded-signer.ts';
import { nextDueAt } from '../queue/due-work.ts';
import { DocumentWaiters } from '../queue/waiters.ts';
import type { SendOutcome } from '../sending/miner-outcome.ts';
import { idsOf, type TransactionRow } from '../storage/document.ts';
import { writeCodes } from '../write-errors.ts';

const DAILY_CAP: ErrorId = 'writer.daily-cap';
const SEND_BATCH = 64;
/** Answers journalled at once: a millisecond's work. */
const SETTLED_AT_ONCE = 16;
/** Documents that wait for coins are tried again after this, even if nothing wakes the stage. */
const HELD_MS = 1_000;
const LEAST_WAIT_MS = 10;
/** Where others share the database, work they left behind is looked for this often. */
const SHARED_POLL_MS = 1_000;
/** Times a transaction is sent whose refusal depends on others: its parents may still be on their way. */
const MAX_ATTEMPTS_AFTER_OTHERS = 6;

export interface PipelineOptions extends FundedSignerOptions {
  /** The funding of new documents, by the present settings. */
  funding: () => Funding;
  /** Who sends what was signed earlier. */
  fundingOf: (source: TransactionRow['source']) => Funding;
  wallet: FundingWallet;
  clock: Clock;
  logger: Logger;
  /** Told of every change, to show it. */
  changed: () => void;
  /** Told when documents wait because the day's fees have reached their cap. */
  capReached: () => void;
}

/** A loop of work that sleeps until it is woken or something is due. */
interface Stage {
  readonly name: string;
  readonly work: () => Promise<boolean>;
  readonly nextDueAt: () => Promise<number | undefined>;
  readonly runs: Rerun;
  /** A run is due although the last one failed. */
  isTriedAgain: boolean;
  failures: number;
  /** Why it is held up. */
  degraded: Failure | undefined;
  /** When it runs next by itself, in milliseconds since 1970; undefined if nothing is due. */
  nextAt: number | undefined;
  cancel: () => void;
}

/**
 * Brings accepted documents to the miner. One stage pays and signs, the other sends; each journals before the next begins. A
 * transaction once signed is the only one its documents will ever have, so sending it again after a crash cannot write them twice.
 */
export class WritePipeline {
  readonly waiters: DocumentWaiters;
  readonly #options: PipelineOptions;
  readonly #stages: { fund: Stage; send: Stage };
  #running = false;
  #cancelPoll: () => void = () => undefined;
  #held = false;
  /** Whether transactions of an earlier run, or of another way of paying, may wait for their signature. */
  #mayBeUnsigned = true;
  /** Why some documents wait that this machine cannot pay for. */
  #blocked: Failure | undefined;

  constructor(options: PipelineOptions) {
    this.#options = options;
    const { queue, clock } = options;
    this.waiters = new DocumentWaiters(queue, clock);
    const stageOf = (name: string, work: Stage['work'], nextDueAt: Stage['nextDueAt']): Stage => {
      const stage: Stage = {
        name,
        work,
        nextDueAt,
        runs: new Rerun({
          work: () => this.#drain(stage),
          onError: (error) => this.#runLater(stage, this.#noteFailure(stage, error)),
        }),
        isTriedAgain: false,
        failures: 0,
        degraded: undefined,
        nextAt: undefined,
        cancel: () => undefined,
      };
      return stage;
    };
    this.#stages = {
      fund: stageOf(
        'funding',
        () => this.#fund(),
        async () => earliest(await this.#documentDueAt(), await this.#transactionDueAt('funded')),
      ),
      send: stageOf(
        'sending',
        () => this.#send(),
        () => this.#transactionDueAt('signed'),
      ),
    };
  }

  /** Why documents wait, where all of them do. */
  get degraded(): Failure | undefined {
    return this.#stages.fund.degraded ?? this.#stages.send.degraded;
  }

  /** When what holds all documents up is tried again, in milliseconds since 1970. */
  get nextAttemptAt(): number | undefined {
    const { fund, send } = this.#stages;
    return fund.degraded === undefined ? send.nextAt : fund.nextAt;
  }

  start(): void {
    this.#running = true;
    this.wake();
    if (this.#options.queue.dialect === 'postgres') this.#pollLater();
  }

  /** Resolves when the steps under way have ended; what they did not journal is done again at the next start. */
  async stop(): Promise<void> {
    this.#running = false;
    this.#cancelPoll();
    const stages = Object.values(this.#stages);
    for (const { cancel } of stages) cancel();
    this.waiters.finishAll();
    await Promise.all(stages.map(({ runs }) => runs.stop()));
  }

  /** Looks for work now. After a failure of everything, only the time or a change of circumstances ends the wait. */
  wake(): void {
    this.#run(this.#stages.fund);
    this.#run(this.#stages.send);
  }

  /** A document was accepted: there is something to pay for, and nothing more to send than before. */
  accepted(): void {
    this.#run(this.#stages.fund);
  }

  /** Ends the wait after a failure: a setting changed, money came, somebody asks. */
  retryNow(): void {
    this.#mayBeUnsigned = true;
    for (const stage of Object.values(this.#stages)) {
      stage.failures = 0;
      stage.cancel();
    }
    this.wake();
  }

  #run(stage: Stage, due = false): void {
    if (!this.#running || (stage.failures > 0 && !due)) return;
    if (due) this.#mayBeUnsigned = true;
    stage.isTriedAgain = due;
    void stage.runs.wake();
  }

  async #drain(stage: Stage): Promise<void> {
    // It was woken before it failed.
    if (stage.failures > 0 && !stage.isTriedAgain) return;
    stage.isTriedAgain = false;
    stage.cancel();
    do await this.#options.queue.scheduler.next();
    while (this.#running && (await stage.work()));
    stage.failures = 0;
    if (stage.runs.isDue) return;
    const dueAt = await stage.nextDueAt();
    const least = stage.name === 'funding' && this.#held ? HELD_MS : LEAST_WAIT_MS;
    stage.nextAt = undefined;
    if (dueAt !== undefined) this.#runLater(stage, Math.max(least, dueAt - this.#options.clock.now()));
  }

  #runLater(stage: Stage, ms: number): void {
    if (!this.#running) return;
    const { clock } = this.#options;
    stage.nextAt = clock.now() + ms;
    stage.cancel = clock.after(ms, () => this.#run(stage, true));
  }

  #noteFailure(stage: Stage, error: unknown): number {
    const { logger } = this.#options;
    const failure = toFailure(error);
    if (stage.failures === 0) logger.warn({ err: error, stage: stage.name }, 'writing is held up');
    stage.failures += 1;
    stage.degraded = failure;
    this.#options.changed();
    if (failure.id === DAILY_CAP) this.#options.capReached();
    return backOff(stage.failures - 1, failure.code);
  }

  async #documentDueAt(): Promise<number | undefined> {
    const { queue, funding } = this.#options;
    return nextDueAt(queue, 'accepted', await funding().payable());
  }

  async #transactionDueAt(state: 'funded' | 'signed'): Promise<number | undefined> {
    const { queue, keys } = this.#options;
    return nextDueAt(queue, state, (await keys.signable()).keyIds);
  }

  async #fund(): Promise<boolean> {
    const { funding } = this.#options;
    try {
      this.#held = false;
      const unsigned = await this.#signLeftOver();
      const { touched, degraded, more, held = false, blocked, tooDearFrom } = await funding().advance();
      this.#held = held;
      await this.#wentOn(touched);
      if (degraded !== undefined) throw degraded;
      if (touched.length > 0) this.#stages.fund.degraded = undefined;
      this.#reportBlocked(blocked?.toFailure());
      if (blocked !== undefined && tooDearFrom !== undefined)
        await this.#giveUpWaited(blocked.toFailure(), tooDearFrom);
      return more || unsigned;
    } catch (error) {
      const anyDied = await this.#giveUpWaited(toFailure(error), 0);
      if (anyDied && (await this.#documentDueAt()) === undefined) return false;
      throw error;
    }
  }

  /**
   * Clients that wait get this failure now, so their documents must not be written later. All others are tried again.
   * @param fromBytes leaves out documents with fewer bytes
   */
  async #giveUpWaited(failure: Failure, fromBytes: number): Promise<boolean> {
    const dying = isForTheCaller(failure) && !this.#maySoonBeFunded(failure) ? this.waiters.waitedFor() : [];
    for (const id of dying) await this.#dieUnfunded(id, failure, fromBytes);
    if (dying.length > 0) await this.waiters.notify(dying);
    return dying.length > 0;
  }

  /** Signs what a service paid for earlier, whoever pays now. @returns whether more may wait */
  async #signLeftOver(): Promise<boolean> {
    if (!this.#mayBeUnsigned) return false;
    const { touched, more } = await signFunded(this.#options);
    this.#mayBeUnsigned = more;
    await this.#wentOn(touched);
    return more;
  }

  /** Documents changed their state: clients that wait for them are notified, and the sending stage runs. */
  async #wentOn(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    this.#options.changed();
    this.#run(this.#stages.send);
    await this.waiters.notify(ids);
  }

  /** Reports that some documents wait for another machine or for more money, or no longer do. Other work goes on, so the stage does not pause. */
  #reportBlocked(blocked: Failure | undefined): void {
    const { fund } = this.#stages;
    const before = this.#blocked;
    this.#blocked = blocked;
    if (blocked !== undefined) fund.degraded = blocked;
    else if (fund.degraded === before) fund.degraded = undefined;
    if (blocked?.message !== before?.message) this.#options.changed();
  }

  async #dieUnfunded(id: string, failure: Failure, fromBytes: number): Promise<void> {
    const { queue } = this.#options;
    const row = await queue.find(id);
    if (row?.state === 'accepted' && row.body_bytes >= fromBytes)
      await queue.documentDied(queue.db, row, failure, writeCodes.funding);
  }

  /** Coins that something else holds for a moment come back as its change. */
  #maySoonBeFunded({ code, detail }: Failure): boolean {
    if (code !== 'funds-insufficient') return false;
    const { spendable, reserved } = this.#options.wallet.balance();
    const needed = detail?.needed;
    return typeof needed === 'number' && reserved > 0 && needed <= spendable + reserved;
  }

  async #send(): Promise<boolean> {
    const { queue, fundingOf, keys, changed } = this.#options;
    const most = queue.scheduler.batchSize(SEND_BATCH);
    const { send } = this.#stages;
    const rows = await queue.claimTransactions('signed', most, (await keys.signable()).keyIds);
    if (rows.length === 0) {
      // Those that were put off are not due yet: why they were still holds them up.
      if (send.degraded !== undefined && (await this.#transactionDueAt('signed')) === undefined)
        send.degraded = undefined;
      return false;
    }
    const holds: (Failure | undefined)[] = [];
    try {
      for (const source of new Set(rows.map((row) => row.source))) {
        const funding = fundingOf(source);
        const some = rows.filter((row) => row.source === source);
        const sent = await funding.send(some);
        holds.push(...some.map((row, index) => whyPutOff(sent[index], row.attempts)));
        await this.#settle(funding, some, sent);
      }
    } catch (error) {
      queue.abandoned.add(rows);
      throw error;
    }
    // Where one was taken or given up, the others have reasons of their own.
    send.degraded = holds.every((failure) => failure !== undefined) ? holds[0] : undefined;
    changed();
    return rows.length === most;
  }

  async #settle(funding: Funding, rows: readonly TransactionRow[], outcomes: readonly SendOutcome[]): Promise<void> {
    const { queue, logger } = this.#options;
    const takenRows = rows.filter((_, index) => outcomes[index]?.kind === 'taken');
    // Called before the journal: a second call after a crash changes nothing, while a crash in between could skip the only one.
    if (takenRows.length > 0) await funding.taken(takenRows);
    const settled: string[] = [];
    for (const some of chunks(takenRows, queue.scheduler.batchSize(SETTLED_AT_ONCE))) {
      await queue.scheduler.next();
      settled.push(...idsOf(await queue.taken(some)));
    }
    for (const [index, row] of rows.entries()) {
      const outcome = outcomes[index];
      if (outcome?.kind === 'taken') continue;
      const putOff = whyPutOff(outcome, row.attempts);
      if (putOff !== undefined) await queue.postpone(row, putOff, backOff(row.attempts, putOff.code));
      else if (outcome?.kind === 'refused') {
        const { failure } = outcome;
        logger.warn({ transaction: row.id, reason: failure.message }, 'a transaction was refused');
        if (await queue.died(row, failure, writeCodes.submission))
          await funding.refused({ ...row, last_error: failure.message });
      }
      settled.push(row.id);
    }
    // Change of what was taken can pay for what waits.
    this.#run(this.#stages.fund);
    if (this.waiters.size > 0) await this.waiters.notifyOf(settled);
  }

  #pollLater(): void {
    if (!this.#running) return;
    this.#cancelPoll = this.#options.clock.after(SHARED_POLL_MS, () => {
      this.wake();
      void this.waiters.recheck().finally(() => this.#pollLater());
    });
  }
}

/** Why a transaction waits to be sent again; undefined where it was taken, or is given up. */
function whyPutOff(outcome: SendOutcome | undefined, attempts: number): Failure | undefined {
  if (outcome === undefined) return new PlanchetError('writer.no-answer').toFailure();
  if (outcome.kind === 'taken') return undefined;
  if (outcome.kind === 'later') return outcome.error.toFailure();
  const { failure } = outcome;
  // What it depends on may change.
  const isWorthIt = classifyRefusal(failure.message).retry === 'after-others' && attempts < MAX_ATTEMPTS_AFTER_OTHERS;
  return isWorthIt ? new PlanchetError('writer.refused', { reason: [failure] }).toFailure() : undefined;
}

function earliest(...times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

const FOR_THE_CALLER: ReadonlySet<ErrorCode> = new Set([
  'funds-insufficient',
  'fee-too-high',
  'wallet-missing',
  'review-failed',
  'rejected',
]);

/**
 * Whether no waiting of the caller's mends the failure. What the cap of a day holds up waits: the person is asked for more, and tomorrow there
 * is more anyway.
 */
function isForTheCaller({ code, id }: Failure): boolean {
  return FOR_THE_CALLER.has(code) && id !== DAILY_CAP;
}
