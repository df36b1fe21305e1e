import { randomBytes } from 'node:crypto';
import type { Network, SettingEntry } from '../../contract/index.ts';
import type { Logging } from '../infrastructure/logging.ts';
import type { SecretStore } from '../ports/secrets.ts';
import type { SettingsStore } from '../settings/settings-store.ts';

/** Prefix of the generated RPC password, which shows that the user did not choose it. */
const GENERATED = 'generated-';

/** Generates an RPC password at the first start of an installation; in safe mode, one for this run. */
export function ensurePassword(settings: SettingsStore): void {
  if (settings.current().rpcPassword !== '') return;
  settings.initialise('rpcPassword', `${GENERATED}${randomBytes(24).toString('base64url')}`);
}

/** Whether the user has not chosen RPC credentials yet. */
export function credentialsAreDefault(settings: SettingsStore): boolean {
  const { rpcUsername, rpcPassword } = settings.current();
  return rpcUsername === 'planchet' && rpcPassword.startsWith(GENERATED);
}

/** What {@link saveSetting} writes to. */
export interface SettingTargets {
  readonly settings: SettingsStore;
  readonly vault: SecretStore;
  readonly network: Network;
  readonly logging: Logging;
}

/** The token service's API key for a network; undefined if there is none or the vault is locked. */
export function readApiKey(vault: SecretStore, network: Network): string | undefined {
  if (vault.locked) return undefined;
  const key = vault.get(`apiKey:${network}`);
  return key === undefined ? undefined : Buffer.from(key).toString('utf8');
}

/**
 * Saves one setting. Secrets are redacted from the log from now on. The API key is stored in the vault; the settings file only records that it
 * exists.
 * @throws PlanchetError `invalid-input`, `vault-locked`
 */
export async function saveSetting(
  { settings, vault, network, logging }: SettingTargets,
  key: string,
  value: string | number | boolean,
): Promise<SettingEntry> {
  if (key === 'apiKey') {
    const text = String(value).trim();
    if (text === '') await vault.delete(`apiKey:${network}`);
    else await vault.set(`apiKey:${network}`, Buffer.from(text));
    logging.redactor.add(text);
    return settings.setOn(network, key, text === '' ? '' : 'vault');
  }
  if (key === 'rpcPassword' || key === 'databaseUrl' || key === 'metricsKey') logging.redactor.add(String(value));
  return settings.setOn(network, key, value);
}
