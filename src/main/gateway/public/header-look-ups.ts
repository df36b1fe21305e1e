import { askingFor } from '../../async/asker.ts';
import { isOver } from '../../async/left-until.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ChainHeader, HeaderChain } from '../../ports/headers.ts';

/** The verified headers, with what each chain of them amounts to. */
export interface WorkedHeaders extends Pick<HeaderChain, 'at' | 'header' | 'tip' | 'isAgreed' | 'refresh'> {
  /** Whether no source answered the last time. */
  readonly isSilent: boolean;
  /** Work of the chain up to a height; undefined where that is not known. */
  workAt(height: number): Promise<bigint | undefined>;
}

/** Milliseconds between two reads of headers that calls about unknown blocks cause. */
const BETWEEN_MS = 5_000;
/** Blocks that are remembered as unknown. */
const MOST_UNKNOWN = 10_000;

/**
 * Reads headers for clients of the gateway. Their calls may cause a read, but no more than one each few seconds, and none
 * for a block that was looked for since the last one came. So made-up hashes cause no requests.
 */
export class HeaderLookUps {
  readonly #headers: WorkedHeaders;
  readonly #clock: Pick<Clock, 'now'>;
  /** Block by block, the tip at which it was not found. */
  readonly #unknown = new Map<number | string, string | undefined>();
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;

  constructor(headers: WorkedHeaders, clock: Pick<Clock, 'now'>) {
    this.#headers = headers;
    this.#clock = clock;
  }

  /** Reads new headers, unless that was done a moment ago. */
  async refresh(): Promise<void> {
    await this.lookFor(undefined);
  }

  /**
   * Reads headers, for a block that is not among those that are here. All of it is asked for the program itself: everybody has what was read.
   * @returns false where it may be among older ones, and cannot be looked for now
   */
  async lookFor(block: number | string | undefined): Promise<boolean> {
    const tip = this.#headers.tip?.hash;
    if (block !== undefined && this.#unknown.has(block) && this.#unknown.get(block) === tip) return true;
    if (this.#reading !== undefined || !isOver(BETWEEN_MS, this.#readAt, this.#clock.now())) {
      await this.#reading;
      return this.#headers.at(1) !== undefined || (block !== undefined && this.#find(block) !== undefined);
    }
    this.#readAt = this.#clock.now();
    this.#reading = askingFor(undefined, () => this.#headers.refresh(block)).finally(() => {
      this.#reading = undefined;
    });
    await this.#reading;
    if (block !== undefined && this.#find(block) === undefined) this.#note(block);
    return true;
  }

  #find(block: number | string): ChainHeader | undefined {
    return typeof block === 'number' ? this.#headers.at(block) : this.#headers.header(block);
  }

  #note(block: number | string): void {
    this.#unknown.delete(block);
    this.#unknown.set(block, this.#headers.tip?.hash);
    const [oldest] = this.#unknown.keys();
    if (this.#unknown.size > MOST_UNKNOWN && oldest !== undefined) this.#unknown.delete(oldest);
  }
}
