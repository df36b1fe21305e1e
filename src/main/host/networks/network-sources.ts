import {
  type Contract,
  type Network,
  type NetworkSource,
  PlanchetError,
  type PublicSourceName,
  publicSourceFacts,
  publicSourceNames,
  readPublicSources,
  type Serves,
  writePublicSources,
} from '../../../contract/index.ts';
import { presetsOf, type SourceKeys } from '../../chain-data/sources/public-sources.ts';
import type { SecretName, SecretStore } from '../../ports/secrets.ts';
import type { SettingsStore } from '../../settings/settings-store.ts';

const nameOf = (network: Network, name: PublicSourceName): SecretName => `sourceKey:${network}:${name}`;

/** The keys of public services, in the vault. @param redact called with each key that is read, so that no log shows it */
export function sourceKeysOf(
  vault: SecretStore,
  network: Network,
  redact: (key: string) => void = () => undefined,
): SourceKeys {
  return {
    revision: () => vault.revision,
    of: (name, address) => {
      const stored = vault.locked ? undefined : vault.get(nameOf(network, name));
      if (stored === undefined) return undefined;
      const text = Buffer.from(stored).toString('utf8');
      const end = text.indexOf('\n');
      const key = text.slice(end + 1);
      redact(key);
      return text.slice(0, end) === address ? key : undefined;
    },
  };
}

export interface NetworkSourcesOptions {
  settings: SettingsStore;
  redact: (key: string) => void;
  /** The secrets of a network, in use or not. @throws PlanchetError `vault-*` */
  secretsOf: (network: Network, passphrase: string | undefined) => Promise<SecretStore>;
  /** Whether a secret is stored; needs no key. */
  hasSecret: (network: Network, name: SecretName) => Promise<boolean>;
}

type SourcesApi = Serves<Contract['networks']['sources']>;

/** The public services of each network: which are asked, where, and with which key. */
export class NetworkSources implements SourcesApi {
  readonly #options: NetworkSourcesOptions;

  constructor(options: NetworkSourcesOptions) {
    this.#options = options;
  }

  async list({ network }: { network: Network }): Promise<NetworkSource[]> {
    const { settings, hasSecret } = this.#options;
    const { publicSources, joinUrl } = settings.on(network);
    const presets = presetsOf(network, joinUrl);
    const choices = readPublicSources(publicSources);
    return Promise.all(
      publicSourceNames.map(async (name) => {
        const { on = true, address = '' } = choices?.get(name) ?? {};
        const asked = address || presets[name];
        return {
          name,
          ...publicSourceFacts[name],
          on: on && asked !== undefined,
          address,
          host: asked === undefined ? null : new URL(asked).host,
          hasKey: await hasSecret(network, nameOf(network, name)),
        };
      }),
    );
  }

  /**
   * Switches a service, or sets where it is asked and its key. A key is for one address: another address forgets it.
   * @throws PlanchetError `invalid-input`, `conflict` for the last one that is asked, `vault-*`
   */
  async save(input: Parameters<SourcesApi['save']>[0]): Promise<NetworkSource[]> {
    const { network, name, key, passphrase } = input;
    const { settings, hasSecret, secretsOf } = this.#options;
    const { publicSources, joinUrl } = settings.on(network);
    const choices = new Map(readPublicSources(publicSources));
    const before = choices.get(name) ?? { on: true, address: '' };
    const next = { on: input.on ?? before.on, address: input.address?.trim() ?? before.address };
    choices.set(name, next);
    if (![...choices.values()].some(({ on }) => on)) throw new PlanchetError('networks.last-source');
    const text = String(settings.check('publicSources', writePublicSources(choices)));
    const asked = next.address || presetsOf(network, joinUrl)[name];
    if (key !== undefined && key !== '' && !(asked !== undefined && keepsSecrets(asked)))
      throw new PlanchetError('networks.source-key-plain', { address: asked ?? '' });
    const secret = nameOf(network, name);
    const isElsewhere = next.address !== before.address && (await hasSecret(network, secret));
    if (key !== undefined || isElsewhere)
      await this.#setKey(await secretsOf(network, passphrase), secret, asked ?? '', key ?? '');
    settings.setOn(network, 'publicSources', text);
    return this.list({ network });
  }

  /** Stores a key with the address it is for, so that it is sent nowhere else however that address is changed. */
  async #setKey(secrets: SecretStore, secret: SecretName, address: string, key: string): Promise<void> {
    const text = key.trim();
    if (text === '') return secrets.delete(secret);
    this.#options.redact(text);
    await secrets.set(secret, Buffer.from(`${address}\n${text}`));
  }
}

/** Whether requests to an address are encrypted or stay on this machine. */
function keepsSecrets(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || ['127.0.0.1', '[::1]', 'localhost'].includes(hostname);
}
