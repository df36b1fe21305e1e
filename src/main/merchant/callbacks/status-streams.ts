import type { Logger } from 'pino';
import { backOffMs } from '../../async/back-off.ts';
import { passed } from '../../async/passed.ts';
import type { Clock } from '../../ports/clock.ts';
import type { MinerEndpoint, Miners, MinerVerdict, NamedMiner } from '../../ports/merchant/miners.ts';

/** Before a stream that ended is opened again. */
const RETRY = { firstMs: 5_000, longestMs: 300_000 };
/** How often it is checked whether the miner is still in use. */
const CHECK_MS = 5_000;

export interface StatusStreamsOptions {
  miners: Pick<Miners, 'get' | 'usable'>;
  /** Never rejects for what a miner said. */
  take: (miner: NamedMiner, verdicts: readonly MinerVerdict[]) => Promise<void>;
  clock: Clock;
  logger: Logger;
}

/** Reads the streams over which miners report states, each from the first submission on for as long as the miner is in use. */
export class StatusStreams {
  readonly #options: StatusStreamsOptions;
  readonly #open = new Map<MinerEndpoint, Promise<void>>();
  readonly #closing = new AbortController();

  constructor(options: StatusStreamsOptions) {
    this.#options = options;
  }

  /** Opens the stream of a miner that has one, unless it is open. */
  listen({ id }: NamedMiner): void {
    const endpoint = this.#options.miners.get(id);
    if (endpoint?.follow === undefined || this.#open.has(endpoint) || this.#closing.signal.aborted) return;
    this.#open.set(
      endpoint,
      this.#read(endpoint).finally(() => {
        this.#open.delete(endpoint);
        // The miner may have been switched on again while its stream was closing; a submission in between opened no new one.
        if (this.#options.miners.usable().includes(endpoint)) this.listen(endpoint);
      }),
    );
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#open.values());
  }

  async #read(endpoint: MinerEndpoint): Promise<void> {
    const { clock, logger, take } = this.#options;
    const ended = new AbortController();
    const signal = AbortSignal.any([ended.signal, this.#closing.signal]);
    let cancel = (): void => undefined;
    const check = (): void => {
      if (this.#options.miners.usable().includes(endpoint)) cancel = clock.after(CHECK_MS, check);
      else ended.abort();
    };
    check();
    for (let failures = 0; !signal.aborted; failures++) {
      try {
        await endpoint.follow?.(async (verdict) => {
          failures = 0;
          await take(endpoint, [verdict]);
        }, signal);
      } catch (error) {
        if (!signal.aborted) logger.debug({ err: error, miner: endpoint.name }, 'the stream of a miner ended');
      }
      await passed(clock, backOffMs(RETRY, failures + 1), signal);
    }
    cancel();
  }
}
