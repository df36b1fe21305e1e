import type { Options } from 'conf';
import { z } from 'zod';
import { type Language, languages } from '../../../contract/index.ts';

const coordinate = z.number().int().min(-100_000).max(100_000);
const length = z.number().int().min(1).max(100_000);

/** What the shell itself remembers. Settings of the host stay in `settings.json`. */
const preferencesSchema = z.object({
  window: z
    .object({
      bounds: z.object({ x: coordinate, y: coordinate, width: length, height: length }).nullable(),
      maximized: z.boolean(),
      fullScreen: z.boolean(),
    })
    .default({ bounds: null, maximized: false, fullScreen: false }),
  /** What closing the window does; `ask` until the person has answered once. */
  onClose: z.enum(['ask', 'tray', 'quit']).default('ask'),
  launchAtLogin: z.boolean().default(false),
  notifications: z.boolean().default(true),
  updates: z.enum(['off', 'notify', 'auto']).default('notify'),
  /** Language of the last run: menus are drawn before the host has sent its own. */
  language: z.enum(languages).nullable().default(null),
  /** Version that last ran long enough to be trusted, and the installer it came with. */
  goodVersion: z
    .object({ version: z.string().max(64), installer: z.string().max(4_096).nullable() })
    .nullable()
    .default(null),
  /** The installer of the running version, as it was downloaded. */
  installer: z
    .object({ version: z.string().max(64), path: z.string().max(4_096) })
    .nullable()
    .default(null),
  /** Starts of this version that ended before they were trusted. */
  failedStarts: z
    .object({ version: z.string().max(64), count: z.number().int().min(0).max(1_000) })
    .nullable()
    .default(null),
});
export type Preferences = z.infer<typeof preferencesSchema>;

/** The part of `electron-store` that the shell uses, and of `conf`, which it is made of. */
export interface PreferenceStore {
  get<K extends keyof Preferences>(key: K): Preferences[K];
  set<K extends keyof Preferences>(key: K, value: Preferences[K]): void;
}

/** @returns the language of the texts before the host runs @param locale as `app.getLocale()` */
export function firstLanguage(store: PreferenceStore, locale: string): Language {
  return store.get('language') ?? languageOf(locale);
}

/** @param locale as `app.getLocale()` */
export function languageOf(locale: string): Language {
  return languages.find((language) => language === locale.toLowerCase().split('-')[0]) ?? 'en';
}

/**
 * How the store is opened. A file that is no JSON or breaks the schema is replaced by the defaults: nothing in it is worth a start that fails.
 * @param version of the application, which decides which migrations run
 * @param migrations by the version that brought them. No version has changed the meaning of a key yet.
 */
export function preferenceOptions(
  version: string,
  migrations: NonNullable<Options<Preferences>['migrations']> = {},
): Options<Preferences> {
  const { properties } = z.toJSONSchema(preferencesSchema, { io: 'input' });
  return {
    schema: properties as NonNullable<Options<Preferences>['schema']>,
    projectVersion: version,
    clearInvalidConfig: true,
    configFileMode: 0o600,
    accessPropertiesByDotNotation: false,
    migrations,
  };
}
