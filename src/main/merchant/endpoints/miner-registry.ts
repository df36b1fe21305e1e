import {
  type KeyStyle,
  type MerchantKey,
  type Miner,
  type MinerChange,
  type MinerPreset,
  type minerListContract,
  minerPresets,
  minerProtocols,
  type Network,
  type NewMiner,
  PlanchetError,
  type Serves,
} from '../../../contract/index.ts';
import { Sequencer } from '../../async/sequencer.ts';
import type { Clock } from '../../ports/clock.ts';
import type { MinerEndpoint, Miners, NamedMiner } from '../../ports/merchant/miners.ts';
import type { EndpointStore } from './endpoint-store.ts';
import type { MinerHistory } from './miner-history.ts';
import { MonitoredEndpoint } from './monitored-endpoint.ts';
import type { MinerEndpointRow } from './tables.ts';

export interface EndpointConfig extends NamedMiner {
  readonly url: () => string;
  readonly apiKey: () => Uint8Array | undefined;
  /** As a bearer token if this is left out. */
  readonly keyStyle?: KeyStyle;
}

/** An endpoint that a setting or the sandbox names. */
interface BuiltInEndpoint extends EndpointConfig {
  /** Whether it exists at present. */
  readonly isThere: () => boolean;
}

/** API keys of the endpoints that were added, by their ids. */
export interface MinerSecrets {
  /** @throws PlanchetError `vault-locked` */
  get(id: string): Uint8Array | undefined;
  /** @param apiKey empty removes it. @throws PlanchetError `vault-locked` */
  set(id: string, apiKey: string): Promise<void>;
}

export interface MinerRegistryOptions {
  network: Network;
  store: EndpointStore;
  history: MinerHistory;
  builtIn: readonly BuiltInEndpoint[];
  create: (config: EndpointConfig) => MinerEndpoint;
  secrets: MinerSecrets;
  clock: Clock;
  /** The key that signs the answers of an address; undefined before the first one. */
  keyOf: (url: string) => MerchantKey | undefined;
}

/** For so long a removed endpoint can be put back: the page offers it while its view is open. */
const RESTORABLE_MS = 86_400_000;

interface Entry {
  readonly config: EndpointConfig;
  readonly endpoint: MonitoredEndpoint;
  readonly isThere: () => boolean;
  readonly row: MinerEndpointRow | undefined;
}

/** See {@link Miners}. Built-in endpoints come first. */
export class MinerRegistry implements Miners, Serves<typeof minerListContract> {
  readonly #options: MinerRegistryOptions;
  readonly #builtIn: readonly Entry[];
  #added: Entry[] = [];
  #switchedOff = new Set<string>();
  readonly #removed = new Map<string, { row: MinerEndpointRow; apiKey: string }>();
  /** Changes go one after the other. */
  readonly #changing = new Sequencer();

  private constructor(options: MinerRegistryOptions) {
    this.#options = options;
    this.#builtIn = options.builtIn.map((config) => this.#entry(config, config.isThere));
  }

  /** @throws PlanchetError `store-failed` */
  static async open(options: MinerRegistryOptions): Promise<MinerRegistry> {
    const registry = new MinerRegistry(options);
    registry.#added = (await options.store.rows()).map((row) => registry.#entryOf(row));
    registry.#switchedOff = await options.store.switchedOff();
    await options.history.keepOnly([...registry.#builtIn, ...registry.#added].map(({ config }) => config.id));
    return registry;
  }

  async list(): Promise<Miner[]> {
    return this.#entries().map((entry) => this.#view(entry));
  }

  /** See {@link minerPresets}. */
  async presets(): Promise<MinerPreset[]> {
    const urls = this.#entries().map(({ config }) => withoutCredentials(config.url()));
    return minerPresets[this.#options.network].map((preset) => ({
      ...preset,
      isAdded: urls.includes(withoutCredentials(preset.url)),
    }));
  }

  usable(): MonitoredEndpoint[] {
    return this.#entries()
      .filter((entry) => this.#isEnabled(entry) && entry.config.url() !== '')
      .map(({ endpoint }) => endpoint);
  }

  get(id: string): MinerEndpoint | undefined {
    return this.#find(id)?.endpoint;
  }

  /** How an endpoint is set up, and the key that is pinned for it. @throws PlanchetError `not-found` */
  setupOf(id: string): { config: EndpointConfig; pinnedKey: string | null } {
    const { config, row } = this.#require(id);
    return { config, pinnedKey: row?.public_key ?? null };
  }

  /** The key that is pinned for an address of an added endpoint. @param isSame compares addresses */
  pinnedKeyFor(isSame: (url: string) => boolean): string | undefined {
    return this.#added.find(({ row }) => row?.public_key && isSame(row.url))?.row?.public_key ?? undefined;
  }

  /** @throws PlanchetError `conflict` for a name or an address that is taken, `vault-locked`, `store-failed` */
  add(miner: NewMiner): Promise<Miner> {
    return this.#changing.run(async () => {
      this.#refuseTaken(undefined, miner);
      const { store, secrets } = this.#options;
      const row = await store.add(miner);
      try {
        if (miner.apiKey !== '') await secrets.set(row.id, miner.apiKey);
      } catch (error) {
        await store.remove(row.id);
        throw error;
      }
      const entry = this.#entryOf(row);
      this.#added.push(entry);
      return this.#view(entry);
    });
  }

  /** @throws PlanchetError `not-found`, `conflict`, `vault-locked`, `store-failed` */
  update(change: MinerChange): Promise<Miner> {
    return this.#changing.run(async () => {
      const { store, secrets } = this.#options;
      const before = this.#require(change.id);
      const { id, enabled, ...others } = change;
      const isSwitchAlone = Object.values(others).every((value) => value === undefined);
      if (before.row === undefined) {
        if (!isSwitchAlone) throw new PlanchetError('miners.built-in', { name: before.config.name });
        if (enabled !== undefined) await store.switchBuiltIn(id, enabled);
        this.#switchedOff = await store.switchedOff();
        return this.#view(before);
      }
      this.#refuseTaken(id, { name: change.name, url: change.url });
      // A vault that is locked changes nothing.
      const oldKey = change.apiKey === undefined ? undefined : textOf(secrets.get(id));
      const isMoved = change.url !== undefined && change.url !== before.row.url;
      // There is no key meanwhile: neither address gets one that was entered for the other, even if the process ends here.
      if (isMoved && oldKey !== undefined) await secrets.set(id, '');
      let after: Entry | undefined;
      try {
        const row = await store.update(change);
        // Figures and the known quote belong to the settings under which they were asked for.
        after = isSwitchAlone ? { ...before, row } : this.#entryOf(row);
        this.#replace(before, after);
        if (change.apiKey !== undefined) await secrets.set(id, change.apiKey);
        return this.#view(after);
      } catch (error) {
        if (after !== undefined) {
          await store.update(changeTo(before.row));
          this.#replace(after, before);
        }
        if (isMoved && oldKey !== undefined) await secrets.set(id, oldKey);
        throw error;
      }
    });
  }

  /** @throws PlanchetError `not-found`, `conflict` for a built-in one, `vault-locked`, `store-failed` */
  remove({ id }: { id: string }): Promise<void> {
    return this.#changing.run(async () => {
      const { store, secrets, clock } = this.#options;
      const entry = this.#require(id);
      if (entry.row === undefined) throw new PlanchetError('miners.built-in', { name: entry.config.name });
      const apiKey = textOf(secrets.get(id));
      await secrets.set(id, '');
      try {
        await store.remove(id);
      } catch (error) {
        await secrets.set(id, apiKey);
        throw error;
      }
      this.#added = this.#added.filter((one) => one !== entry);
      const removed = { row: entry.row, apiKey };
      this.#removed.set(id, removed);
      clock.after(RESTORABLE_MS, () => {
        // It may have been restored and removed again meanwhile.
        if (this.#removed.get(id) === removed) this.#removed.delete(id);
      });
    });
  }

  /**
   * Puts an endpoint back that was removed a moment ago, at its place and with its API key.
   * @throws PlanchetError `not-found` if that was too long ago, `conflict`, `vault-locked`, `store-failed`
   */
  restore({ id }: { id: string }): Promise<Miner> {
    return this.#changing.run(async () => {
      const { store, secrets } = this.#options;
      const removed = this.#removed.get(id);
      if (removed === undefined) throw new PlanchetError('miners.removed-too-long');
      this.#refuseTaken(undefined, removed.row);
      await store.putBack(removed.row);
      try {
        if (removed.apiKey !== '') await secrets.set(id, removed.apiKey);
      } catch (error) {
        await store.remove(id);
        throw error;
      }
      this.#removed.delete(id);
      const entry = this.#entryOf(removed.row);
      const places = (await store.rows()).map((row) => row.id);
      this.#added = [...this.#added, entry].sort((a, b) => places.indexOf(a.config.id) - places.indexOf(b.config.id));
      return this.#view(entry);
    });
  }

  /** @throws PlanchetError `conflict` if the ids are not those of all added endpoints, each once */
  reorder({ ids }: { ids: readonly string[] }): Promise<Miner[]> {
    return this.#changing.run(async () => {
      await this.#options.store.reorder(ids);
      this.#added = ids.map((id) => this.#require(id));
      return this.list();
    });
  }

  /** Asks for the quote where the known one has expired and there is an address to ask. @throws PlanchetError `not-found` */
  async refresh({ id }: { id: string }): Promise<Miner> {
    const entry = this.#require(id);
    // The failure is in the view.
    if (entry.config.url() !== '') await entry.endpoint.quote().catch(() => undefined);
    return this.#view(entry);
  }

  #entries(): Entry[] {
    return [...this.#builtIn, ...this.#added].filter(({ isThere }) => isThere());
  }

  #find(id: string): Entry | undefined {
    return this.#entries().find(({ config }) => config.id === id);
  }

  #require(id: string): Entry {
    const entry = this.#find(id);
    if (entry === undefined) throw new PlanchetError('merchant.miner-unknown', { id });
    return entry;
  }

  #replace(before: Entry, after: Entry): void {
    this.#added = this.#added.map((entry) => (entry === before ? after : entry));
  }

  #isEnabled({ config, row }: Entry): boolean {
    return row === undefined ? !this.#switchedOff.has(config.id) : row.enabled === 1;
  }

  #view(entry: Entry): Miner {
    const { config, endpoint, row } = entry;
    const url = config.url();
    return {
      id: config.id,
      name: config.name,
      kind: config.kind,
      url: withoutCredentials(url),
      enabled: this.#isEnabled(entry),
      builtIn: row === undefined,
      hasKey: keyOrNone(config) !== undefined,
      keyStyle: config.keyStyle ?? 'bearer',
      pinnedKey: row?.public_key ?? null,
      key: minerProtocols[config.kind].signs ? (this.#options.keyOf(url) ?? null) : null,
      ...endpoint.figures(),
    };
  }

  #refuseTaken(id: string | undefined, { name, url }: { name?: string | undefined; url?: string | undefined }): void {
    for (const { config } of this.#entries()) {
      if (config.id === id) continue;
      if (name !== undefined && config.name.toLowerCase() === name.toLowerCase())
        throw new PlanchetError('miners.name-taken', { name: config.name });
      if (url !== undefined && withoutCredentials(config.url()) === withoutCredentials(url))
        throw new PlanchetError('miners.address-taken', { name: config.name });
    }
  }

  #entryOf(row: MinerEndpointRow): Entry {
    const { id, name, kind, url, key_style: keyStyle } = row;
    // A request that goes on at an address that was changed or removed meanwhile does not get the key of the new one.
    const apiKey = () => (this.#find(id)?.config.url() === url ? this.#options.secrets.get(id) : undefined);
    return { ...this.#entry({ id, name, kind, url: () => url, apiKey, keyStyle }, () => true), row };
  }

  #entry(config: EndpointConfig, isThere: () => boolean): Entry {
    const { create, history } = this.#options;
    const endpoint = new MonitoredEndpoint(create(config), history);
    return { config, endpoint, isThere, row: undefined };
  }
}

/** The change that makes an endpoint what it was. */
function changeTo({ id, name, url, key_style, public_key, enabled }: MinerEndpointRow): MinerChange {
  return { id, name, url, keyStyle: key_style, pinnedKey: public_key, enabled: enabled === 1 };
}

function textOf(apiKey: Uint8Array | undefined): string {
  return Buffer.from(apiKey ?? []).toString('utf8');
}

/** @returns undefined also while the vault is locked */
export function keyOrNone({ apiKey }: EndpointConfig): Uint8Array | undefined {
  try {
    return apiKey();
  } catch {
    return undefined;
  }
}

/** An address to show, and to compare: without credentials and without a slash at its end. */
export function withoutCredentials(address: string): string {
  if (!URL.canParse(address)) return address;
  const url = new URL(address);
  url.username = '';
  url.password = '';
  return url.href.replace(/\/+$/, '');
}
