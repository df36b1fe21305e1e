import { type Failure, type Miner, type MinerKind, type MinerQuote, toFailure } from '../../../contract/index.ts';
import type { MinerEndpoint, MinerVerdict, OutgoingTransaction, SubmitOptions } from '../../ports/merchant/miners.ts';
import type { MinerHistory } from './miner-history.ts';

/** Requests whose duration counts for the median. */
const RECENT = 50;

type EndpointHistory = Pick<MinerHistory, 'quoted' | 'requested'>;

/** An endpoint that counts its requests and remembers its last quote and failure. */
export class MonitoredEndpoint implements MinerEndpoint {
  readonly #endpoint: MinerEndpoint;
  readonly #history: EndpointHistory;
  readonly #milliseconds: () => number;
  readonly #recent: number[] = [];
  #succeeded = 0;
  #failed = 0;
  #failure: Failure | null = null;
  #quote: MinerQuote | null = null;
  #used = false;

  /** @param milliseconds a clock that only goes forward */
  constructor(endpoint: MinerEndpoint, history: EndpointHistory, milliseconds: () => number = () => performance.now()) {
    this.#endpoint = endpoint;
    this.#history = history;
    this.#milliseconds = milliseconds;
  }

  get id(): string {
    return this.#endpoint.id;
  }
  get name(): string {
    return this.#endpoint.name;
  }
  get kind(): MinerKind {
    return this.#endpoint.kind;
  }

  quote(remaining = 0): Promise<MinerQuote> {
    this.#used = true;
    return this.#read(remaining);
  }

  /** The last quote, and whether anybody asked for it since it was read. */
  get offer(): { quote: MinerQuote; used: boolean } | null {
    return this.#quote && { quote: this.#quote, used: this.#used };
  }

  /** Reads the quote again unless it stays valid for so many milliseconds. @throws PlanchetError as {@link quote} */
  async renew(remaining: number): Promise<void> {
    await this.#read(remaining);
    this.#used = false;
  }

  async #read(remaining: number): Promise<MinerQuote> {
    const started = this.#milliseconds();
    let quote: MinerQuote;
    try {
      quote = await this.#endpoint.quote(remaining);
    } catch (error) {
      this.#ended(started, error);
      throw error;
    }
    // The same object is the cached quote: no request was made.
    if (quote !== this.#quote) {
      this.#quote = quote;
      this.#ended(started);
      this.#history.quoted(this.id, quote);
    }
    return quote;
  }

  submit(transactions: readonly OutgoingTransaction[], options?: SubmitOptions): Promise<MinerVerdict[]> {
    return this.#watch(() => this.#endpoint.submit(transactions, options));
  }

  status(txid: string): Promise<MinerVerdict> {
    return this.#watch(() => this.#endpoint.status(txid));
  }

  /** See {@link MinerEndpoint.follow}. */
  get follow(): MinerEndpoint['follow'] {
    return this.#endpoint.follow?.bind(this.#endpoint);
  }

  /** What the requests of this run have shown. */
  figures(): Pick<Miner, 'quote' | 'failure' | 'requests' | 'latencyMs'> {
    const sorted = [...this.#recent].sort((a, b) => a - b);
    return {
      quote: this.#quote,
      failure: this.#failure,
      requests: { succeeded: this.#succeeded, failed: this.#failed },
      latencyMs: sorted[sorted.length >> 1] ?? null,
    };
  }

  async #watch<T>(work: () => Promise<T>): Promise<T> {
    const started = this.#milliseconds();
    try {
      const result = await work();
      this.#ended(started);
      return result;
    } catch (error) {
      this.#ended(started, error);
      throw error;
    }
  }

  #ended(started: number, error?: unknown): void {
    const ms = this.#milliseconds() - started;
    const succeeded = error === undefined;
    if (succeeded) this.#succeeded++;
    else this.#failed++;
    this.#failure = succeeded ? null : toFailure(error);
    this.#recent.push(ms);
    if (this.#recent.length > RECENT) this.#recent.shift();
    this.#history.requested(this.id, { succeeded, ms });
  }
}
