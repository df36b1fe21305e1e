import type { Logger } from 'pino';
import { txidOf } from '../../../chain/index.ts';
import { type MinerAnswer, PlanchetError, toFailure } from '../../../contract/index.ts';
import type { Clock } from '../../ports/clock.ts';
import type {
  MinerEndpoint,
  Miners,
  MinerVerdict,
  NamedMiner,
  OutgoingTransaction,
  SubmitOptions,
} from '../../ports/merchant/miners.ts';
import type { TrackRequest, TransactionTracker } from '../../ports/merchant/transactions.ts';
import { answerOf } from '../answers.ts';
import { reasonOf } from '../refusals.ts';

/** Transactions and bytes that one request to a miner holds at most: more would be no faster. 2,000 take 40 MB more. */
const MAX_TRANSACTIONS = 500;
const MAX_BYTES = 30_000_000;
/** Transactions of one request that miners are asked to report on. */
const MAX_REPORTED = 25;

export interface SubmissionOptions {
  /** Ids of the miners to use; all that are switched on and have an address where left out. */
  readonly minerIds?: readonly string[] | undefined;
  /**
   * `first` asks the miners in order and goes on to the next only where one failed or had no room; `all` sends to every miner and waits for all; `race`
   * sends to every miner and returns with the first that accepts.
   */
  readonly strategy?: 'first' | 'all' | 'race';
  readonly miner?: SubmitOptions;
}

/** What became of one transaction: the verdict that counts, or why no miner could be asked. */
export interface SubmissionResult {
  readonly txid: string;
  readonly verdict: MinerVerdict | undefined;
  /** Undefined where a miner has it. */
  readonly error: PlanchetError | undefined;
  /** What each miner said, in the order in which they answered. */
  readonly answers: readonly MinerAnswer[];
}

export interface SubmitterOptions {
  miners: Miners;
  tracker: TransactionTracker;
  clock: Pick<Clock, 'now'>;
  logger: Logger;
  /** What a miner is asked for, so that it reports by itself what becomes of a few transactions. */
  expect?: (miner: NamedMiner, txids: readonly string[]) => SubmitOptions;
  /** Takes the proofs that came with answers: what a block holds already needs no second request. */
  takeProofs?: (miner: NamedMiner, verdicts: readonly MinerVerdict[]) => Promise<void>;
}

type Verdicts = ReadonlyMap<string, MinerVerdict>;
/** In the order in which the miners answered. */
type Refusals = { readonly endpoint: MinerEndpoint; readonly verdicts: readonly MinerVerdict[] }[];

/** Submits transactions to miners: journalled before they are sent, every answer added to their history. */
export class Submitter {
  readonly #options: SubmitterOptions;

  constructor(options: SubmitterOptions) {
    this.#options = options;
  }

  /**
   * Submits transactions, parents before children. The same transaction may be submitted again at any time: miners know it by its id.
   * @returns one result for each, in the same order
   * @throws PlanchetError `store-failed`, `disk-full` before anything was sent; `not-found` for an unknown miner
   */
  async submit(requests: readonly TrackRequest[], options: SubmissionOptions = {}): Promise<SubmissionResult[]> {
    const endpoints = this.endpoints(options.minerIds);
    if (endpoints.length === 0) throw new PlanchetError('merchant.no-miner');
    await this.#options.tracker.track(requests);
    const transactions = requests.map(({ rawTx }) => ({ txid: txidOf(rawTx), rawTx }));
    const outcomes = new Outcomes();
    for (const batch of batchesOf(transactions)) {
      if (options.strategy === 'all' || options.strategy === 'race')
        await this.#sendToAll(endpoints, batch, options, outcomes);
      else await this.#sendInOrder(endpoints, batch, options.miner, outcomes);
    }
    return transactions.map(({ txid }) => outcomes.resultOf(txid));
  }

  /**
   * The miners that transactions go to; none where none can be used.
   * @throws PlanchetError `not-found` for an unknown one
   */
  endpoints(ids: readonly string[] | undefined): MinerEndpoint[] {
    const { miners } = this.#options;
    return ids === undefined ? miners.usable() : ids.map((id) => requireMiner(miners, id));
  }

  /** Takes the proofs of answers that have one. */
  async prove(miner: NamedMiner, verdicts: readonly MinerVerdict[]): Promise<void> {
    const proven = verdicts.filter(({ status, bump, proof }) => status === 'mined' && (bump ?? proof ?? null) !== null);
    if (proven.length > 0) await this.#options.takeProofs?.(miner, proven);
  }

  /** Each miner gets what the ones before it could not settle or had no room for. */
  async #sendInOrder(
    endpoints: readonly MinerEndpoint[],
    batch: readonly OutgoingTransaction[],
    options: SubmitOptions | undefined,
    outcomes: Outcomes,
  ): Promise<void> {
    let open = batch;
    const refusals: Refusals = [];
    for (const endpoint of endpoints) {
      const verdicts = await this.#send(endpoint, open, options, outcomes, hadNoRoom, refusals);
      open = open.filter(({ txid }) => mayBeTakenByNext(verdicts.get(txid)));
      if (open.length === 0) break;
    }
    await this.#record(refusals);
  }

  async #sendToAll(
    endpoints: readonly MinerEndpoint[],
    batch: readonly OutgoingTransaction[],
    { strategy, miner }: SubmissionOptions,
    outcomes: Outcomes,
  ): Promise<void> {
    const refusals: Refusals = [];
    const sending = endpoints.map((endpoint) =>
      this.#send(endpoint, batch, miner, outcomes, ({ failure }) => failure !== null, refusals),
    );
    const all = Promise.all(sending).then(() => this.#record(refusals));
    if (strategy === 'all') return all;
    const accepted = sending.map(async (sent) => {
      const verdicts = await sent;
      if (!batch.every(({ txid }) => isTaken(verdicts.get(txid)))) throw new Error('not all were accepted');
    });
    // nobody waits for what comes after the first acceptance
    all.catch((error: unknown) => {
      this.#options.logger.error({ err: error }, 'the answer of a miner could not be recorded');
    });
    await Promise.any(accepted).catch(() => all);
  }

  /**
   * Asks a miner to report by itself what becomes of a few transactions; of many, the blocks tell at less cost. One that refuses the
   * callback, or knows the transaction with another one, gets the transaction without.
   */
  async #ask(
    endpoint: MinerEndpoint,
    batch: readonly OutgoingTransaction[],
    options: SubmitOptions | undefined,
  ): Promise<MinerVerdict[]> {
    const isExpected = options?.callback === undefined && batch.length <= MAX_REPORTED;
    const txids = batch.map(({ txid }) => txid);
    const expected = isExpected ? this.#options.expect?.(endpoint, txids) : undefined;
    if (expected?.callback === undefined) return endpoint.submit(batch, options);
    const verdicts = await endpoint.submit(batch, { ...expected, ...options });
    const refused = new Set(verdicts.filter(isAboutCallback).map(({ txid }) => txid));
    if (refused.size === 0) return verdicts;
    const open = batch.filter(({ txid }) => refused.has(txid));
    // what the miner said of the others stands
    const again = await endpoint.submit(open, options).catch((error: unknown) => {
      this.#options.logger.warn({ err: error, miner: endpoint.name }, 'a miner could not be asked again');
      return open.map(({ txid }) => unanswered(txid, error));
    });
    const second = new Map(again.map((verdict) => [verdict.txid, verdict]));
    return verdicts.map((verdict) => second.get(verdict.txid) ?? verdict);
  }

  /**
   * That a miner could not be asked is an outcome like others.
   * @param mayPass refusals that another miner that is asked may contradict
   * @param refusals takes those, to be recorded once all were asked: until then the transaction has not failed
   */
  async #send(
    endpoint: MinerEndpoint,
    batch: readonly OutgoingTransaction[],
    options: SubmitOptions | undefined,
    outcomes: Outcomes,
    mayPass: (verdict: MinerVerdict) => boolean,
    refusals: Refusals,
  ): Promise<Verdicts> {
    const { clock, logger } = this.#options;
    const answers = await this.#ask(endpoint, batch, options).catch((error: unknown) => {
      logger.warn({ err: error, miner: endpoint.name, transactions: batch.length }, 'a miner could not be asked');
      return batch.map(({ txid }) => unanswered(txid, error));
    });
    const verdicts: MinerVerdict[] = [];
    for (const answer of answers) verdicts.push(isHeld(answer) ? await lookedUp(endpoint, answer) : answer);
    refusals.push({ endpoint, verdicts: verdicts.filter(mayPass) });
    await this.#record([{ endpoint, verdicts: verdicts.filter((verdict) => !mayPass(verdict)) }]);
    await this.prove(endpoint, verdicts);
    const at = clock.now();
    for (const verdict of verdicts) outcomes.add(verdict, answerOf(endpoint, 'submit', verdict, at));
    return new Map(verdicts.map((verdict) => [verdict.txid, verdict]));
  }

  async #record(refusals: Refusals): Promise<void> {
    for (const { endpoint, verdicts } of refusals)
      if (verdicts.length > 0) await this.#options.tracker.answered(endpoint, 'submit', verdicts);
  }
}

/** Whether a miner refused what was asked for beside mining, and not the transaction. */
function isAboutCallback(verdict: MinerVerdict): boolean {
  return isHeld(verdict) || (verdict.failure !== null && /callback/i.test(verdict.reason?.text ?? ''));
}

/** Whether a miner has the transaction from before, with other options: that refuses the options and says nothing of the transaction. */
function isHeld({ failure, reason }: MinerVerdict): boolean {
  return failure !== null && /submitted with different parameters/i.test(reason?.text ?? '');
}

/** What became of a transaction that a miner holds: its node has it, or nobody knows. */
async function lookedUp(endpoint: MinerEndpoint, held: MinerVerdict): Promise<MinerVerdict> {
  const found = await endpoint.status(held.txid).catch(() => undefined);
  if (found?.status === 'seen' || found?.status === 'mined')
    return { ...held, status: 'accepted', reason: null, failure: null };
  const error = new PlanchetError('merchant.transaction-failed', { reason: held.reason?.text ?? '' });
  return { ...unanswered(held.txid, error), raw: held.raw, signature: held.signature };
}

/**
 * The verdict that counts for each transaction: an acceptance before a refusal, a refusal for what it is before one for lack of room, and that before
 * a failure of a miner.
 */
class Outcomes {
  readonly #best = new Map<string, MinerVerdict>();
  readonly #answers = new Map<string, MinerAnswer[]>();

  add(verdict: MinerVerdict, answer: MinerAnswer): void {
    const answers = this.#answers.get(verdict.txid);
    if (answers === undefined) this.#answers.set(verdict.txid, [answer]);
    else answers.push(answer);
    const known = this.#best.get(verdict.txid);
    if (known === undefined || weightOf(verdict) > weightOf(known)) this.#best.set(verdict.txid, verdict);
  }

  resultOf(txid: string): SubmissionResult {
    const verdict = this.#best.get(txid);
    const failure = verdict === undefined ? new PlanchetError('merchant.no-result').toFailure() : verdict.failure;
    const error = failure === null ? undefined : new PlanchetError(failure);
    return { txid, verdict, error, answers: this.#answers.get(txid) ?? [] };
  }
}

function isTaken(verdict: MinerVerdict | undefined): boolean {
  return verdict !== undefined && verdict.failure === null;
}

function weightOf(verdict: MinerVerdict): number {
  if (verdict.failure === null) return 3;
  if (verdict.status === 'unclear') return 0;
  return hadNoRoom(verdict) ? 1 : 2;
}

/** A full mempool and a limit of sizes are those of one miner, and say nothing of the transaction. */
function hadNoRoom({ failure, reason }: MinerVerdict): boolean {
  return failure !== null && (reason?.code === 'no-room' || reason?.code === 'too-large');
}

function mayBeTakenByNext(verdict: MinerVerdict | undefined): boolean {
  return verdict === undefined || verdict.status === 'unclear' || hadNoRoom(verdict);
}

function unanswered(txid: string, error: unknown): MinerVerdict {
  const failure = toFailure(error);
  const { code } = failure;
  const reason = { ...reasonOf(new PlanchetError(failure)), retriedByItself: true };
  const nothing = { block: null, bump: null, conflicts: [], raw: '', signature: 'none' } as const;
  return { ...nothing, txid, status: 'unclear', word: code, reason, failure };
}

function requireMiner(miners: Miners, id: string): MinerEndpoint {
  const endpoint = miners.get(id);
  if (endpoint !== undefined) return endpoint;
  throw new PlanchetError('merchant.miner-unknown', { id });
}

function* batchesOf(transactions: readonly OutgoingTransaction[]): Generator<OutgoingTransaction[]> {
  let batch: OutgoingTransaction[] = [];
  let bytes = 0;
  for (const transaction of transactions) {
    const isFull = batch.length === MAX_TRANSACTIONS || bytes + transaction.rawTx.length > MAX_BYTES;
    if (isFull && batch.length > 0) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(transaction);
    bytes += transaction.rawTx.length;
  }
  if (batch.length > 0) yield batch;
}
