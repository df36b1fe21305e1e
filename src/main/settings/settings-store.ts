import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Conf from 'conf';
import {
  type Failure,
  isDiskFull,
  maskPasswords,
  type Network,
  networks,
  type Phrase,
  PlanchetError,
  phrase,
  ruleOf,
  type SettingEntry,
  type SettingRow,
  type Settings,
  settingRows,
  settingsSchema,
  settingVariable,
  unmaskPasswords,
} from '../../contract/index.ts';
import { makeFolder } from '../infrastructure/make-folder.ts';
import type { Clock } from '../ports/clock.ts';
import type { SettingsView } from '../ports/settings.ts';
import { migrateSettings, type RawSettings } from './migrations.ts';
import { isNetworkKey, settingsOf, withValue } from './profiles.ts';
import { assignPath, deletePath, isObject, readPath } from './setting-paths.ts';

type Value = string | number | boolean;

/** The API key is stored in the vault, not in the settings. `PLANCHET_API_KEY` belongs to programs that call the writer. */
const NOT_OVERRIDABLE = new Set(['apiKey']);

export interface SettingsNotice {
  readonly id: string;
  readonly failure: Failure;
}

export interface SettingsStoreOptions {
  dataDir: string;
  clock: Clock;
  /** Start on the defaults, and never touch the file. */
  safeMode?: boolean;
  /** `--set key=value` and the like: in force now, never saved. Values may be text. */
  overrides?: Readonly<Record<string, unknown>>;
  /** Environment of the process, for `PLANCHET_RPC_BIND` and the like: in force now unless overridden, never saved. */
  environment?: Readonly<Record<string, string | undefined>>;
}

/**
 * settings.json in the data folder: validated, migrated, written atomically (a temporary file, synced and renamed). Keys this program
 * does not know are preserved. A single invalid value falls back to its default, after a copy of the file was saved as
 * `settings.json.bad-<time>`. A file that is not JSON is renamed and the defaults apply, except for its network: if the file names no valid
 * network and this run names none either, the start fails and the file stays as it is.
 */
export class SettingsStore implements SettingsView {
  readonly file: string;
  readonly notices: SettingsNotice[] = [];
  readonly safeMode: boolean;
  readonly #overrides: RawSettings = {};
  readonly #environment: RawSettings = {};
  readonly #listeners = new Set<Parameters<SettingsView['onChange']>[0]>();
  readonly #clock: Clock;
  /** The network of this run: another one that is saved is in force after a restart. */
  readonly #network: Network;
  #conf: Conf<RawSettings> | undefined;
  #raw: RawSettings = {};
  #current: Settings;

  /** @throws PlanchetError `settings-invalid` for a bad override, or a broken file that leaves the network open */
  constructor(options: SettingsStoreOptions) {
    this.#clock = options.clock;
    this.safeMode = options.safeMode ?? false;
    this.file = join(options.dataDir, 'settings.json');
    makeFolder(options.dataDir);
    for (const [key, value] of Object.entries(options.overrides ?? {})) {
      if (NOT_OVERRIDABLE.has(key)) throw new PlanchetError('settings.secret-for-one-run', { key });
      assignPath(this.#overrides, key, this.#validated(key, value));
    }
    this.#readEnvironment(options.environment ?? {});
    if (!this.safeMode) this.#load(options.dataDir);
    this.#network = this.#networkNow();
    this.#current = this.on(this.#network);
  }

  current(): Settings {
    return this.#current;
  }

  onChange(listener: Parameters<SettingsView['onChange']>[0]): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Validates and saves one key. Text is read as the key's own type; a password that is masked in an address keeps its value.
   * @param key e.g. `rpcBind` or `sandbox.bind`
   * @throws PlanchetError `settings-invalid` (nothing is changed), `disk-full`
   */
  set(key: string, value: unknown): SettingEntry {
    return this.setOn(this.#network, key, value);
  }

  /**
   * The same on any network, where the key has a value for each: see `perNetwork` of `SettingTraits`.
   * @throws PlanchetError `settings-invalid` (nothing is changed), `disk-full`
   */
  setOn(network: Network, key: string, value: unknown): SettingEntry {
    return this.#change(network, key, this.check(key, value, network));
  }

  /**
   * Removes a key from the file, so that its default holds.
   * @throws PlanchetError `settings-invalid`, `disk-full`
   */
  unset(key: string): SettingEntry {
    rowOf(key);
    return this.#change(this.#network, key, undefined);
  }

  /** The value of a key in the file, secrets and passwords included; undefined where the file has none. */
  saved(key: string): Value | undefined {
    return readPath(settingsOf(this.#raw, this.#network), rowOf(key).key) as Value | undefined;
  }

  /** Reads a value as the key's type and checks it, passwords masked in addresses restored. @throws PlanchetError `settings-invalid` */
  check(key: string, value: unknown, network = this.#network): Value {
    rowOf(key);
    return this.#validated(key, this.#unmasked(network, key, value));
  }

  /** @param value undefined removes the key */
  #change(network: Network, key: string, value: Value | undefined): SettingEntry {
    if (this.safeMode) throw new PlanchetError('settings.safe-mode');
    const next = withValue(structuredClone(this.#raw), network, key, value);
    this.#save(next);
    this.#raw = next;
    this.#current = this.on(this.#network);
    const isInForce = network === this.#network || !isNetworkKey(key);
    if (isInForce) for (const listener of this.#listeners) listener(this.#current, [key]);
    return this.entry(key, network);
  }

  /** The keys that a network has values of its own for. */
  entriesOn(network: Network): SettingEntry[] {
    return [...settingRows.keys()].filter(isNetworkKey).map((key) => this.entry(key, network));
  }

  /** Saves a key's first value; in safe mode it holds for this run only. Listeners are not called, since nothing has started yet. */
  initialise(key: 'rpcPassword', value: string): void {
    if (this.safeMode) assignPath(this.#overrides, key, value);
    else {
      this.#raw = { ...this.#raw, [key]: value };
      this.#save(this.#raw);
    }
    this.#current = this.on(this.#network);
  }

  entry(key: string, network = this.#network): SettingEntry {
    const { schema, secret = false, restarts } = rowOf(key);
    const saved = settingsOf(this.#raw, network);
    const origin = this.#originOf(key, saved);
    const value = readPath(network === this.#network ? this.#current : this.on(network), key) as Value;
    return {
      key,
      value: secret ? null : typeof value === 'string' ? maskPasswords(value) : value,
      default: schema.parse(undefined) as Value,
      isSet: secret ? value !== '' : readPath(saved, key) !== undefined,
      secret,
      origin,
      overridden: origin === 'command-line' || origin === 'environment',
      restarts: restarts === undefined ? [] : [restarts],
    };
  }

  entries(): SettingEntry[] {
    return [...settingRows.keys()].map((key) => this.entry(key));
  }

  #originOf(key: string, saved: RawSettings): SettingEntry['origin'] {
    if (readPath(this.#overrides, key) !== undefined) return 'command-line';
    if (readPath(this.#environment, key) !== undefined) return 'environment';
    return readPath(saved, key) === undefined ? 'default' : 'file';
  }

  #readEnvironment(environment: Readonly<Record<string, string | undefined>>): void {
    for (const key of settingRows.keys()) {
      const variable = settingVariable(key);
      const value = environment[variable];
      if (value !== undefined && !NOT_OVERRIDABLE.has(key))
        assignPath(this.#environment, key, this.#validated(key, value, variable));
    }
  }

  #load(dataDir: string): void {
    const text = this.#readText();
    const parsed = text === undefined ? {} : parseObject(text);
    this.#raw = parsed === undefined ? this.#renameBroken(text ?? '') : migrateSettings(parsed);
    this.#conf = new Conf<RawSettings>({
      cwd: dataDir,
      configName: 'settings',
      fileExtension: 'json',
      configFileMode: 0o600,
    });
    const result = settingsSchema.safeParse(settingsOf(this.#raw, this.#networkNow()));
    if (result.success) {
      if (parsed === undefined) this.#save(this.#raw);
      return;
    }
    const keys = [...new Set(result.error.issues.map((issue) => issue.path.join('.')))];
    const network = keys.includes('network')
      ? this.#networkOfRun(phrase('reason.network-none', { network: JSON.stringify(this.#raw.network) }))
      : undefined;
    const copy = this.#backupName();
    writeFileSync(copy, JSON.stringify(this.#raw, null, 2), { mode: 0o600 });
    const profile = `profiles.${this.#networkNow()}`;
    for (const key of keys) {
      deletePath(this.#raw, key);
      if (readPath(this.#raw, `${profile}.${key}`) !== undefined) deletePath(this.#raw, `${profile}.${key}`);
    }
    if (network !== undefined) this.#raw.network = network;
    this.#save(this.#raw);
    const values = { keys: keys.join(', '), copy };
    const notice =
      network === undefined
        ? new PlanchetError('notices.settings-values', values)
        : new PlanchetError('notices.settings-values-network', { ...values, network });
    this.notices.push({ id: 'settings-values', failure: notice.toFailure() });
  }

  /** @returns undefined where there is no file */
  #readText(): string | undefined {
    if (!existsSync(this.file)) return undefined;
    try {
      return readFileSync(this.file, 'utf8');
    } catch (error) {
      throw new PlanchetError('settings.file-unreadable', { file: this.file }, { cause: error });
    }
  }

  /**
   * Renames a file that is not a JSON object.
   * @returns the settings to start with: only the network, so that the next start uses it too
   */
  #renameBroken(text: string): RawSettings {
    const named = networkIn(text);
    const network = this.#networkOfRun(
      named === undefined ? phrase('reason.network-unreadable') : phrase('reason.network-named', { network: named }),
      named === 'sandbox' ? named : undefined,
    );
    const aside = this.#backupName();
    renameSync(this.file, aside);
    this.notices.push({
      id: 'settings-file',
      failure: new PlanchetError('notices.settings-file', { aside }).toFailure(),
    });
    return { network: named ?? network };
  }

  /**
   * The network of this run if the file names none.
   * @param safe network to use if the run names none either
   * @throws PlanchetError `settings-invalid`: the default might be a different network than the one that was set up
   */
  #networkOfRun(why: Phrase, safe?: Network): Network {
    const named = readPath(this.#overrides, 'network') ?? readPath(this.#environment, 'network') ?? safe;
    if (named !== undefined) return named as Network;
    throw new PlanchetError('settings.file-broken', { file: this.file, why });
  }

  #backupName(): string {
    return `${this.file}.bad-${new Date(this.#clock.now()).toISOString().replace(/[:.]/g, '-')}`;
  }

  #save(raw: RawSettings): void {
    if (this.#conf === undefined) return;
    try {
      this.#conf.store = raw;
    } catch (error) {
      throw new PlanchetError(
        isDiskFull(error) ? 'settings.disk-full' : 'settings.not-saved',
        { file: this.file },
        { cause: error },
      );
    }
  }

  /** The network that this run or else the file names. */
  #networkNow(): Network {
    const named = readPath(this.#overrides, 'network') ?? readPath(this.#environment, 'network') ?? this.#raw.network;
    return networks.find((network) => network === named) ?? 'sandbox';
  }

  /** The settings as they are on a network, in use or not. */
  on(network: Network): Settings {
    const merged = structuredClone(settingsOf(this.#raw, network));
    for (const key of settingRows.keys()) {
      const value = readPath(this.#overrides, key) ?? readPath(this.#environment, key);
      if (value !== undefined) assignPath(merged, key, value);
    }
    const parsed = settingsSchema.safeParse(merged);
    if (parsed.success) return parsed.data;
    // Values of a network that is not in use are checked when it is: until then a bad one has its default.
    for (const { path } of parsed.error.issues) deletePath(merged, path.join('.'));
    return settingsSchema.parse(merged);
  }

  #unmasked(network: Network, key: string, value: unknown): unknown {
    if (typeof value !== 'string') return value;
    const current = network === this.#network ? this.#current : this.on(network);
    const unmasked = unmaskPasswords(value, String(readPath(current, key)));
    if (unmasked !== undefined) return unmasked;
    throw new PlanchetError('settings.key-password-required', { key });
  }

  /**
   * Reads `value` as the key's type and checks it against the schema, alone.
   * @param name what a refusal calls it
   */
  #validated(key: string, value: unknown, name = key): Value {
    const { schema } = rowOf(key);
    const fallback = schema.parse(undefined);
    const typed = typeof value === 'string' ? fromText(value, typeof fallback) : value;
    const result = schema.safeParse(typed);
    if (result.success) return result.data as Value;
    const refusals = [...new Set(result.error.issues.map((issue) => issue.message))];
    throw new PlanchetError('settings.value-invalid', {
      name,
      reasons: (refusals.length === 1 && ruleOf(refusals[0] as string)) || refusals.join('; '),
      default: JSON.stringify(fallback),
    });
  }
}

/** @throws PlanchetError `settings-invalid` */
function rowOf(key: string): SettingRow {
  const row = settingRows.get(key);
  if (row === undefined) throw new PlanchetError('settings.unknown-key', { key });
  return row;
}

/** @returns undefined where the text is not a JSON object */
function parseObject(text: string): RawSettings | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return isObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** The network that a broken file names, if it names exactly one. */
function networkIn(text: string): Network | undefined {
  const named = new Set([...text.matchAll(/"network"\s*:\s*"([^"]*)"/g)].map(([, name]) => name));
  const [only] = named;
  return named.size === 1 ? networks.find((network) => network === only) : undefined;
}

function fromText(text: string, type: string): unknown {
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  if (type === 'number') return /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text;
  return text;
}
