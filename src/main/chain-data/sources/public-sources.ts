import {
  joinedServices,
  type Network,
  type PublicSourceName,
  publicSourceNames,
  readPublicSources,
} from '../../../contract/index.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Outbound } from '../../ports/outbound.ts';
import { createSourceClient, type SourceClient } from './http/source-client.ts';

/** Addresses of the services by network. Those of the network `private` are at the address that it joined. */
const presets: Partial<Record<Network, Partial<Record<PublicSourceName, string>>>> = {
  main: {
    cdn: 'https://cdn.projectbabbage.com/blockheaders',
    whatsonchain: 'https://api.whatsonchain.com/v1/bsv/main',
    bananablocks: 'https://bananablocks.com/api/v1',
    arcade: 'https://arcade-v2-us-1.bsvblockchain.tech',
    onesat: 'https://api.1sat.app/1sat',
  },
  test: {
    cdn: 'https://cdn.projectbabbage.com/blockheaders',
    whatsonchain: 'https://api.whatsonchain.com/v1/bsv/test',
    bananablocks: 'https://test.bananablocks.com/api/v1',
    arcade: 'https://arcade-v2-testnet-us-1.bsvblockchain.tech',
    onesat: 'https://testnet.api.1sat.app/1sat',
  },
};

/** Between two requests to one operator: three a second are free of charge at most. */
const INTERVAL_MS = 350;

export interface PublicSourcesOptions {
  readonly network: Network;
  readonly clock: Clock;
  /** The setting `publicSources`. */
  readonly text: () => string;
  /** The setting `joinUrl`. */
  readonly joinUrl: () => string;
  /** The way to other machines; directly where it is left out. */
  readonly outbound?: Outbound;
}

/** The clients of the public services that the setting names, one for each, so that all that is asked of a service keeps one pace. */
export class PublicSources {
  readonly #options: PublicSourcesOptions;
  #read: string | undefined;
  #clients: ReadonlyMap<PublicSourceName, SourceClient> = new Map();

  constructor(options: PublicSourcesOptions) {
    this.#options = options;
  }

  /** The same map until the settings change. */
  clients(): ReadonlyMap<PublicSourceName, SourceClient> {
    const { network, clock, text, joinUrl, outbound } = this.#options;
    const settings = `${text()} ${joinUrl()}`;
    if (this.#read === settings) return this.#clients;
    this.#read = settings;
    const known = network === 'private' ? joinedServices(joinUrl()) : presets[network];
    const named = readPublicSources(text()) ?? new Map<PublicSourceName, string>();
    const chosen = named.size === 0 ? new Map(publicSourceNames.map((name) => [name, ''])) : named;
    this.#clients = new Map(
      [...chosen].flatMap(([name, address]): [PublicSourceName, SourceClient][] => {
        const baseUrl = address || known?.[name];
        if (baseUrl === undefined) return [];
        const minIntervalMs = isOnThisMachine(baseUrl) ? 0 : INTERVAL_MS;
        return [
          [name, createSourceClient({ operator: name, baseUrl, clock, minIntervalMs, ...(outbound && { outbound }) })],
        ];
      }),
    );
    return this.#clients;
  }
}

function isOnThisMachine(address: string): boolean {
  return ['127.0.0.1', '[::1]', 'localhost'].includes(new URL(address).hostname);
}
