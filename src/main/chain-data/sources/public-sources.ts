import { joinedServices, type Network, type PublicSourceName, readPublicSources } from '../../../contract/index.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Outbound } from '../../ports/outbound.ts';
import { createSourceClient, type SourceClient } from './http/source-client.ts';
import { usualOperators } from './operators.ts';

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
/** Between two requests with a key: the smallest plan allows ten a second. */
const KEYED_INTERVAL_MS = 100;

/** The keys of services, as the vault has them. */
export interface SourceKeys {
  /** Grows with each change; undefined where nobody counts. */
  readonly revision: () => number | undefined;
  /** Undefined where there is none for that address, or the vault is locked. */
  readonly of: (name: PublicSourceName, address: string) => string | undefined;
}

export interface PublicSourcesOptions {
  readonly network: Network;
  readonly clock: Clock;
  /** The setting `publicSources`. */
  readonly text: () => string;
  /** The setting `joinUrl`. */
  readonly joinUrl: () => string;
  /** The way to other machines; directly where it is left out. */
  readonly outbound?: Outbound | undefined;
  /** Left out where none has a key. */
  readonly keys?: SourceKeys | undefined;
}

/** The clients of the public services that the setting names, one for each, so that all that is asked of a service keeps one pace. */
export class PublicSources {
  readonly #options: PublicSourcesOptions;
  #read: string | undefined;
  #clients: ReadonlyMap<PublicSourceName, SourceClient> = new Map();
  #keyed:
    | { readonly revision: number | undefined; readonly asked: string; readonly names: ReadonlySet<PublicSourceName> }
    | undefined;

  constructor(options: PublicSourcesOptions) {
    this.#options = options;
  }

  /** Returns the same map until the settings change, or a service gets a key or loses it. */
  clients(): ReadonlyMap<PublicSourceName, SourceClient> {
    const { network, clock, text, joinUrl, outbound, keys } = this.#options;
    const asked = `${text()} ${joinUrl()}`;
    const keyed = this.#namesWithKey(asked);
    const settings = `${asked} ${[...keyed].join()}`;
    if (this.#read === settings) return this.#clients;
    this.#read = settings;
    const usual = presetsOf(network, joinUrl());
    this.#clients = new Map(
      this.#asked().map(([name, baseUrl]): [PublicSourceName, SourceClient] => {
        const ownPace = keyed.has(name) ? KEYED_INTERVAL_MS : INTERVAL_MS;
        const minIntervalMs = isOnThisMachine(baseUrl) ? 0 : ownPace;
        const headers = () => headersOf(name, keys?.of(name, baseUrl));
        const ownOperator = ownOperatorOf(name, baseUrl, usual);
        const asked = { operator: name, baseUrl, ownOperator, clock, minIntervalMs, headers, outbound };
        return [name, createSourceClient(asked)];
      }),
    );
    return this.#clients;
  }

  /** The services that are switched on, and where each is asked. */
  #asked(): [PublicSourceName, string][] {
    const { network, text, joinUrl } = this.#options;
    const known = presetsOf(network, joinUrl());
    return [...(readPublicSources(text()) ?? [])].flatMap(([name, { on, address }]): [PublicSourceName, string][] => {
      const baseUrl = address || known[name];
      return on && baseUrl !== undefined ? [[name, baseUrl]] : [];
    });
  }

  /** @param asked the settings that say where services are asked */
  #namesWithKey(asked: string): ReadonlySet<PublicSourceName> {
    const { keys } = this.#options;
    if (keys === undefined) return new Set();
    const revision = keys.revision();
    if (this.#keyed?.asked !== asked || revision === undefined || this.#keyed.revision !== revision) {
      const withKey = this.#asked().filter(([name, baseUrl]) => keys.of(name, baseUrl) !== undefined);
      this.#keyed = { revision, asked, names: new Set(withKey.map(([name]) => name)) };
    }
    return this.#keyed.names;
  }
}

/** Where the services of a network are, unless an address of a person's own is set. */
export function presetsOf(network: Network, joinUrl: string): Partial<Record<PublicSourceName, string>> {
  return (network === 'private' ? joinedServices(joinUrl) : presets[network]) ?? {};
}

/**
 * Who answers at an address of a person's own: the operator whose usual address is of that machine, or the machine. Two services that one machine
 * answers for are one witness. Of this machine nothing is known: it may pass requests on to anybody.
 * @returns undefined at the usual address
 */
function ownOperatorOf(
  name: PublicSourceName,
  baseUrl: string,
  usual: Partial<Record<PublicSourceName, string>>,
): string | undefined {
  const { hostname } = new URL(baseUrl);
  const isAt = (one: PublicSourceName): boolean =>
    usual[one] !== undefined && new URL(usual[one]).hostname === hostname;
  if (isAt(name) || isOnThisMachine(baseUrl)) return undefined;
  const known = (Object.keys(usual) as PublicSourceName[]).find(isAt);
  return known === undefined ? hostname : usualOperators[known];
}

/** WhatsOnChain has a header of its own for its key (public-services.md 1.1); others get the usual one. */
function headersOf(name: PublicSourceName, key: string | undefined): Readonly<Record<string, string>> {
  if (key === undefined) return {};
  return name === 'whatsonchain' ? { 'woc-api-key': key } : { authorization: `Bearer ${key}` };
}

function isOnThisMachine(address: string): boolean {
  return ['127.0.0.1', '[::1]', 'localhost'].includes(new URL(address).hostname);
}
