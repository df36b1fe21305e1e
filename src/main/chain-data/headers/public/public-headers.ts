import type { Network, PublicSourceName } from '../../../../contract/index.ts';
import type { Clock } from '../../../ports/clock.ts';
import { arcadeHeaders } from '../../sources/arcade/headers.ts';
import { bananaBlocksHeaders } from '../../sources/bananablocks/headers.ts';
import { cdnHeaders } from '../../sources/cdn/headers.ts';
import type { SourceClient } from '../../sources/http/source-client.ts';
import type { PublicSources } from '../../sources/public-sources.ts';
import { whatsOnChainHeaders } from '../../sources/whatsonchain/headers.ts';
import type { HeaderSource } from '../header-source.ts';
import { type HeaderOperator, OperatorHeaders } from './header-operator.ts';

/** Between two looks at all sources; those that tell of a new block by themselves are faster. */
const POLL_MS = 120_000;
/** News come at most so often, whatever a source sends. */
const NEWS_MS = 5_000;
/** Until a stream that ended is opened again. */
const REOPEN_MS = 30_000;

/** Archives first. */
const makers: Readonly<Record<PublicSourceName, (client: SourceClient, network: Network) => HeaderOperator>> = {
  cdn: (client, network) => cdnHeaders(client, `${network === 'main' ? 'main' : 'test'}NetBlockHeaders.json`),
  whatsonchain: whatsOnChainHeaders,
  bananablocks: (client) => bananaBlocksHeaders(client),
  arcade: arcadeHeaders,
};

export interface PublicHeadersOptions {
  readonly sources: PublicSources;
  readonly network: Network;
  readonly clock: Clock;
  /** Whether the services are asked now. */
  readonly isAsked: () => boolean;
}

/** The headers of the public services that are in use. */
export class PublicHeaders {
  readonly #options: PublicHeadersOptions;
  #clients: ReadonlyMap<PublicSourceName, SourceClient> | undefined;
  #operators: readonly OperatorHeaders[] = [];

  constructor(options: PublicHeadersOptions) {
    this.#options = options;
  }

  until(signal: AbortSignal): HeaderSource[] {
    return this.#current().map((one) => one.until(signal));
  }

  /** Calls when there may be new headers, at once for a source that tells of them. @returns stops it */
  onTip(listener: () => void): () => void {
    const { clock, isAsked } = this.#options;
    const abort = new AbortController();
    let newsAt = 0;
    const news = (): void => {
      if (clock.now() - newsAt < NEWS_MS) return;
      newsAt = clock.now();
      listener();
    };
    let cancel: () => void = () => undefined;
    const poll = (): void => {
      cancel = clock.after(POLL_MS, () => {
        if (isAsked()) listener();
        poll();
      });
    };
    poll();
    for (const { operator } of this.#current()) void this.#watch(operator, news, abort.signal);
    return () => {
      cancel();
      abort.abort();
    };
  }

  async #watch(operator: HeaderOperator, news: () => void, signal: AbortSignal): Promise<void> {
    while (operator.watch !== undefined && !signal.aborted) {
      if (this.#options.isAsked()) await operator.watch(news, signal).catch(() => undefined);
      const over = Promise.withResolvers<void>();
      const cancel = this.#options.clock.after(REOPEN_MS, over.resolve);
      signal.addEventListener('abort', () => over.resolve(), { once: true });
      await over.promise;
      cancel();
    }
  }

  #current(): readonly OperatorHeaders[] {
    const { sources, network } = this.#options;
    const clients = sources.clients();
    if (clients !== this.#clients) {
      this.#clients = clients;
      this.#operators = (Object.keys(makers) as PublicSourceName[]).flatMap((name) => {
        const client = clients.get(name);
        return client === undefined ? [] : [new OperatorHeaders(makers[name](client, network))];
      });
    }
    return this.#operators;
  }
}
