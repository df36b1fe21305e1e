import type { Network, PublicSourceName } from '../../../../contract/index.ts';
import { backOffMs } from '../../../async/back-off.ts';
import { isOver, leftUntil } from '../../../async/left-until.ts';
import { passed } from '../../../async/passed.ts';
import type { Clock } from '../../../ports/clock.ts';
import { arcadeHeaders } from '../../sources/arcade/headers.ts';
import { bananaBlocksHeaders } from '../../sources/bananablocks/headers.ts';
import { cdnHeaders } from '../../sources/cdn/headers.ts';
import type { SourceClient } from '../../sources/http/source-client.ts';
import type { PublicSources } from '../../sources/public-sources.ts';
import { whatsOnChainHeaders } from '../../sources/whatsonchain/headers.ts';
import type { HeaderSource } from '../header-source.ts';
import { type HeaderOperator, OperatorHeaders } from './header-operator.ts';

/** Between two looks at all sources. */
const POLL_MS = 180_000;
/** Between two looks while a source tells of new blocks by itself. */
const WATCHED_POLL_MS = 600_000;
/** News come at most so often, whatever a source sends, unless all of them may be asked at any pace. */
const NEWS_MS = 5_000;
/** Pause before a stream that ended is opened again: longer each time where it told nothing. */
const REOPEN = { firstMs: 30_000, longestMs: 900_000 };

/** Archives first. */
const makers: Readonly<Partial<Record<PublicSourceName, (client: SourceClient, network: Network) => HeaderOperator>>> =
  {
    cdn: (client, network) => cdnHeaders(client, `${network === 'main' ? 'main' : 'test'}NetBlockHeaders.json`),
    whatsonchain: whatsOnChainHeaders,
    bananablocks: (client) => bananaBlocksHeaders(client),
    arcade: arcadeHeaders,
  };

/** The services among these that have headers, archives first. */
export function headerOperators(
  clients: ReadonlyMap<PublicSourceName, SourceClient>,
  network: Network,
): HeaderOperator[] {
  return (Object.keys(makers) as PublicSourceName[]).flatMap((name) => {
    const [client, make] = [clients.get(name), makers[name]];
    return client === undefined || make === undefined ? [] : [make(client, network)];
  });
}

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
  /** Hears of new headers from the services themselves. */
  #news: (() => void) | undefined;
  #watches = new AbortController();
  /** Operators whose stream has told something and has not ended. */
  readonly #open = new Set<HeaderOperator>();

  constructor(options: PublicHeadersOptions) {
    this.#options = options;
  }

  until(signal: AbortSignal): HeaderSource[] {
    return this.#current().map((one) => one.until(signal));
  }

  /** Calls when there may be new headers, at once for a source that tells of them. @returns stops it */
  onTip(listener: () => void): () => void {
    const { clock, isAsked } = this.#options;
    let newsAt = 0;
    let askedAt = clock.now();
    let cancelNews: (() => void) | undefined;
    const look = (): void => {
      askedAt = clock.now();
      listener();
    };
    const tell = (): void => {
      cancelNews = undefined;
      newsAt = clock.now();
      look();
    };
    // what comes too soon is told later: it may be the last for long
    const news = (): void => {
      const wait = leftUntil(newsAt + NEWS_MS, clock.now(), NEWS_MS);
      if (wait === 0 || [...(this.#clients?.values() ?? [])].every((one) => one.minIntervalMs === 0)) tell();
      else cancelNews ??= clock.after(wait, tell);
    };
    let cancel: () => void = () => undefined;
    const poll = (): void => {
      cancel = clock.after(POLL_MS, () => {
        if (isAsked() && (this.#open.size === 0 || isOver(WATCHED_POLL_MS, askedAt, clock.now()))) look();
        poll();
      });
    };
    poll();
    this.#current();
    this.#news = news;
    this.#watchAll();
    return () => {
      cancel();
      cancelNews?.();
      this.#news = undefined;
      this.#watches.abort();
    };
  }

  /** Leaves the services that were watched, and watches those of now. */
  #watchAll(): void {
    this.#watches.abort();
    this.#open.clear();
    if (this.#news === undefined) return;
    this.#watches = new AbortController();
    for (const { operator } of this.#operators) void this.#watch(operator, this.#news, this.#watches.signal);
  }

  async #watch(operator: HeaderOperator, news: () => void, signal: AbortSignal): Promise<void> {
    let silent = 0;
    let hasTold = false;
    while (operator.watch !== undefined && !signal.aborted) {
      const heard = (): void => {
        this.#open.add(operator);
        news();
      };
      if (this.#options.isAsked()) await operator.watch(heard, signal).catch(() => undefined);
      const tells = this.#open.delete(operator);
      // a stream that cannot be opened again may be the first sign that this computer reaches nobody
      if (hasTold && !tells && !signal.aborted) news();
      hasTold = tells;
      silent = tells ? 1 : silent + 1;
      await passed(this.#options.clock, backOffMs(REOPEN, silent), signal);
    }
  }

  #current(): readonly OperatorHeaders[] {
    const { sources, network } = this.#options;
    const clients = sources.clients();
    if (clients !== this.#clients) {
      this.#clients = clients;
      this.#operators = headerOperators(clients, network).map((operator) => new OperatorHeaders(operator));
      this.#watchAll();
    }
    return this.#operators;
  }
}
