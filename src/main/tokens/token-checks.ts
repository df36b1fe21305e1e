import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { formatOutpoint, type Outpoint, parseOutpoint } from '../../chain/index.ts';
import type { HeldToken } from '../../contract/index.ts';
import { TraceError } from '../../token/index.ts';
import { leftUntil } from '../async/left-until.ts';
import { Rerun } from '../async/rerun.ts';
import type { Clock } from '../ports/clock.ts';
import type { ChainReader } from './chain-reader.ts';
import { traceThrough } from './genuine.ts';

/** What is known of a token's history. */
export interface TokenCheck {
  readonly history: HeldToken['history'];
  /** Satoshis of one token by its contract; null where that is not known. */
  readonly satsPerToken: number | null;
}

/** Bounds of a trace in the background. A token with a longer history stays unchecked until it is opened or spent. */
const LIMITS = { maxTransactions: 500, maxFetches: 1_000, maxDurationMs: 10_000 } as const;
/** Results kept. */
const KEPT = 10_000;
/** How long to wait before an unsuccessful check is tried again. */
const RETRY_MS = 60_000;

const CHECKING: TokenCheck = { history: 'checking', satsPerToken: null };
const UNCHECKED: TokenCheck = { history: 'unchecked', satsPerToken: null };

/** Traces the tokens of the wallet's list in the background, one after the other, and caches the results. */
export class TokenChecks {
  readonly #chain: ChainReader;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #found = new LRUCache<string, { check: TokenCheck; until: number | undefined }>({ max: KEPT });
  readonly #waiting = new Set<string>();
  #checks: Rerun;
  #abort = new AbortController();

  constructor(options: { chain: ChainReader; clock: Clock; logger: Logger }) {
    this.#chain = options.chain;
    this.#clock = options.clock;
    this.#logger = options.logger;
    this.#checks = this.#newChecks();
  }

  /** What is known of a token now. If it was not checked yet, a check is scheduled. */
  of(token: Outpoint): TokenCheck {
    const key = formatOutpoint(token);
    const found = this.#found.get(key);
    if (found !== undefined && (found.until === undefined || leftUntil(found.until, this.#clock.now(), RETRY_MS) > 0))
      return found.check;
    if (this.#abort.signal.aborted) return UNCHECKED;
    this.#waiting.add(key);
    void this.#checks.wake();
    // While the check is repeated, the token counts as unchecked.
    return found?.check ?? CHECKING;
  }

  start(): void {
    if (!this.#abort.signal.aborted) return;
    this.#abort = new AbortController();
    this.#checks = this.#newChecks();
  }

  /** Ends the trace under way and starts no other. */
  async stop(): Promise<void> {
    this.#waiting.clear();
    this.#abort.abort();
    await this.#checks.stop();
  }

  #newChecks(): Rerun {
    return new Rerun({
      work: () => this.#run(),
      onError: (error) => this.#logger.error({ err: error }, 'tokens could not be checked'),
    });
  }

  async #run(): Promise<void> {
    // The caller of `of` gets its answer first.
    await Promise.resolve();
    for (const key of this.#waiting) {
      const check = await this.#check(parseOutpoint(key));
      if (this.#abort.signal.aborted) return;
      const lasts = check.history === 'unchecked' ? this.#clock.now() + RETRY_MS : undefined;
      this.#found.set(key, { check, until: lasts });
      this.#waiting.delete(key);
    }
  }

  async #check(token: Outpoint): Promise<TokenCheck> {
    try {
      const { origins } = await traceThrough(this.#chain, token, { ...LIMITS, signal: this.#abort.signal });
      const sizes = new Set(origins.map(({ schema }) => schema.satsPerToken));
      return { history: 'genuine', satsPerToken: sizes.size === 1 ? ([...sizes][0] ?? null) : null };
    } catch (error) {
      this.#logger.debug({ err: error, token: formatOutpoint(token) }, 'a token is not known to be genuine');
      // Any other error says nothing about the token: the node may lack its history, or not answer.
      const isBroken = error instanceof TraceError && error.code === 'trace-invalid';
      return isBroken ? { history: 'notGenuine', satsPerToken: null } : UNCHECKED;
    }
  }
}
