import type { MerchantKey, Miner, MinerKind } from '../../../contract/index.ts';
import type { MinerEndpoint, Miners, NamedMiner } from '../../ports/miners.ts';
import type { Store } from '../../ports/store.ts';
import { MonitoredEndpoint } from './monitored-endpoint.ts';
import type { EndpointTables, MinerEndpointRow } from './tables.ts';

/** An endpoint as it is set up. */
export interface EndpointConfig extends NamedMiner {
  readonly url: () => string;
  readonly apiKey: () => Uint8Array | undefined;
}

/** An endpoint that a setting or the sandbox names. */
interface BuiltInEndpoint extends EndpointConfig {
  /** Whether it exists at present. */
  readonly isThere: () => boolean;
}

export interface MinerRegistryOptions {
  store: Store<EndpointTables>;
  builtIn: readonly BuiltInEndpoint[];
  /** Makes the client of an endpoint, one function a kind. */
  create: Readonly<Record<MinerKind, (config: EndpointConfig) => MinerEndpoint>>;
  /** @param id of an endpoint that a person added */
  apiKeyOf: (id: string) => Uint8Array | undefined;
  /** The key that signs the answers of an address; undefined before the first one. */
  keyOf: (url: string) => MerchantKey | undefined;
}

interface Entry {
  readonly config: EndpointConfig;
  readonly endpoint: MonitoredEndpoint;
  readonly isThere: () => boolean;
  readonly row: MinerEndpointRow | undefined;
}

/** See {@link Miners}. Built-in endpoints come first. */
export class MinerRegistry implements Miners {
  readonly #options: MinerRegistryOptions;
  #entries: Entry[] = [];

  private constructor(options: MinerRegistryOptions) {
    this.#options = options;
  }

  /** @throws PlanchetError `store-failed` */
  static async open(options: MinerRegistryOptions): Promise<MinerRegistry> {
    const registry = new MinerRegistry(options);
    const rows = await options.store.db.selectFrom('miner_endpoints').selectAll().orderBy('position').execute();
    registry.#entries = [
      ...options.builtIn.map((config) => registry.#entry(config, config.isThere)),
      ...rows.map((row) => registry.#added(row)),
    ];
    return registry;
  }

  async list(): Promise<Miner[]> {
    return this.#entries
      .filter(({ isThere }) => isThere())
      .map(({ config, endpoint, row }) => {
        const url = config.url();
        return {
          id: config.id,
          name: config.name,
          kind: config.kind,
          url: withoutCredentials(url),
          enabled: row === undefined || row.enabled === 1,
          builtIn: row === undefined,
          hasKey: isKeyStored(config),
          key: this.#options.keyOf(url) ?? null,
          ...endpoint.figures(),
        };
      });
  }

  enabled(): MinerEndpoint[] {
    return this.#entries
      .filter(({ isThere, row }) => isThere() && (row === undefined || row.enabled === 1))
      .map(({ endpoint }) => endpoint);
  }

  get(id: string): MinerEndpoint | undefined {
    return this.#entries.find(({ config, isThere }) => config.id === id && isThere())?.endpoint;
  }

  #added(row: MinerEndpointRow): Entry {
    const { id, name, kind, url } = row;
    const apiKey = () => this.#options.apiKeyOf(id);
    return { ...this.#entry({ id, name, kind, url: () => url, apiKey }, () => true), row };
  }

  #entry(config: EndpointConfig, isThere: () => boolean): Entry {
    const endpoint = new MonitoredEndpoint(this.#options.create[config.kind](config));
    return { config, endpoint, isThere, row: undefined };
  }
}

/** A locked vault hides its keys: then it is not known. */
function isKeyStored({ apiKey }: EndpointConfig): boolean {
  try {
    return apiKey() !== undefined;
  } catch {
    return false;
  }
}

function withoutCredentials(address: string): string {
  if (!URL.canParse(address)) return address;
  const url = new URL(address);
  url.username = '';
  url.password = '';
  return url.href.replace(/\/$/, '');
}
