import { randomUUID } from 'node:crypto';
import {
  type Contract,
  type ImportedSetting,
  maskPasswords,
  PlanchetError,
  type Serves,
  type SettingEntry,
  settingRows,
  toFailure,
  type WaitingSetting,
} from '../../contract/index.ts';
import { foreignBounds, parseForeign } from '../foreign-json.ts';
import { readPath } from './setting-paths.ts';
import type { SettingsStore } from './settings-store.ts';

type Value = string | number | boolean;

/** Changes that can be taken back at a time. */
const MAX_UNDO = 50;
const FILE_VERSION = 1;
/** The network has a procedure of its own that checks what it needs; it is never changed like another setting. */
const NETWORK = 'network';
/** Stored in the vault, whose earlier value is never read back, so a change cannot be undone. */
const IN_VAULT = 'apiKey';

export interface SettingChangesOptions {
  store: SettingsStore;
  /** Saves one value where it belongs, for example a key in the vault. */
  save: (key: string, value: Value) => Promise<SettingEntry>;
  probePort: Serves<Contract['settings']>['probePort'];
}

interface Changed {
  readonly entries: SettingEntry[];
  readonly undo: string | null;
}

type Change = Parameters<Serves<Contract['settings']>['set']>[0];

/** The settings for a person: changes that can be taken back, files of settings, and which services still run on older values. */
export class SettingChanges implements Serves<Contract['settings']> {
  readonly #store: SettingsStore;
  readonly #save: SettingChangesOptions['save'];
  readonly probePort: SettingChangesOptions['probePort'];
  /** What the keys held before; undefined is the default. It never leaves the process, since passwords are in it. */
  readonly #before = new Map<string, ReadonlyMap<string, Value | undefined>>();
  /** What each service was started with, by key. */
  readonly #startedWith = new Map<string, ReadonlyMap<string, unknown>>();

  constructor({ store, save, probePort }: SettingChangesOptions) {
    this.#store = store;
    this.#save = save;
    this.probePort = probePort;
    for (const { restarts } of settingRows.values()) if (restarts !== undefined) this.started(restarts);
  }

  /** Notes the values that a service starts with. */
  started(service: string): void {
    const rows = [...settingRows.values()].filter(({ restarts }) => restarts === service);
    this.#startedWith.set(service, new Map(rows.map(({ key }) => [key, this.#inForce(key)])));
  }

  /** Keys whose service has not been restarted since they changed. */
  waiting(): WaitingSetting[] {
    return [...this.#startedWith].flatMap(([service, keys]) =>
      [...keys]
        .filter(([key, value]) => this.#inForce(key) !== value)
        .map(([key, value]) => ({
          key,
          was: isSecret(key) ? null : displayed(value as Value),
          service: service as WaitingSetting['service'],
        })),
    );
  }

  list(): SettingEntry[] {
    return this.#store.entries();
  }

  /** @throws PlanchetError `settings-invalid`, `disk-full` */
  async set({ key, value }: Change): Promise<{ entry: SettingEntry; restarts: string[]; undo: string | null }> {
    const before = key === IN_VAULT ? undefined : new Map([[key, this.#store.saved(key)]]);
    const entry = await this.#save(key, value);
    return { entry, restarts: entry.restarts, undo: before === undefined ? null : this.#remember(before) };
  }

  /**
   * Puts keys back to their defaults. Secrets and the network are only put back where they are named, except the network, which never is.
   * @throws PlanchetError `settings-invalid`: nothing is changed
   */
  async reset({ keys }: { keys?: readonly string[] | undefined }): Promise<Changed> {
    const wanted = (keys ?? [...settingRows.keys()].filter((key) => !isSecret(key) && key !== NETWORK)).filter(
      (key) => this.#store.saved(key) !== undefined,
    );
    if (wanted.includes(NETWORK)) throw new PlanchetError('settings.network-alone');
    return this.#change(new Map(wanted.map((key) => [key, undefined])));
  }

  /** @throws PlanchetError `not-found` where the change is too old, or was taken back */
  async undo({ undo }: { undo: string }): Promise<Changed> {
    const before = this.#before.get(undo);
    if (before === undefined) throw new PlanchetError('settings.undo-gone');
    const changed = await this.#change(before);
    this.#before.delete(undo);
    return changed;
  }

  /** Every saved setting that is no secret, with passwords in addresses masked. */
  export(): { fileName: string; text: string } {
    const settings = Object.fromEntries(
      [...settingRows.keys()].flatMap((key) => {
        const value = this.#store.saved(key);
        return value === undefined || isSecret(key) ? [] : [[key, displayed(value)]];
      }),
    );
    const text = `${JSON.stringify({ planchetSettings: FILE_VERSION, settings }, null, 2)}\n`;
    return { fileName: 'planchet-settings.json', text };
  }

  /** @throws PlanchetError `invalid-input` where the file is none of ours */
  previewImport({ text }: { text: string }): ImportedSetting[] {
    return Object.entries(readFile(text)).map(([key, value]) => this.#effectOf(key, value));
  }

  /** Saves what {@link previewImport} calls a change. */
  async import({ text }: { text: string }): Promise<Changed> {
    const file = readFile(text);
    const keys = this.previewImport({ text }).filter(({ effect }) => effect === 'change');
    return this.#change(new Map(keys.map(({ key }) => [key, file[key] as Value])));
  }

  /** Saves values, or removes the keys that have none. All or nothing: what was saved is put back where one fails. */
  async #change(values: ReadonlyMap<string, Value | undefined>): Promise<Changed> {
    const before = new Map(
      [...values.keys()].filter((key) => key !== IN_VAULT).map((key) => [key, this.#store.saved(key)]),
    );
    const done: string[] = [];
    try {
      for (const [key, value] of values) {
        await this.#put(key, value);
        done.push(key);
      }
    } catch (error) {
      for (const key of done.reverse()) {
        if (before.has(key)) await this.#put(key, before.get(key)).catch(() => {});
      }
      throw error;
    }
    return {
      entries: done.map((key) => this.#store.entry(key)),
      undo: before.size === 0 ? null : this.#remember(before),
    };
  }

  async #put(key: string, value: Value | undefined): Promise<void> {
    if (value !== undefined) await this.#save(key, value);
    else if (key === IN_VAULT) await this.#save(key, '');
    else this.#store.unset(key);
  }

  #remember(before: ReadonlyMap<string, Value | undefined>): string {
    const id = randomUUID();
    this.#before.set(id, before);
    const [oldest] = this.#before.keys();
    if (this.#before.size > MAX_UNDO && oldest !== undefined) this.#before.delete(oldest);
    return id;
  }

  #effectOf(key: string, value: unknown): ImportedSetting {
    const refused = (error: unknown): ImportedSetting => {
      const failure = toFailure(error);
      return { key, from: null, to: null, effect: 'refused', reason: failure.message, failure };
    };
    if (key === NETWORK) return refused(new PlanchetError('settings.network-alone'));
    if (isSecret(key)) return refused(new PlanchetError('settings.secret-in-file'));
    try {
      const to = this.#store.check(key, value);
      const { value: from, overridden } = this.#store.entry(key);
      if (overridden) return refused(new PlanchetError('settings.overridden', { key }));
      const effect = to === this.#inForce(key) ? 'same' : 'change';
      return { key, from, to: displayed(to), effect, reason: '', failure: null };
    } catch (error) {
      return refused(error);
    }
  }

  #inForce(key: string): unknown {
    return readPath(this.#store.current(), key);
  }
}

const isSecret = (key: string): boolean => settingRows.get(key)?.secret === true;

function displayed(value: Value): Value {
  return typeof value === 'string' ? maskPasswords(value) : value;
}

function readFile(text: string): Record<string, unknown> {
  const file = (parseForeign(text, foreignBounds.settingsFile) ?? {}) as Record<string, unknown>;
  const { planchetSettings, settings } = file;
  const isOurs = planchetSettings === FILE_VERSION && typeof settings === 'object' && settings !== null;
  if (!isOurs || Array.isArray(settings)) throw new PlanchetError('settings.file-not-exported');
  return settings as Record<string, unknown>;
}
