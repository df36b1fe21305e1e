import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Conf from 'conf';
import {
  coverPasswords,
  PlanchetError,
  type SettingEntry,
  type Settings,
  secretSettingKeys,
  settingKeys,
  settingRestarts,
  settingsSchema,
  uncoverPasswords,
} from '../../contract/index.ts';
import type { Clock, SettingsView } from '../ports.ts';
import { migrateSettings, type RawSettings } from './migrations.ts';

type Value = string | number | boolean;

export interface SettingsNotice {
  readonly message: string;
  readonly hint: string;
}

export interface SettingsStoreOptions {
  dataDir: string;
  clock: Clock;
  /** Start on the defaults, and never touch the file. */
  safeMode?: boolean;
  /** `--set key=value` and the like: in force now, never saved. Values may be text. */
  overrides?: Readonly<Record<string, unknown>>;
}

/**
 * settings.json in the data folder: validated, migrated, written atomically (a temporary file, synced and renamed). Keys this program
 * does not know are kept. A file that is not JSON is set aside as `settings.json.bad-<time>` and the defaults are used; a single bad
 * value falls back to its default after a copy of the file was set aside.
 */
export class SettingsStore implements SettingsView {
  readonly file: string;
  readonly notices: SettingsNotice[] = [];
  readonly safeMode: boolean;
  readonly #overrides: RawSettings;
  readonly #listeners = new Set<(settings: Settings, changed: readonly string[]) => void>();
  readonly #clock: Clock;
  #conf: Conf<RawSettings> | undefined;
  #raw: RawSettings = {};
  #current: Settings;

  constructor(options: SettingsStoreOptions) {
    this.#clock = options.clock;
    this.safeMode = options.safeMode ?? false;
    this.file = join(options.dataDir, 'settings.json');
    mkdirSync(options.dataDir, { recursive: true, mode: 0o700 });
    this.#overrides = {};
    for (const [key, value] of Object.entries(options.overrides ?? {})) {
      assignPath(this.#overrides, this.#knownKey(key), this.#validated(key, value));
    }
    if (!this.safeMode) this.#load(options.dataDir);
    this.#current = this.#merge();
  }

  current(): Settings {
    return this.#current;
  }

  onChange(listener: (settings: Settings, changed: readonly string[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Validates and saves one key. Text is read as the key's own type; a password that stands covered in an address stays what it was.
   * @param key e.g. `rpcBind` or `sandbox.bind`
   * @throws PlanchetError `settings-invalid` (nothing is changed), `disk-full`
   */
  set(key: string, value: unknown): SettingEntry {
    this.#knownKey(key);
    const validated = this.#validated(key, this.#uncovered(key, value));
    if (this.safeMode) {
      throw new PlanchetError('conflict', 'Planchet runs in safe mode, which does not touch the settings file.', {
        hint: 'Start without --safe-mode to change a setting, or correct settings.json by hand.',
      });
    }
    const next = structuredClone(this.#raw);
    assignPath(next, key, validated);
    this.#save(next);
    this.#raw = next;
    this.#current = this.#merge();
    for (const listener of this.#listeners) listener(this.#current, [key]);
    return this.entry(key);
  }

  /** Saves a key's first value; in safe mode it holds for this run only. Nobody is told, since nothing has started yet. */
  initialise(key: 'rpcPassword', value: string): void {
    if (this.safeMode) assignPath(this.#overrides, key, value);
    else {
      this.#raw = { ...this.#raw, [key]: value };
      this.#save(this.#raw);
    }
    this.#current = this.#merge();
  }

  entry(key: string): SettingEntry {
    this.#knownKey(key);
    const secret = secretSettingKeys.includes(key);
    const value = readPath(this.#current, key) as Value;
    return {
      key,
      value: secret ? null : typeof value === 'string' ? coverPasswords(value) : value,
      default: readPath(settingsSchema.parse({}), key) as Value,
      isSet: secret ? value !== '' : readPath(this.#raw, key) !== undefined,
      secret,
      overridden: readPath(this.#overrides, key) !== undefined,
      restarts: [...(settingRestarts[key] ?? [])],
    };
  }

  entries(): SettingEntry[] {
    return settingKeys.map((key) => this.entry(key));
  }

  #load(dataDir: string): void {
    this.#raw = migrateSettings(this.#readFile());
    this.#conf = new Conf<RawSettings>({
      cwd: dataDir,
      configName: 'settings',
      fileExtension: 'json',
      configFileMode: 0o600,
    });
    const result = settingsSchema.safeParse(this.#raw);
    if (result.success) return;
    const keys = [...new Set(result.error.issues.map((issue) => issue.path.join('.')))];
    const copy = this.#badName();
    writeFileSync(copy, JSON.stringify(this.#raw, null, 2), { mode: 0o600 });
    for (const key of keys) deletePath(this.#raw, key);
    this.#save(this.#raw);
    this.notices.push({
      message: `These settings were not valid and stand at their defaults now: ${keys.join(', ')}.`,
      hint: `The file as it was is kept as ${copy}.`,
    });
  }

  #readFile(): RawSettings {
    if (!existsSync(this.file)) return {};
    try {
      const parsed: unknown = JSON.parse(readFileSync(this.file, 'utf8'));
      if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed as RawSettings;
    } catch (error) {
      if (!(error instanceof SyntaxError)) {
        throw new PlanchetError('settings-invalid', `The settings file ${this.file} cannot be read.`, {
          hint: 'Check that it belongs to you, or start with --safe-mode.',
          cause: error,
        });
      }
    }
    const aside = this.#badName();
    renameSync(this.file, aside);
    this.notices.push({
      message: 'The settings file was not valid JSON. Planchet started on the default settings.',
      hint: `The broken file is kept as ${aside}; correct it and copy it back, or set the values again.`,
    });
    return {};
  }

  #badName(): string {
    return `${this.file}.bad-${new Date(this.#clock.now()).toISOString().replace(/[:.]/g, '-')}`;
  }

  #save(raw: RawSettings): void {
    if (this.#conf === undefined) return;
    try {
      this.#conf.store = raw;
    } catch (error) {
      const full = (error as NodeJS.ErrnoException).code === 'ENOSPC';
      throw new PlanchetError(
        full ? 'disk-full' : 'store-failed',
        'The settings could not be saved; the old ones are kept.',
        {
          hint: full ? 'Free some room on the disk and try again.' : `Check that ${this.file} can be written.`,
          cause: error,
        },
      );
    }
  }

  #merge(): Settings {
    const merged = structuredClone(this.#raw);
    for (const key of settingKeys) {
      const value = readPath(this.#overrides, key);
      if (value !== undefined) assignPath(merged, key, value);
    }
    return settingsSchema.parse(merged);
  }

  #uncovered(key: string, value: unknown): unknown {
    if (typeof value !== 'string') return value;
    const uncovered = uncoverPasswords(value, String(readPath(this.#current, key)));
    if (uncovered !== undefined) return uncovered;
    throw new PlanchetError('settings-invalid', `${key}: the password is needed anew, since its address is another.`, {
      hint: 'Type the password in place of the dots.',
    });
  }

  #knownKey(key: string): string {
    if (settingKeys.includes(key)) return key;
    throw new PlanchetError('settings-invalid', `There is no setting "${key}".`, {
      hint: 'Run "planchet settings list" to see every key.',
    });
  }

  /** Reads `value` as the key's type and checks it against the schema, alone. */
  #validated(key: string, value: unknown): Value {
    const fallback = readPath(settingsSchema.parse({}), key);
    const typed = typeof value === 'string' ? fromText(value, typeof fallback) : value;
    const probe: RawSettings = {};
    assignPath(probe, key, typed);
    const result = settingsSchema.safeParse(probe);
    if (result.success) return readPath(result.data, key) as Value;
    throw new PlanchetError(
      'settings-invalid',
      `${key}: ${result.error.issues.map((issue) => issue.message).join('; ')}.`,
      {
        hint: `The default is ${JSON.stringify(fallback)}.`,
      },
    );
  }
}

function fromText(text: string, type: string): unknown {
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  if (type === 'number') return /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text;
  return text;
}

function readPath(source: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((at, part) => (isObject(at) ? at[part] : undefined), source);
}

function assignPath(target: RawSettings, path: string, value: unknown): void {
  const [head, ...rest] = path.split('.') as [string, ...string[]];
  if (rest.length === 0) {
    target[head] = value;
    return;
  }
  const inner = isObject(target[head]) ? target[head] : {};
  target[head] = inner;
  assignPath(inner, rest.join('.'), value);
}

function deletePath(target: RawSettings, path: string): void {
  const [head, ...rest] = path.split('.') as [string, ...string[]];
  if (rest.length === 0 || !isObject(target[head])) delete target[head];
  else deletePath(target[head], rest.join('.'));
}

function isObject(value: unknown): value is RawSettings {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
