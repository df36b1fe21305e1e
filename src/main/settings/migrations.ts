/** A settings file as read: any JSON object. */
export type RawSettings = Record<string, unknown>;

const BOOLEAN_KEYS = ['debugServer', 'ignoreCertificate'] as const;

/**
 * Version 1: files from before versions were counted, among them those copied from a `key=value` file of an older node gateway,
 * where every value is text.
 */
function readTextBooleans(raw: RawSettings): RawSettings {
  const migrated = { ...raw };
  for (const key of BOOLEAN_KEYS) {
    if (migrated[key] === 'true') migrated[key] = true;
    if (migrated[key] === 'false') migrated[key] = false;
  }
  return migrated;
}

/** Version 2: sending through the node endpoint can also be asked about, so it is no longer on or off alone. */
function readBroadcastChoice(raw: RawSettings): RawSettings {
  const { gatewayBroadcast: sends } = raw;
  return typeof sends === 'boolean' ? { ...raw, gatewayBroadcast: sends ? 'on' : 'off' } : raw;
}

/** In order: each takes a file of the version before to the next one. Unknown keys are left unchanged. */
const migrations: readonly ((raw: RawSettings) => RawSettings)[] = [readTextBooleans, readBroadcastChoice];

/**
 * Brings a settings object to the newest version.
 * @returns the migrated object; one that is newer than this program comes back as it is.
 */
export function migrateSettings(raw: RawSettings): RawSettings {
  const version = typeof raw.settingsVersion === 'number' ? raw.settingsVersion : 0;
  let migrated = raw;
  for (const [index, migrate] of migrations.entries()) {
    if (index + 1 > version) migrated = { ...migrate(migrated), settingsVersion: index + 1 };
  }
  return migrated;
}
