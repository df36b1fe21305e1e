import { joinedServices, type Network } from '../../../contract/index.ts';
import type { Endpoints, SettingsView } from '../../ports/settings.ts';

/** The addresses in force: the sandbox's bound ones on its network, the settings' elsewhere, and those of the sandbox that `private` joined. */
export class LiveEndpoints implements Endpoints {
  readonly #settings: SettingsView;
  readonly #network: Network;
  #sandbox: () => Endpoints | undefined = () => undefined;

  constructor(settings: SettingsView, network: Network) {
    this.#settings = settings;
    this.#network = network;
  }

  /** @param sandbox its addresses while it runs */
  readSandbox(sandbox: () => Endpoints | undefined): void {
    this.#sandbox = sandbox;
  }

  get baseUrl(): string {
    return this.#pick('baseUrl');
  }
  get consoleBaseUrl(): string {
    // One host serves both where no other is named.
    return this.#pick('consoleBaseUrl') || this.baseUrl;
  }
  get mapiUrl(): string {
    return this.#pick('mapiUrl');
  }
  get arcUrl(): string | undefined {
    return this.#sandbox()?.arcUrl ?? arcUrlOf(this.#network, this.#settings.current().joinUrl);
  }
  get bitcoinRpcUrl(): string {
    return this.#pick('bitcoinRpcUrl');
  }
  get bitcoinZmqUrl(): string {
    return this.#pick('bitcoinZmqUrl');
  }

  #pick(key: Exclude<keyof Endpoints, 'arcUrl'>): string {
    return this.#settings.current()[key] || (this.#sandbox()?.[key] ?? '');
  }
}

/** ARC, which no setting names: the sandbox's own, or that of the one that was joined. */
export function arcUrlOf(network: Network, joinUrl: string): string | undefined {
  return network === 'private' ? joinedServices(joinUrl).arc : undefined;
}
