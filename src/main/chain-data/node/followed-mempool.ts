import type { Logger } from 'pino';
import { txidOf } from '../../../chain/index.ts';
import { isOver, leftUntil } from '../../async/left-until.ts';
import type { Answer, ArrivalListener } from '../../ports/chain-data.ts';
import type { Clock } from '../../ports/clock.ts';
import { type Message, Subscription } from '../../zmtp/index.ts';
import { told } from '../answers.ts';

/** Longer transactions are not read from announcements: the list has their ids. */
const ANNOUNCED_BYTES = 1_000_000;
/** Nothing announces what a node discards; after this time it is listed again, should no block come. */
const LIST_AGAIN_MS = 600_000;
/** A transaction on a list must have been announced within this time. */
const LATE_MS = 5_000;
/** How long the list is asked for where a node announces only some of its transactions. */
const DISTRUSTED_MS = 3_600_000;
/** Bound of the ids that are held. */
const MOST_IDS = 500_000;
const UINT32 = 2 ** 32;

const topics = ['rawtx', 'rawtx2', 'hashblock'] as const;
type Topic = (typeof topics)[number];

export interface FollowedMempoolOptions {
  /** `tcp://host:port` of the node's ZMQ; empty where there is none. It may change. */
  readonly address: () => string;
  /** Called with the hash of each new tip, for a node that does not announce blocks at that address. @returns removes the listener */
  readonly onTip: (listener: () => void) => () => void;
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: Logger;
  /** Most ids that are held, where another number than usual is wanted. */
  readonly mostIds?: number;
}

/** The state when a list was asked for. */
interface Begun {
  /** Each later list has a higher one. */
  readonly serial: number;
  readonly at: number;
  readonly losses: number;
  readonly blocks: number;
  /** The transaction announced last. */
  readonly last: string | undefined;
}

/**
 * What waits in the mempool of a node, from its announcements (ZMQ topics `rawtx`, `rawtx2`). The list of the node repairs it: at first, after a
 * connection was made or a message was lost, and after each block, since nothing announces what leaves. Whether the node announces all that it
 * has is shown by its lists. Until then, and where it does not, each question asks for the list.
 */
export class FollowedMempool {
  readonly #options: FollowedMempoolOptions;
  readonly #listeners = new Set<ArrivalListener>();
  #subscription: { readonly address: string; readonly socket: Subscription<Topic> } | undefined;
  #stopTips: () => void = () => undefined;
  readonly #sequences = new Map<Topic, number>();
  #announcesBlocks = false;
  /** Rises whenever announcements may have been missed. */
  #losses = 0;
  #blocks = 0;
  #last: string | undefined;
  /** The last list, and what came since. */
  #waiting = new Set<string>();
  #listed: Begun | undefined;
  #lists = 0;
  /** Ids on the last lists that were not announced. */
  #unannounced = new Set<string>();
  /** Collects what is announced while a list is under way. */
  readonly #meanwhile = new Set<Set<string>>();
  #isHeard = false;
  #distrustedUntil = Number.NEGATIVE_INFINITY;

  constructor(options: FollowedMempoolOptions) {
    this.#options = options;
  }

  /** Whether it is known without asking what waits. */
  get isFollowed(): boolean {
    const { clock } = this.#options;
    const listed = this.#listed;
    return (
      this.#isHeard &&
      this.#subscription?.socket.connected === true &&
      listed?.losses === this.#losses &&
      listed.blocks === this.#blocks &&
      this.#unannounced.size === 0 &&
      !isOver(LIST_AGAIN_MS, listed.at, clock.now()) &&
      leftUntil(this.#distrustedUntil, clock.now(), DISTRUSTED_MS) === 0
    );
  }

  /**
   * Calls the listener with each transaction that is announced. The node's announcements are read while there is one.
   * @returns removes the listener
   */
  onTransaction(listener: ArrivalListener): () => void {
    // a listener may be added twice
    const own: ArrivalListener = (txid, raw) => listener(txid, raw);
    this.#listeners.add(own);
    this.#connect();
    return () => {
      this.#listeners.delete(own);
      if (this.#listeners.size === 0) this.#connect();
    };
  }

  /**
   * The ids of what waits.
   * @param ask for the node's own list, where it is needed
   * @param most ids that are listed
   */
  async list(ask: () => Promise<Answer<readonly string[]>>, most?: number): Promise<Answer<readonly string[]>> {
    this.#connect();
    if (this.isFollowed && (most === undefined || this.#waiting.size <= most)) return told([...this.#waiting]);
    const begun: Begun = {
      serial: ++this.#lists,
      at: this.#options.clock.now(),
      losses: this.#losses,
      blocks: this.#blocks,
      last: this.#last,
    };
    const meanwhile = new Set<string>();
    this.#meanwhile.add(meanwhile);
    try {
      const answer = await ask();
      if (answer.value !== undefined && this.#subscription !== undefined) this.#take(answer.value, meanwhile, begun);
      return answer;
    } finally {
      this.#meanwhile.delete(meanwhile);
    }
  }

  #take(list: readonly string[], meanwhile: ReadonlySet<string>, begun: Begun): void {
    // what was asked for later came first, and says more
    if (begun.serial < (this.#listed?.serial ?? 0)) return;
    const ids = new Set(list);
    const isNext = this.#listed?.losses === begun.losses;
    if (!isNext) this.#unannounced.clear();
    else if (isOver(LATE_MS, this.#listed?.at ?? 0, begun.at)) this.#judge(ids, begun.at);
    if (isNext) for (const txid of list) if (!this.#waiting.has(txid)) this.#unannounced.add(txid);
    if (begun.last !== undefined && ids.has(begun.last)) this.#isHeard = true;
    for (const txid of meanwhile) ids.add(txid);
    this.#waiting = ids;
    this.#listed = begun;
  }

  /** A transaction that is still listed and was not announced for a while was kept back by the node. */
  #judge(ids: ReadonlySet<string>, at: number): void {
    const isKeptBack = [...this.#unannounced].some((txid) => ids.has(txid));
    this.#unannounced.clear();
    if (!isKeptBack) return;
    this.#distrustedUntil = at + DISTRUSTED_MS;
    const { logger, address } = this.#options;
    logger.info({ address: address() }, 'the node does not announce all of its mempool, so it is listed');
  }

  #lose(): void {
    this.#losses += 1;
    this.#sequences.clear();
  }

  /** Reads announcements from the address that is set now, while somebody listens. */
  #connect(): void {
    const address = this.#listeners.size === 0 ? '' : this.#options.address();
    if (address === (this.#subscription?.address ?? '')) return;
    this.#subscription?.socket.close();
    this.#subscription = undefined;
    this.#stopTips();
    this.#lose();
    this.#isHeard = false;
    this.#announcesBlocks = false;
    this.#distrustedUntil = Number.NEGATIVE_INFINITY;
    this.#waiting = new Set();
    if (address === '') return;
    try {
      const socket = new Subscription<Topic>({
        address,
        // `rawtx` is the beginning of `rawtx2` as well
        topics: ['rawtx', 'hashblock'],
        topicAt: (bytes, start, end) => topics.find((topic) => topic === bytes.toString('latin1', start, end)),
        wanted: (topic, bytes) => topic !== 'hashblock' && bytes <= ANNOUNCED_BYTES,
        message: (message) => this.#read(message),
        read: () => true,
        opened: () => this.#lose(),
        lost: () => this.#lose(),
      });
      this.#subscription = { address, socket };
      this.#stopTips = this.#options.onTip(() => {
        if (!this.#announcesBlocks) this.#blocks += 1;
      });
    } catch (error) {
      this.#options.logger.warn({ err: error, address }, 'the ZMQ address of the node cannot be used');
    }
  }

  #read(message: Message<Topic>): void {
    const { topic, sequence } = message;
    const before = this.#sequences.get(topic);
    if (before !== undefined && sequence !== (before + 1) % UINT32) this.#lose();
    this.#sequences.set(topic, sequence);
    if (topic === 'hashblock') {
      this.#announcesBlocks = true;
      this.#blocks += 1;
      return;
    }
    const raw = message.bodyLength > ANNOUNCED_BYTES ? undefined : message.body();
    // what is not read is missing as if it were lost
    if (raw === undefined) this.#losses += 1;
    else this.#announced(txidOf(raw), raw);
  }

  #announced(txid: string, raw: Uint8Array): void {
    this.#last = txid;
    if (this.#unannounced.delete(txid)) this.#isHeard = true;
    for (const meanwhile of this.#meanwhile) meanwhile.add(txid);
    if (this.#waiting.size < (this.#options.mostIds ?? MOST_IDS)) this.#waiting.add(txid);
    else this.#losses += 1;
    for (const listener of this.#listeners) listener(txid, raw);
  }
}
