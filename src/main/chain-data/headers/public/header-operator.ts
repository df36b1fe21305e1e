import { HEADER_BYTES, headerHash } from '../../../../chain/index.ts';
import { PlanchetError, phrase } from '../../../../contract/index.ts';
import type { BlockPlace } from '../../../ports/chain-data.ts';
import type { SourceAnswer } from '../../sources/http/source-client.ts';
import type { HeaderSource } from '../header-source.ts';
import { HeaderRefused } from '../header-window.ts';

/** Headers that are looked at before others have their turn. */
const AT_ONCE = 2_000;

/** Consecutive headers, 80 bytes each. */
export interface HeaderRun {
  /** Height of the first one. */
  readonly first: number;
  readonly bytes: Uint8Array;
}

/** The headers as a public service has them. Every question has the five answers; what is `present` is not verified. */
export interface HeaderOperator {
  readonly name: string;
  /** Who runs it. */
  readonly operator: string;
  readonly isArchive?: boolean;
  /** Left out where it does not name its chain. */
  chain?(signal: AbortSignal): Promise<SourceAnswer<string>>;
  tip(signal: AbortSignal): Promise<SourceAnswer<BlockPlace>>;
  /** Left out where a header costs no more; `unknown` where the header itself has to be read. */
  hashAt?(height: number, signal: AbortSignal): Promise<SourceAnswer<string>>;
  heightOf?(hash: string, signal: AbortSignal): Promise<SourceAnswer<number>>;
  /** @param first which the answer holds. @param last greatest height wanted; the answer may end before or after it */
  headers(first: number, last: number, signal: AbortSignal): Promise<SourceAnswer<HeaderRun>>;
  /** Calls for each new tip that the service tells of by itself. @returns when it tells no more, or by the signal */
  watch?(news: () => void, signal: AbortSignal): Promise<void>;
}

/** Keeps what an operator told last, so that a file is fetched once, and asks as few questions as a store needs. */
export class OperatorHeaders {
  readonly operator: HeaderOperator;
  #chain: string | undefined;
  #tip: BlockPlace | undefined;
  #held: HeaderRun | undefined;

  constructor(operator: HeaderOperator) {
    this.operator = operator;
  }

  until(signal: AbortSignal): HeaderSource {
    const { operator } = this;
    const { name, chain, heightOf } = operator;
    return {
      name,
      operator: operator.operator,
      ...(operator.isArchive && { isArchive: true }),
      ...(chain && {
        chain: async () => {
          this.#chain ??= told(await chain.call(operator, signal));
          return this.#chain;
        },
      }),
      height: async () => {
        this.#held = undefined;
        this.#tip = told(await operator.tip(signal));
        return this.#tip.height;
      },
      hashAt: async (height) => {
        if (this.#tip?.height === height) return this.#tip.hash;
        const answer = await operator.hashAt?.(height, signal);
        if (answer !== undefined && answer.state !== 'unknown') return told(answer);
        return headerHash(await this.#read(height, height, signal));
      },
      ...(heightOf && {
        heightOf: async (hash: string) => {
          const answer = await heightOf.call(operator, hash, signal);
          return answer.state === 'absent' || answer.state === 'unknown' ? undefined : told(answer);
        },
      }),
      read: (_, first, last) => this.#read(first, last, signal),
    };
  }

  async #read(first: number, last: number, signal: AbortSignal): Promise<Uint8Array> {
    if (this.#held === undefined || !holds(this.#held, first))
      this.#held = told(await this.operator.headers(first, last, signal));
    const { bytes, first: lowest } = this.#held;
    if (!holds(this.#held, first))
      throw new PlanchetError('chain.source-of-no-use', { reason: phrase('reason.no-header-at', { height: first }) });
    const from = (first - lowest) * HEADER_BYTES;
    return bytes.subarray(from, Math.min(bytes.length, from + Math.min(AT_ONCE, last + 1 - first) * HEADER_BYTES));
  }
}

function holds({ first, bytes }: HeaderRun, height: number): boolean {
  return height >= first && (height + 1 - first) * HEADER_BYTES <= bytes.length;
}

/** @throws HeaderRefused for what is invalid, PlanchetError `chain.source-of-no-use` for what is no answer */
function told<T>(answer: SourceAnswer<T>): T {
  if (answer.state === 'present') return answer.value;
  const { state, reason } = answer;
  throw state === 'invalid' ? new HeaderRefused(reason) : new PlanchetError('chain.source-of-no-use', { reason });
}
