import { join } from 'node:path';
import {
  type Contract,
  missingFor,
  type Network,
  type NetworkNeed,
  type NetworkProfile,
  type NetworkTestStep,
  networkNeedNames,
  networkNeeds,
  networks,
  PlanchetError,
  type Serves,
  type SettingEntry,
  settingRows,
  toFailure,
} from '../../../contract/index.ts';
import { headerOperators } from '../../chain-data/headers/public/public-headers.ts';
import { PublicSources, type SourceKeys } from '../../chain-data/sources/public-sources.ts';
import { readMiners } from '../../merchant/create-merchant.ts';
import { DEFAULT_MINER, SANDBOX_ARC } from '../../merchant/open-miners.ts';
import type { SecretStore } from '../../ports/secrets.ts';
import type { Endpoints } from '../../ports/settings.ts';
import type { Store } from '../../ports/store.ts';
import { passphraseSeal } from '../../vault/passphrase-seal.ts';
import { SealedFile } from '../../vault/sealed-file.ts';
import { openVault } from '../../vault/vault.ts';
import { readBackupContent } from '../../wallet/backup/backup-content.ts';
import { WalletBackups } from '../../wallet/backup/wallet-backups.ts';
import { WalletKeys } from '../../wallet/keys/wallet-keys.ts';
import type { WalletTables } from '../../wallet/tables.ts';
import { readApiKey, saveSetting } from '../credentials.ts';
import { fromNetworkStore, type HostOptions, type Infrastructure, openNetworkStore } from '../infrastructure.ts';
import { checkJoin } from './check-join.ts';
import { arcUrlOf, type LiveEndpoints } from './endpoints.ts';
import { NetworkSources, sourceKeysOf } from './network-sources.ts';
import { type TestedMiner, testNetwork } from './network-test.ts';
import { asksPublicServices, asksThemBesideNode } from './public-services.ts';

/** The word that confirms the change to the network of real money. */
const MAIN_WORD = 'main';

export interface NetworksParts {
  options: Pick<HostOptions, 'dataDir' | 'keychain' | 'restart'>;
  base: Infrastructure;
  endpoints: LiveEndpoints;
}

type NetworksApi = Serves<Contract['networks']>;
type Switched = Awaited<ReturnType<NetworksApi['switch']>>;

/** The networks with their own addresses and keys, what each still lacks, and the one way from one to another. */
export class Networks implements NetworksApi {
  readonly sources: NetworkSources;
  readonly #options: NetworksParts['options'];
  readonly #base: Infrastructure;
  readonly #endpoints: LiveEndpoints;

  constructor({ options, base, endpoints }: NetworksParts) {
    this.#options = options;
    this.#base = base;
    this.#endpoints = endpoints;
    this.sources = new NetworkSources({
      settings: base.settings,
      redact: (key) => base.logging.redactor.add(key),
      secretsOf: (network, passphrase) => this.#secretsOf(network, passphrase),
      hasSecret: async (network, name) => (network === 'sandbox' ? false : (await this.#realVault()).has(name)),
    });
  }

  list(): Promise<NetworkProfile[]> {
    return Promise.all(networks.map((network) => this.#profile(network)));
  }

  async save({ network, values, passphrase }: Parameters<NetworksApi['save']>[0]): Promise<NetworkProfile> {
    const foreign = Object.keys(values).find((key) => settingRows.get(key)?.perNetwork !== true);
    if (foreign !== undefined) throw new PlanchetError('networks.not-a-network-setting', { key: foreign });
    const { apiKey, ...addresses } = values;
    const { joinUrl = '' } = addresses;
    if (network === 'private' && joinUrl !== '')
      await checkJoin(String(this.#base.settings.check('joinUrl', joinUrl)), this.#options.dataDir, this.#base);
    if (apiKey !== undefined && String(apiKey) !== '') {
      const vault = await this.#secretsOf(network, passphrase);
      await saveSetting({ ...this.#base, vault, network }, 'apiKey', apiKey);
    }
    for (const [key, value] of Object.entries(addresses)) this.#base.settings.setOn(network, key, value);
    return this.#profile(network);
  }

  async test({ network, passphrase }: Parameters<NetworksApi['test']>[0]): Promise<NetworkTestStep[]> {
    const { clock, settings, outbound } = this.#base;
    const values = settings.on(network);
    const endpoints = this.#endpointsOf(network);
    const apiKey = await this.#apiKeyOf(network, passphrase);
    const sources = new PublicSources({
      network,
      clock,
      text: () => values.publicSources,
      joinUrl: () => values.joinUrl,
      outbound,
      ...(await this.#sourceKeys(network, passphrase)),
    });
    const asked = { chainData: values.chainData, bitcoinRpcUrl: endpoints.bitcoinRpcUrl };
    const areAsked = asksPublicServices(network, asked) || asksThemBesideNode(network, asked);
    return testNetwork({
      network,
      sources: areAsked ? headerOperators(sources.clients(), network) : [],
      endpoints,
      apiKeyHeader: values.apiKeyHeader,
      ignoreCertificate: values.ignoreCertificate,
      apiKey,
      miners: await this.#minersOf(network, endpoints, apiKey, passphrase),
      outbound,
      clock,
    });
  }

  /** The keys of public services, as far as the vault can be read. */
  async #sourceKeys(network: Network, passphrase: string | undefined): Promise<{ keys?: SourceKeys }> {
    if (network === 'sandbox') return {};
    const listed = await this.sources.list({ network });
    if (!listed.some(({ hasKey }) => hasKey)) return {};
    const secrets = await this.#secretsOf(network, passphrase).catch(() => undefined);
    return secrets === undefined ? {} : { keys: sourceKeysOf(secrets, network) };
  }

  async createWallet({ network, passphrase }: Parameters<NetworksApi['createWallet']>[0]): Promise<NetworkProfile> {
    this.#requireOther(network);
    const secrets = await this.#secretsOf(network, passphrase);
    const keys = await WalletKeys.open({ network, secrets, clock: this.#base.clock });
    if (keys.state === 'locked') throw new PlanchetError('vault.locked');
    await keys.create();
    return this.#profile(network);
  }

  createBackup(input: { network: Network; passphrase: string }): Promise<{ fileName: string; text: string }> {
    return this.#withBackups(input, (backups) => backups.create(input.passphrase));
  }

  async checkBackup(input: { network: Network; text: string; passphrase: string }): Promise<NetworkProfile> {
    await this.#withBackups(input, (backups) => backups.check(input));
    return this.#profile(input.network);
  }

  /**
   * Saves the network and starts everything on it.
   * @throws PlanchetError `conflict` where something is missing for the use that is not in `without`, or `word` does not confirm the main network
   */
  async switch({ network, use, without, word }: Parameters<NetworksApi['switch']>[0]): Promise<Switched> {
    const { settings } = this.#base;
    if (settings.entry('network').overridden) throw new PlanchetError('networks.named-for-this-run');
    const missing = missingFor(use, await this.#missing(network));
    const named = missing.map((need) => networkNeedNames[need]).join(', ') || 'nothing';
    const detail = { missing: missing.join(',') };
    const isActive = network === this.#base.network;
    if (!isActive && network === 'main' && word.trim().toLowerCase() !== MAIN_WORD)
      throw new PlanchetError('networks.real-money', { missing: named }, { detail });
    if (!isActive && missing.some((need) => !without.includes(need)))
      throw new PlanchetError('networks.incomplete', { network, missing: named }, { detail });
    settings.set('network', network);
    const { restart } = this.#options;
    const restarts = restart !== undefined && !isActive;
    // The client gets its answer first.
    if (restarts) setImmediate(restart);
    return { network, missing, restarts };
  }

  /** Saves a setting; that of the network only as {@link switch} does. */
  async set(key: string, value: string | number | boolean): Promise<SettingEntry> {
    const { settings } = this.#base;
    if (key !== 'network') return saveSetting(this.#base, key, value);
    const network = networks.find((name) => name === value);
    // The store says what it takes instead.
    if (network === undefined) return settings.set(key, value);
    await this.switch({ network, use: 'mint', without: [], word: '' });
    return settings.entry(key);
  }

  async #profile(network: Network): Promise<NetworkProfile> {
    return {
      network,
      active: network === this.#base.network,
      entries: this.#base.settings.entriesOn(network),
      missing: await this.#missing(network),
      passphrase: await this.#passphraseNeed(network),
    };
  }

  async #missing(network: Network): Promise<NetworkNeed[]> {
    if (network === 'sandbox') return [];
    const { bitcoinRpcUrl, baseUrl, chainData, walletSigner, joinUrl, publicSources } = this.#base.settings.on(network);
    const isPrivate = network === 'private';
    const vault = await this.#realVault();
    const hasWallet = walletSigner === 'external' || vault.has(`seed:${network}`);
    const met: Record<NetworkNeed, boolean> = {
      upstream:
        bitcoinRpcUrl !== '' || (chainData !== 'node' && (!isPrivate || joinUrl !== '' || publicSources.includes('='))),
      apiKey: baseUrl === '' || vault.has(`apiKey:${network}`),
      wallet: hasWallet,
      // the coins of the private network are worth nothing
      backup: isPrivate || walletSigner === 'external' || (hasWallet && (await this.#isBackupChecked(network))),
    };
    return networkNeeds.filter((need) => !met[need]);
  }

  async #passphraseNeed(network: Network): Promise<NetworkProfile['passphrase']> {
    if (network === 'sandbox') return 'none';
    if (this.#base.network !== 'sandbox' && !this.#base.vault.locked)
      return (await this.#base.vault.access()).needsPassphrase ? 'new' : 'none';
    const vault = await this.#realVault();
    const { keychain } = this.#options;
    const usable = keychain !== undefined && !keychain.weak && (await keychain.available());
    if (usable && (!vault.exists || vault.hasSlot('keychain'))) return 'none';
    return vault.exists ? 'known' : 'new';
  }

  /** Read each time, since the sandbox does not hold it open. Its names are readable without a key. */
  #realVault(): Promise<SealedFile> {
    return SealedFile.open(join(this.#options.dataDir, 'vault.json'));
  }

  /** Secrets of a network, in use or not. The file of real keys must not be written by two that hold it open. */
  async #secretsOf(network: Network, passphrase: string | undefined): Promise<SecretStore> {
    const { vault, network: active } = this.#base;
    const { dataDir, keychain } = this.#options;
    if (network === 'sandbox' && active !== 'sandbox') throw new PlanchetError('networks.sandbox-ready');
    if (active === 'sandbox' && network !== active)
      return openVault({ dataDir, network, passphrase: async () => passphrase, ...(keychain ? { keychain } : {}) });
    if (passphrase === undefined || network === 'sandbox') return vault;
    if ((await vault.access()).needsPassphrase) await vault.changePassphrase('', passphrase);
    else if (network !== active && vault.locked) await vault.unlock(passphrase);
    return vault;
  }

  async #apiKeyOf(network: Network, passphrase: string | undefined): Promise<string | undefined | PlanchetError> {
    if (network === this.#base.network) return readApiKey(this.#base.vault, network);
    if (network === 'sandbox' || !(await this.#realVault()).has(`apiKey:${network}`)) return undefined;
    try {
      const secrets = await this.#secretsOf(network, passphrase);
      return secrets.locked ? new PlanchetError('vault.locked') : readApiKey(secrets, network);
    } catch (error) {
      if (error instanceof PlanchetError) return error;
      throw error;
    }
  }

  /** The miners that are switched on there, with the keys that can be read without a passphrase. */
  async minersOf(network: Network): Promise<TestedMiner[]> {
    const [endpoints, apiKey] = [this.#endpointsOf(network), await this.#apiKeyOf(network, undefined)];
    return this.#minersOf(network, endpoints, apiKey, undefined);
  }

  #endpointsOf(network: Network): Endpoints {
    if (network === this.#base.network) return this.#endpoints;
    const values = this.#base.settings.on(network);
    return { ...values, arcUrl: arcUrlOf(network, values.joinUrl) };
  }

  /** The miners that are switched on, as the registry lists them. */
  async #minersOf(
    network: Network,
    { mapiUrl, arcUrl = '' }: Pick<Endpoints, 'mapiUrl' | 'arcUrl'>,
    apiKey: string | undefined | PlanchetError,
    passphrase: string | undefined,
  ): Promise<TestedMiner[]> {
    const { added, switchedOff } = await readMiners(join(this.#options.dataDir, network), this.#base.clock);
    // Where the vault is locked, a miner that asks for no key can still be tried.
    const ownKey = () => (typeof apiKey === 'string' ? Buffer.from(apiKey) : undefined);
    const builtIn = [
      { ...DEFAULT_MINER, url: mapiUrl },
      { ...SANDBOX_ARC, url: arcUrl },
    ].filter(({ id, url }) => url !== '' && !switchedOff.has(id));
    const enabled = added.filter((row) => row.enabled === 1);
    const secrets =
      enabled.length === 0
        ? undefined
        : await this.#secretsOf(network, passphrase).catch((error: unknown) => new PlanchetError(toFailure(error)));
    const keyOf = (id: string): Uint8Array | undefined => {
      if (secrets instanceof PlanchetError) throw secrets;
      return secrets?.get(`minerKey:${network}:${id}`);
    };
    return [
      ...builtIn.map((miner) => ({ ...miner, keyStyle: 'bearer' as const, apiKey: ownKey })),
      ...enabled.map(({ id, name, kind, url, key_style: keyStyle }) => {
        return { name, kind, url, keyStyle, apiKey: () => keyOf(id) };
      }),
    ];
  }

  async #withBackups<T>(
    { network, passphrase }: { network: Network; passphrase: string },
    run: (backups: WalletBackups) => Promise<T>,
  ): Promise<T> {
    this.#requireOther(network);
    const { clock } = this.#base;
    const secrets = await this.#secretsOf(network, passphrase);
    const keys = await WalletKeys.open({ network, secrets, clock });
    const store = await openNetworkStore(this.#options.dataDir, network);
    try {
      const wallet = { hasSeed: true, keys, seedKeys: keys };
      const content = () => readBackupContent({ network, store, secrets });
      return await run(new WalletBackups({ network, wallet, store, clock, secrets, seal: passphraseSeal, content }));
    } finally {
      await store.close();
    }
  }

  async #isBackupChecked(network: Network): Promise<boolean> {
    if (network === this.#base.network) return hasCheck(this.#base.store, network);
    return (await fromNetworkStore(this.#options.dataDir, network, (store) => hasCheck(store, network))) === true;
  }

  #requireOther(network: Network): void {
    if (network === 'sandbox') throw new PlanchetError('networks.sandbox-ready');
    if (network === this.#base.network) throw new PlanchetError('networks.in-use', { network });
  }
}

/** A seed is never replaced, so a check of this network's backup was one of its seed. The wallet compares the keys before it pays. */
async function hasCheck({ db }: Store<WalletTables>, network: Network): Promise<boolean> {
  const row = await db
    .selectFrom('wallet_backup_checks')
    .select('owner')
    .where('network', '=', network)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
