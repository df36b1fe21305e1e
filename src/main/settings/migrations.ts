/** A settings file as read: any JSON object. */
export type RawSettings = Record<string, unknown>;

/** One numbered step: takes a file of version `to - 1` and returns it as version `to`. Unknown keys are left unchanged. */
export interface SettingsMigration {
  readonly to: number;
  readonly what: string;
  migrate(raw: RawSettings): RawSettings;
}

const BOOLEAN_KEYS = ['debugServer', 'ignoreCertificate'] as const;

/**
 * Version 1: files from before versions were counted, among them those copied from a `key=value` file of an older node gateway,
 * where every value is text.
 */
const textBooleans: SettingsMigration = {
  to: 1,
  what: 'read booleans written as text',
  migrate(raw) {
    const migrated = { ...raw };
    for (const key of BOOLEAN_KEYS) {
      if (migrated[key] === 'true') migrated[key] = true;
      if (migrated[key] === 'false') migrated[key] = false;
    }
    return migrated;
  },
};

/** Version 2: sending through the node endpoint can also be asked about, so it is no longer on or off alone. */
const broadcastChoice: SettingsMigration = {
  to: 2,
  what: 'read whether programs may send as a choice of three',
  migrate(raw) {
    const { gatewayBroadcast: sends } = raw;
    return typeof sends === 'boolean' ? { ...raw, gatewayBroadcast: sends ? 'on' : 'off' } : raw;
  },
};

export const settingsMigrations: readonly SettingsMigration[] = [textBooleans, broadcastChoice];

export const SETTINGS_VERSION = settingsMigrations.length;

/**
 * Brings a settings object to the newest version.
 * @returns the migrated object; one that is newer than this program comes back as it is.
 */
export function migrateSettings(raw: RawSettings): RawSettings {
  const version = typeof raw.settingsVersion === 'number' ? raw.settingsVersion : 0;
  let migrated = raw;
  for (const step of settingsMigrations) {
    if (step.to > version) migrated = { ...step.migrate(migrated), settingsVersion: step.to };
  }
  return migrated;
}
