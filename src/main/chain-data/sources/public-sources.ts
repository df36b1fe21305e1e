import { type Network, type PublicSourceName, publicSourceNames, readPublicSources } from '../../../contract/index.ts';
import type { Clock } from '../../ports/clock.ts';
import { createSourceClient, type SourceClient } from './http/source-client.ts';

/** Addresses of the services by network. */
const presets: Readonly<Record<Network, Partial<Record<PublicSourceName, string>>>> = {
  main: {
    cdn: 'https://cdn.projectbabbage.com/blockheaders',
    whatsonchain: 'https://api.whatsonchain.com/v1/bsv/main',
    bananablocks: 'https://bananablocks.com/api/v1',
    arcade: 'https://arcade-v2-us-1.bsvblockchain.tech',
  },
  test: {
    cdn: 'https://cdn.projectbabbage.com/blockheaders',
    whatsonchain: 'https://api.whatsonchain.com/v1/bsv/test',
    bananablocks: 'https://test.bananablocks.com/api/v1',
    arcade: 'https://arcade-v2-testnet-us-1.bsvblockchain.tech',
  },
  sandbox: {},
};

/** Between two requests to one operator: three a second are free of charge at most. */
const INTERVAL_MS = 350;

/** The clients of the public services that the setting names, one for each, so that all that is asked of a service keeps one pace. */
export class PublicSources {
  readonly #options: { readonly network: Network; readonly clock: Clock; readonly text: () => string };
  #text: string | undefined;
  #clients: ReadonlyMap<PublicSourceName, SourceClient> = new Map();

  /** @param options.text the setting `publicSources` */
  constructor(options: { network: Network; clock: Clock; text: () => string }) {
    this.#options = options;
  }

  /** The same map until the setting changes. */
  clients(): ReadonlyMap<PublicSourceName, SourceClient> {
    const { network, clock, text } = this.#options;
    if (this.#text === text()) return this.#clients;
    this.#text = text();
    const named = readPublicSources(this.#text) ?? new Map<PublicSourceName, string>();
    const chosen = named.size === 0 ? new Map(publicSourceNames.map((name) => [name, ''])) : named;
    this.#clients = new Map(
      [...chosen].flatMap(([name, address]): [PublicSourceName, SourceClient][] => {
        const baseUrl = address || presets[network][name];
        if (baseUrl === undefined) return [];
        const minIntervalMs = isOnThisMachine(baseUrl) ? 0 : INTERVAL_MS;
        return [[name, createSourceClient({ operator: name, baseUrl, clock, minIntervalMs })]];
      }),
    );
    return this.#clients;
  }
}

function isOnThisMachine(address: string): boolean {
  return ['127.0.0.1', '[::1]', 'localhost'].includes(new URL(address).hostname);
}
