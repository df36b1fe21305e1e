import type { Endpoints, SettingsView } from '../ports/settings.ts';

/** The addresses in force: the sandbox's bound ones on its network, the settings' elsewhere. */
export class LiveEndpoints implements Endpoints {
  readonly #settings: SettingsView;
  #sandbox: () => Endpoints | undefined = () => undefined;

  constructor(settings: SettingsView) {
    this.#settings = settings;
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
    return this.#sandbox()?.arcUrl;
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
