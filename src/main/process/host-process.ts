import { toFailure } from '../../contract/index.ts';
import { type HostPort, serveMessagePort } from '../console/message-port.ts';
import type { createHost, Host } from '../host/host.ts';
import type { Keychain } from '../vault/vault.ts';
import { ChannelPort, type ParentChannel } from './parent-channel.ts';
import {
  type FromHost,
  type HostStart,
  type KeychainCall,
  openedTextSchema,
  type ToHost,
  toHostSchema,
} from './protocol.ts';
import { ShellPictures } from './shell-pictures.ts';

export interface HostProcessOptions {
  readonly channel: ParentChannel;
  readonly loadHost: () => Promise<{ createHost: typeof createHost }>;
  readonly environment: NodeJS.ProcessEnv;
  readonly exit: () => void;
}

/** A host in a process of its own, steered by the messages of the shell. */
export class HostProcess {
  readonly #options: HostProcessOptions;
  readonly #pages = new Map<number, () => void>();
  readonly #asked = new Map<number, PromiseWithResolvers<unknown>>();
  readonly #shellPort: ChannelPort;
  readonly #pictures = new ShellPictures((message) => this.#post(message));
  #host: Host | undefined;
  #questions = 0;
  #isAfterCrash = false;

  constructor(options: HostProcessOptions) {
    this.#options = options;
    this.#shellPort = new ChannelPort((data) => this.#post({ type: 'call', data }));
    options.channel.onMessage((message, ports) => {
      const read = toHostSchema.safeParse(message);
      if (read.success) void this.#take(read.data, ports).catch((error: unknown) => this.#fail(error));
    });
    this.#post({ type: 'ready' });
  }

  async #take(message: ToHost, ports: readonly HostPort[]): Promise<void> {
    switch (message.type) {
      case 'create':
        return this.#create(message.options);
      case 'start':
        await this.#host?.start();
        // A service may have opened the wallet by the keychain.
        if (this.#isAfterCrash) await this.#host?.lock();
        return this.#post({ type: 'started' });
      case 'page':
        return this.#openPage(message.id, ports[0]);
      case 'page-gone':
        this.#pages.get(message.id)?.();
        this.#pages.delete(message.id);
        return;
      case 'call':
        return this.#shellPort.receive(message.data);
      case 'keychain': {
        const asked = this.#asked.get(message.id);
        this.#asked.delete(message.id);
        if (message.failed) asked?.reject(new Error('the keychain failed'));
        else asked?.resolve(message.value);
        return;
      }
      case 'picture':
        return this.#pictures.answered(message.id, message.message);
      case 'pictures-ended':
        return this.#pictures.ended(message.id, message.reason);
      case 'log':
        return this.#log(message);
      case 'sleep':
        return this.#host?.sleep();
      case 'stop':
        for (const close of this.#pages.values()) close();
        this.#pages.clear();
        await this.#host?.stop();
        this.#post({ type: 'stopped' });
        this.#options.exit();
    }
  }

  async #create(start: HostStart): Promise<void> {
    const { environment, loadHost } = this.#options;
    const { createHost } = await loadHost();
    const { weakKeychain, afterCrash, ...options } = start;
    const host = await createHost({
      ...options,
      shell: 'desktop',
      scope: 'all',
      environment,
      passphrase: async () => environment.PLANCHET_PASSPHRASE,
      startPictures: (events) => this.#pictures.start(events),
      ...(weakKeychain === null ? {} : { keychain: this.#keychain(weakKeychain) }),
      // Another network is another set of services, so the whole application restarts.
      restart: () => this.#post({ type: 'restart' }),
    });
    this.#host = host;
    // Before any service can sign: if somebody made the process crash, they find the wallet locked.
    this.#isAfterCrash = afterCrash;
    if (afterCrash) await host.lock();
    serveMessagePort(this.#shellPort, host.context);
    this.#post({ type: 'created' });
  }

  #openPage(id: number, port: HostPort | undefined): void {
    if (port === undefined) return;
    if (this.#host === undefined) port.close();
    else this.#pages.set(id, serveMessagePort(port, { ...this.#host.context, isPage: true }));
  }

  /** The keychain belongs to the program's first process, so it is asked for each value. */
  #keychain(weak: boolean): Keychain {
    const ask = async (call: KeychainCall['call'], value?: string | Uint8Array): Promise<unknown> => {
      this.#questions += 1;
      const id = this.#questions;
      const asked = Promise.withResolvers<unknown>();
      this.#asked.set(id, asked);
      this.#post({ type: 'keychain', id, call, value });
      return asked.promise;
    };
    return {
      weak,
      available: async () => (await ask('available')) === true,
      encrypt: async (text) => {
        const sealed = await ask('encrypt', text);
        if (sealed instanceof Uint8Array) return new Uint8Array(sealed);
        throw new Error('the keychain answered no bytes');
      },
      decrypt: async (sealed) => {
        const read = openedTextSchema.safeParse(await ask('decrypt', sealed));
        if (read.success) return read.data;
        throw new Error('the keychain answered no text');
      },
      allowsPassphrase: async () => (await ask('allowsPassphrase')) === true,
    };
  }

  #log({ level, text, fields }: Extract<ToHost, { type: 'log' }>): void {
    const logger = this.#host?.context.logger.child({ part: 'shell' });
    if (level === 'error') logger?.error(fields, text);
    else if (level === 'warn') logger?.warn(fields, text);
    else logger?.info(fields, text);
  }

  #fail(error: unknown): void {
    this.#host?.context.logger.error({ err: error }, 'the process of the host failed');
    this.#post({ type: 'failed', failure: toFailure(error) });
  }

  #post(message: FromHost): void {
    this.#options.channel.post(message);
  }
}
