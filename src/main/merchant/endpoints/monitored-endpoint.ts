import { type Failure, type MinerKind, type MinerQuote, toFailure } from '../../../contract/index.ts';
import type { MinerEndpoint, MinerVerdict, OutgoingTransaction, SubmitOptions } from '../../ports/miners.ts';

/** Requests whose duration counts for the median. */
const RECENT = 50;

/** An endpoint that counts its requests and remembers its last quote and failure. */
export class MonitoredEndpoint implements MinerEndpoint {
  readonly #endpoint: MinerEndpoint;
  readonly #milliseconds: () => number;
  readonly #recent: number[] = [];
  #succeeded = 0;
  #failed = 0;
  #failure: Failure | null = null;
  #quote: MinerQuote | null = null;

  /** @param milliseconds a clock that only goes forward */
  constructor(endpoint: MinerEndpoint, milliseconds: () => number = () => performance.now()) {
    this.#endpoint = endpoint;
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

  async quote(): Promise<MinerQuote> {
    const quote = await this.#watch(() => this.#endpoint.quote());
    this.#quote = quote;
    return quote;
  }

  submit(transactions: readonly OutgoingTransaction[], options?: SubmitOptions): Promise<MinerVerdict[]> {
    return this.#watch(() => this.#endpoint.submit(transactions, options));
  }

  status(txid: string): Promise<MinerVerdict> {
    return this.#watch(() => this.#endpoint.status(txid));
  }

  /** What the requests of this run have shown. */
  figures(): {
    quote: MinerQuote | null;
    failure: Failure | null;
    requests: { succeeded: number; failed: number };
    latencyMs: number | null;
  } {
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
      this.#succeeded++;
      this.#failure = null;
      return result;
    } catch (error) {
      this.#failed++;
      this.#failure = toFailure(error);
      throw error;
    } finally {
      this.#recent.push(this.#milliseconds() - started);
      if (this.#recent.length > RECENT) this.#recent.shift();
    }
  }
}
