import { randomUUID } from 'node:crypto';
import { fromHex } from '../../chain/index.ts';
import {
  type Failure,
  type Network,
  type Phrase,
  PlanchetError,
  phrase,
  toFailure,
  tokenJobStates,
  transactionStates,
} from '../../contract/index.ts';
import { Sequencer } from '../async/sequencer.ts';
import { FollowLoop } from '../chain-data/following/follow-loop.ts';
import type { Clock } from '../ports/clock.ts';
import type { TransactionTracker } from '../ports/merchant/transactions.ts';
import type { FundingWallet } from '../ports/wallet.ts';
import { Delivery, type DeliveryOptions, type DeliveryPoint } from './delivery.ts';
import { JobJournal } from './job-journal.ts';
import { isHalted, isRefused, type JobRow, newJob } from './job-row.ts';

const MAX_LISTED = 200;
/** Delay between two attempts to submit what no miner has yet. */
const AGAIN_MS: Record<Network, number> = { sandbox: 1_000, private: 1_000, test: 15_000, main: 15_000 };

/** A job as its kind compares it with a later request. */
export interface EarlierJob {
  readonly id: string;
  readonly request: unknown;
}

export interface TransactionJobsOptions extends Pick<DeliveryOptions<JobRow>, 'merchant' | 'chainData' | 'logger'> {
  /** Begins the name under which the wallet holds what a job spends, and the names of crash points. */
  readonly kind: 'token' | 'send';
  readonly table: string;
  readonly network: Network;
  /** The account whose jobs these are; left out, the jobs of the network. */
  readonly scope?: string;
  readonly store: { readonly db: unknown };
  readonly wallet: Pick<FundingWallet, 'fateOf' | 'noteSigned' | 'observe' | 'release'>;
  readonly tracker: Pick<TransactionTracker, 'track' | 'get' | 'onChange'>;
  readonly clock: Clock;
  /** The refusals in the words of the kind. */
  readonly refusals: {
    readonly missing: (id: string) => PlanchetError;
    readonly wrongState: (state: Phrase) => PlanchetError;
    readonly keyUsed: () => PlanchetError;
    readonly otherApproved: () => PlanchetError;
  };
  /** Whether two requests ask for the same, so that the second is to be mined in place of a refused first. */
  readonly isSame: (earlier: EarlierJob, request: unknown) => boolean;
  /**
   * What is left to do after transactions were sent; its calls end with the signal. It must not throw.
   * @returns milliseconds until there is more to do; undefined where there is none
   */
  readonly further?: (signal: AbortSignal) => Promise<number | undefined>;
  /** Called after every change of a job. */
  readonly changed: (id: string) => Promise<void> | void;
  readonly crashPoint?: ((where: string) => void) | undefined;
}

/**
 * Jobs of one transaction each: built, reviewed, approved, signed, submitted and followed to its block. Every step is journalled before
 * the next one, so a job resumes where it was after the process ended at any point. What is built, and how it is signed, is the caller's.
 */
export class TransactionJobs<Row extends JobRow> {
  readonly journal: JobJournal<Row>;
  readonly #options: TransactionJobsOptions;
  readonly #delivery: Delivery<Row>;
  /** Changes of jobs happen one after the other. */
  readonly #changing = new Sequencer();
  readonly #looks: FollowLoop;
  /** Jobs that the store refused to forget, as on a full disk: they still hold what they held. */
  readonly #unforgotten = new Set<string>();
  /** A signed job has no miner yet. */
  #isAnyWaiting = true;
  #furtherMs: number | undefined;

  constructor(options: TransactionJobsOptions) {
    this.#options = options;
    this.journal = new JobJournal(options.store, options.table, options.scope ?? options.network);
    this.#delivery = new Delivery({
      ...options,
      origin: originOf(options),
      journal: this.journal,
      ownerOf: (id) => this.ownerOf(id),
      write: (id, values) => this.write(id, values as Partial<Row>),
      crashPoint: (where) => this.crashPoint(where),
    });
    const origin = originOf(options);
    this.#looks = new FollowLoop({
      clock: options.clock,
      onNews: (look) =>
        options.tracker.onChange(({ txid, from, transaction }) => {
          if (transaction.origin !== origin || from === null) return;
          if (transactionStates.is(from, 'mined') && !transactionStates.is(transaction.state, 'mined'))
            this.#delivery.doubt(txid);
          look();
        }),
      look: async (signal) => {
        await this.change(() => this.#advance());
        this.#furtherMs = await options.further?.(signal);
      },
      pauseMs: () => {
        const againMs = this.#isAnyWaiting ? AGAIN_MS[options.network] : undefined;
        return againMs === undefined ? this.#furtherMs : Math.min(againMs, this.#furtherMs ?? againMs);
      },
      onTrouble: (error) => options.logger.debug({ err: error }, 'transactions could not be followed'),
    });
  }

  /** The name under which the wallet holds what a job spends. */
  ownerOf(id: string): string {
    return `${this.#options.kind}:${id}`;
  }

  crashPoint(where: DeliveryPoint | 'built' | 'reviewed' | 'signed' | 'cancelled'): void {
    this.#options.crashPoint?.(`${this.#options.kind}-${where}`);
  }

  /** Resumes unfinished jobs. Does not fail if the node is unreachable: it tries again. */
  async start(): Promise<void> {
    if (this.#looks.isRunning) return;
    await this.change(async () => {
      for (const row of await this.journal.inState('draft')) await this.forget(row.id);
      for (const row of await this.refused()) {
        // The process may have ended just before the coins of a refused transaction were released. One that was refused before signed
        // transactions were noted is noted now.
        await this.#noteSigned(row);
        await this.#options.wallet.release(this.ownerOf(row.id));
      }
    });
    void this.#looks.start();
  }

  async stop(): Promise<void> {
    await this.#looks.stop();
    await this.#changing.idle();
  }

  /** Newest first, at most 200. */
  list(): Promise<Row[]> {
    return this.journal.newest(MAX_LISTED);
  }

  /** @throws PlanchetError `not-found` */
  async get(id: string): Promise<Row> {
    const row = await this.journal.find(id);
    if (row) return row;
    throw this.#options.refusals.missing(id);
  }

  /**
   * Journals a job and builds it; a job that cannot be built leaves nothing behind. The same key gives the same job.
   * To be called within {@link change}.
   * @param job.build ends with the job `reviewed`; it gets the owners of what the job replaces: refused jobs that asked for the same
   * @throws PlanchetError `conflict` for a key that belongs to another request, or where one that was refused is with the network after all
   */
  async prepare(job: {
    idempotencyKey: string;
    request: unknown;
    /** Columns that only this kind has. */
    extra: Omit<Row, keyof JobRow>;
    check: () => Promise<void> | void;
    build: (id: string, replaces: readonly string[]) => Promise<void>;
  }): Promise<Row> {
    await this.#forgetRest();
    const request = JSON.stringify(job.request);
    const known = await this.journal.byKey(job.idempotencyKey);
    if (known) {
      if (known.request === request) return known;
      throw this.#options.refusals.keyUsed();
    }
    await job.check();
    const replaces = await this.replacedBy(job.request);
    const id = randomUUID();
    const { network, scope = network, clock } = this.#options;
    const row = newJob({ id, network: scope, idempotency_key: job.idempotencyKey, request, now: clock.now() });
    // First of all, so that coins held for it are found and released after a crash.
    await this.journal.insert({ ...row, ...job.extra } as Row);
    try {
      await job.build(id, replaces);
    } catch (error) {
      await this.forget(id);
      throw error;
    }
    return this.get(id);
  }

  /**
   * Signs and submits the transaction that was reviewed. Asked again for the same one, it changes nothing.
   * @param sign ends with the job `signed`; it gets the owners of what the job replaces
   * @throws PlanchetError `review-failed` for another digest, `conflict` for a cancelled job
   */
  approve(
    { id, digest }: { id: string; digest: string },
    sign: (row: Row, replaces: readonly string[]) => Promise<void>,
  ): Promise<Row> {
    return this.change(async () => {
      const row = await this.get(id);
      const { wrongState, otherApproved } = this.#options.refusals;
      if (row.state === 'cancelled') throw wrongState(phrase('reason.job-cancelled'));
      if ((JSON.parse(row.review ?? '{}') as { digest?: string }).digest !== digest) throw otherApproved();
      if (row.state !== 'reviewed') return row;
      await sign(row, await this.replacedBy(JSON.parse(row.request)));
      return this.#submit(id);
    });
  }

  /** Releases what is held. @throws PlanchetError `conflict` if it was signed already */
  cancel({ id }: { id: string }): Promise<Row> {
    return this.change(async () => {
      const row = await this.get(id);
      if (row.state !== 'reviewed' && row.state !== 'cancelled')
        throw this.#options.refusals.wrongState(phrase('reason.job-signed'));
      await this.#options.wallet.release(this.ownerOf(id));
      await this.write(id, { state: 'cancelled' } as Partial<Row>);
      this.crashPoint('cancelled');
      return this.get(id);
    });
  }

  /**
   * Submits a transaction that was refused once more, exactly as it was signed: the miner has the last word on whether it can be taken now.
   * @param before called first; may refuse
   * @throws PlanchetError `conflict` where it was not refused
   */
  retry({ id }: { id: string }, before: (row: Row) => Promise<void> = async () => undefined): Promise<Row> {
    return this.change(async () => {
      const row = await this.get(id);
      if (!isRefused(row)) throw this.#options.refusals.wrongState(phrase('reason.job-not-refused'));
      await before(row);
      await this.write(id, { halted: 0, failure: null } as Partial<Row>);
      return this.#submit(id);
    });
  }

  async write(id: string, values: Partial<Row>): Promise<void> {
    await this.journal.update(id, { ...values, updated_at: this.#options.clock.now() });
    await this.#options.changed(id);
  }

  /** Runs changes one after the other. */
  change<T>(job: () => Promise<T>): Promise<T> {
    return this.#changing.run(job);
  }

  async #submit(id: string): Promise<Row> {
    await this.#delivery.submit(await this.get(id));
    void this.#looks.check();
    return this.get(id);
  }

  /** Advances every unfinished job. */
  async #advance(): Promise<void> {
    this.#isAnyWaiting = true;
    await this.#forgetRest();
    await this.#delivery.watchMined();
    const rows = await this.journal.inState(...tokenJobStates.having('followed'));
    for (const row of rows) {
      if (!isRefused(row)) continue;
      await this.#delivery.followRefused(row);
      await this.#tellIfReplaced(row);
    }
    const active = rows.filter((row) => !isHalted(row));
    for (const row of active) {
      if (row.state === 'signed') await this.#delivery.submit(row);
      else await this.#delivery.follow(row);
    }
    // A job that was submitted just now is looked at once more, as its block may be known already. One that lost against another is signed again.
    this.#isAnyWaiting =
      active.some(({ state }) => state === 'signed') ||
      (await this.journal.inState('signed')).some((row) => !isHalted(row));
  }

  /** The jobs whose signed transaction was refused, whatever became of it. */
  async refused(): Promise<Row[]> {
    return (await this.journal.inState('signed')).filter(isRefused);
  }

  /** A wallet that is missing by now holds nothing. */
  async #noteSigned(row: Row): Promise<void> {
    await this.#options.wallet.noteSigned(this.ownerOf(row.id), fromHex(row.raw_tx ?? '')).catch((error: unknown) => {
      const { code } = toFailure(error);
      if (code !== 'wallet-missing' && code !== 'vault-locked' && code !== 'not-running') throw error;
    });
  }

  /**
   * The owners of the refused transactions that this request takes the place of: whoever refused one may still have it mined.
   * @throws PlanchetError `conflict` where one of them waits for a block or is in one
   */
  async replacedBy(request: unknown): Promise<string[]> {
    for (const row of await this.journal.acceptedWith('wallet.refused-mined')) {
      if (!this.#options.isSame(earlierJob(row), request)) continue;
      await this.write(row.id, { failure: null } as Partial<Row>);
      throw new PlanchetError('wallet.refused-mined', { txid: row.txid ?? '' });
    }
    const owners: string[] = [];
    for (const row of await this.refused()) {
      if (!this.#options.isSame(earlierJob(row), request)) continue;
      const txid = row.txid ?? '';
      const fate = this.#options.wallet.fateOf(txid);
      if (fate === 'open') owners.push(this.ownerOf(row.id));
      if (fate === 'waiting') throw new PlanchetError('wallet.replacement-waits', { txid });
      if (typeof fate === 'object' && fate.spentBy === txid) throw new PlanchetError('wallet.refused-mined', { txid });
      const told = await this.#tellIfReplaced(row);
      if (told) throw told;
    }
    return owners;
  }

  /** Ids of the refused transactions that asked for the same, whatever became of them. */
  async refusedLike(request: unknown): Promise<string[]> {
    const rows = [...(await this.refused()), ...(await this.journal.acceptedWith('wallet.refused-mined'))];
    return rows.filter((row) => this.#options.isSame(earlierJob(row), request)).map(({ txid }) => txid ?? '');
  }

  /**
   * Tells of a refused transaction whose coin was spent by one of ours that asked for the same: what it was to replace is in a block.
   * @returns what is told; undefined where it was told before, or nothing is to be told
   */
  async #tellIfReplaced(row: Row): Promise<PlanchetError | undefined> {
    const fate = this.#options.wallet.fateOf(row.txid ?? '');
    if (typeof fate !== 'object' || fate.spentBy === row.txid) return undefined;
    const known = row.failure === null ? undefined : (JSON.parse(row.failure) as Failure).id;
    const other = await this.journal.byTxid(fate.spentBy);
    if (known === 'wallet.replaced-mined' || !other) return undefined;
    if (!this.#options.isSame(earlierJob(other), JSON.parse(row.request))) return undefined;
    const told = new PlanchetError('wallet.replaced-mined', { txid: fate.spentBy });
    await this.write(row.id, { failure: JSON.stringify(told.toFailure()) } as Partial<Row>);
    return told;
  }

  /**
   * Releases what a job holds that nothing was signed for, and leaves nothing of it; later, where the store refuses that now. To be called
   * within {@link change}.
   */
  async forget(id: string): Promise<void> {
    this.#unforgotten.add(id);
    await this.#forgetRest().catch((error: unknown) => {
      this.#options.logger.warn({ err: error, id }, 'a job that was not built could not be removed');
      void this.#looks.check();
    });
  }

  async #forgetRest(): Promise<void> {
    for (const id of this.#unforgotten) {
      await this.#options.wallet.release(this.ownerOf(id));
      await this.journal.remove(id);
      this.#unforgotten.delete(id);
    }
  }
}

function earlierJob({ id, request }: JobRow): EarlierJob {
  return { id, request: JSON.parse(request) };
}

function originOf({ kind }: TransactionJobsOptions): 'token' | 'wallet' {
  return kind === 'send' ? 'wallet' : kind;
}
