import type { Logger } from 'pino';
import type { CallbackNotice } from '../../../contract/index.ts';
import { Rerun } from '../../async/rerun.ts';
import type { Clock } from '../../ports/clock.ts';
import type { MinerVerdict, NamedMiner } from '../../ports/merchant/miners.ts';
import { type CallbackMessage, UnreadableCallback } from '../protocols/protocol.ts';
import type { Receipts, WaitingReceipt } from './receipts.ts';

/** Messages that are handed on together. */
const BATCH = 500;
const RETRY_MS = 5_000;
/** After a batch that was not full, the next gathers for so long: each batch syncs three times, however few it holds. */
const GATHER_MS = 100;
const FORGET_EVERY_MS = 3_600_000;

export interface HandoverOptions {
  receipts: Receipts;
  /** Reads a recorded message; undefined where its miner was removed. */
  read: (minerId: string, message: string, signature: MinerVerdict['signature']) => CallbackMessage | undefined;
  miner: (id: string) => NamedMiner | undefined;
  /** Hands verdicts on, one for each transaction, with the proofs of merchant APIs by txid. */
  answered: (
    miner: NamedMiner,
    verdicts: readonly MinerVerdict[],
    proofs: ReadonlyMap<string, unknown>,
  ) => Promise<void>;
  /** Whether the history of a transaction has this message of a miner. */
  isRecorded: (txid: string, minerId: string, raw: string) => Promise<boolean>;
  told: (notice: CallbackNotice) => void;
  clock: Clock;
  logger: Logger;
}

interface Read extends WaitingReceipt {
  readonly miner: NamedMiner;
  readonly content: CallbackMessage;
}

/** Hands recorded messages to the tracker, oldest first, many at once. Each ends up in the history once, also after a crash between the two. */
export class Handover {
  readonly #options: HandoverOptions;
  readonly #passes: Rerun;
  #stopped = false;
  /** The last id that was waiting at the start. Messages up to it may be in the history already. */
  #recoversUpTo = 0;
  #cancelRetry: () => void = () => undefined;
  #cancelGathering: (() => void) | undefined;
  /** A message came while the next batch gathered. */
  #hasGathered = false;
  #cancelForget: () => void = () => undefined;

  constructor(options: HandoverOptions) {
    this.#options = options;
    this.#passes = new Rerun({
      work: () => this.#work(),
      onError: (error) => {
        options.logger.error({ err: error }, 'callbacks could not be handed on; they are kept and tried again');
        this.#cancelRetry();
        this.#cancelRetry = options.clock.after(RETRY_MS, () => this.wake());
      },
    });
  }

  start(): void {
    this.#recoversUpTo = this.#options.receipts.lastWaiting();
    this.#forget();
    this.wake();
  }

  /** There are new messages. */
  wake(): void {
    void this.#passes.wake();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelForget();
    await this.#passes.stop();
    this.#cancelRetry();
    this.#cancelGathering?.();
  }

  async #work(): Promise<void> {
    if (this.#cancelGathering !== undefined) {
      this.#hasGathered = true;
      return;
    }
    let handed = BATCH;
    while (handed === BATCH && !this.#stopped) handed = await this.#handOver();
    if (handed > 0) this.#cancelGathering = this.#options.clock.after(GATHER_MS, () => this.#gathered());
  }

  #gathered(): void {
    this.#cancelGathering = undefined;
    if (!this.#hasGathered) return;
    this.#hasGathered = false;
    this.wake();
  }

  /** @returns how many messages there were */
  async #handOver(): Promise<number> {
    const { receipts, told } = this.#options;
    const waiting = receipts.waiting(BATCH);
    const last = waiting.at(-1);
    if (last === undefined) return 0;
    const read = waiting.flatMap((receipt) => this.#read(receipt));
    for (const group of groupsOf(read)) await this.#answer(group);
    receipts.handled(last.id);
    for (const message of read) told(noticeOf(message));
    return waiting.length;
  }

  async #answer(group: readonly Read[]): Promise<void> {
    const news: Read[] = [];
    for (const one of group) if (!(await this.#isRecorded(one))) news.push(one);
    const [first] = news;
    if (first === undefined) return;
    const proofs = new Map(
      news.flatMap(({ content: { proof, verdict } }) => (proof === null ? [] : [[verdict.txid, proof]])),
    );
    await this.#options.answered(
      first.miner,
      news.map(({ content }) => content.verdict),
      proofs,
    );
  }

  async #isRecorded({ id, minerId, content }: Read): Promise<boolean> {
    if (id > this.#recoversUpTo) return false;
    return this.#options.isRecorded(content.verdict.txid, minerId, content.verdict.raw);
  }

  #read(receipt: WaitingReceipt): Read[] {
    const { read, miner, logger } = this.#options;
    const named = miner(receipt.minerId);
    try {
      const content = read(receipt.minerId, receipt.message, receipt.signature as MinerVerdict['signature']);
      return named === undefined || content === undefined ? [] : [{ ...receipt, miner: named, content }];
    } catch (error) {
      // It was readable when it arrived.
      if (!(error instanceof UnreadableCallback)) throw error;
      logger.warn({ err: error, minerId: receipt.minerId }, 'a recorded callback cannot be read');
      return [];
    }
  }

  #forget(): void {
    const { receipts, clock, logger } = this.#options;
    try {
      receipts.forgetOld();
    } catch (error) {
      logger.warn({ err: error }, 'old callbacks could not be removed');
    }
    this.#cancelForget = clock.after(FORGET_EVERY_MS, () => this.#forget());
  }
}

/** Consecutive messages of one miner, about a transaction at most once: the history of each keeps all, in order. */
function* groupsOf(read: readonly Read[]): Generator<Read[]> {
  let open = new Map<string, { group: Read[]; txids: Set<string> }>();
  for (const message of read) {
    const { minerId, content } = message;
    const { txid } = content.verdict;
    if (open.get(minerId)?.txids.has(txid)) {
      for (const { group } of open.values()) yield group;
      open = new Map();
    }
    const mine = open.get(minerId) ?? { group: [], txids: new Set<string>() };
    mine.group.push(message);
    mine.txids.add(txid);
    open.set(minerId, mine);
  }
  for (const { group } of open.values()) yield group;
}

function noticeOf({ at, miner, content: { verdict } }: Read): CallbackNotice {
  const { txid, word, block, conflicts, signature } = verdict;
  return {
    at: Number(at),
    minerId: miner.id,
    miner: miner.name,
    kind: miner.kind,
    txid,
    status: word,
    block,
    conflicts: conflicts.map((conflict) => conflict.txid),
    signature,
  };
}
