import { createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/message-port';
import type { MessagePortMain, UtilityProcess } from 'electron';
import { PlanchetError } from '../../../contract/index.ts';
import { systemClock } from '../../clock.ts';
import type { ConsoleClient } from '../../console/http-client.ts';
import { ChannelPort } from '../../process/parent-channel.ts';
import { type FromHost, fromHostSchema, type KeychainCall, type ToHost } from '../../process/protocol.ts';
import type { ElectronApi } from '../electron-api.ts';
import { BackOff } from './back-off.ts';
import type { HostLink, HostLinkOptions, OpenHost } from './host-link.ts';
import { PictureProcesses } from './picture-processes.ts';

export interface UtilityHostOptions {
  readonly electron: Pick<ElectronApi, 'utilityProcess'>;
  /** Path of `host-process`. */
  readonly entry: string;
  /** Path of `picture-process`. */
  readonly pictures: string;
  /** Waits before the host is started again. */
  readonly pause?: (milliseconds: number) => Promise<void>;
}

/** Opens hosts in a utility process, so that a busy host does not block menus and the window. */
export function utilityHosts(options: UtilityHostOptions): OpenHost {
  return async (link) => {
    const host = new UtilityHost(options, link);
    await host.open();
    return host;
  };
}

class UtilityHost implements HostLink {
  readonly #options: UtilityHostOptions;
  readonly #link: HostLinkOptions;
  readonly #backOff = new BackOff(systemClock);
  #run: HostRun | undefined;
  #isStopping = false;
  #isStarted = false;
  #pages = 0;

  constructor(options: UtilityHostOptions, link: HostLinkOptions) {
    this.#options = options;
    this.#link = link;
  }

  get client(): ConsoleClient {
    if (this.#run === undefined) throw new PlanchetError('host.stopped');
    return this.#run.client;
  }

  async open(afterCrash = false): Promise<void> {
    const run = new HostRun(this.#options, this.#link, () => this.#onExit(run));
    this.#run = run;
    await run.create(afterCrash);
  }

  serve(port: MessagePortMain): () => void {
    this.#pages += 1;
    const id = this.#pages;
    const run = this.#run;
    run?.post({ type: 'page', id }, [port]);
    return () => run?.post({ type: 'page-gone', id });
  }

  log(level: 'info' | 'warn' | 'error', text: string, fields: Readonly<Record<string, unknown>>): void {
    this.#run?.post({ type: 'log', level, text, fields });
  }

  sleep(): void {
    this.#run?.post({ type: 'sleep' });
  }

  async start(): Promise<void> {
    await this.#run?.start();
    this.#isStarted = true;
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#run?.stop();
  }

  /** If it ended before it had started, `create` or `start` rejects with the reason. */
  #onExit(run: HostRun): void {
    if (this.#isStopping || run !== this.#run || !this.#isStarted) return;
    this.#run = undefined;
    this.#link.onCrash();
    void this.#again(run.fatal);
  }

  async #again(fatal: string | undefined): Promise<void> {
    const { pause = (ms) => new Promise<void>((resolve) => systemClock.after(ms, resolve)) } = this.#options;
    for (let wait = this.#backOff.next(); wait !== undefined; wait = this.#backOff.next()) {
      await pause(wait);
      if (this.#isStopping) return;
      this.#isStarted = false;
      try {
        await this.open(true);
        await this.start();
        if (fatal !== undefined) this.log('error', 'the engine of the process before this one gave up', { fatal });
        this.#link.onBack();
        return;
      } catch {
        this.#run?.kill();
        this.#run = undefined;
      }
    }
    this.#link.onGone();
  }
}

/** One run of the host's process. */
class HostRun {
  readonly client: ConsoleClient;
  readonly #child: UtilityProcess;
  readonly #link: HostLinkOptions;
  readonly #port: ChannelPort;
  readonly #pictures: PictureProcesses;
  readonly #ready = Promise.withResolvers<void>();
  readonly #created = Promise.withResolvers<void>();
  readonly #started = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<void>();
  #isOver = false;
  /** Why the engine aborted, for example out of memory. */
  fatal: string | undefined;

  constructor({ electron, entry, pictures }: UtilityHostOptions, link: HostLinkOptions, onExit: () => void) {
    this.#link = link;
    this.#pictures = new PictureProcesses({ electron, entry: pictures, post: (message) => this.post(message) });
    this.#port = new ChannelPort((data) => {
      // Otherwise the call would wait for ever.
      if (this.#isOver) throw new PlanchetError('host.stopped');
      this.post({ type: 'call', data });
    });
    this.client = createORPCClient<ConsoleClient>(new RPCLink({ port: this.#port }));
    for (const { promise } of [this.#ready, this.#created, this.#started]) promise.catch(() => {});
    // The switches are spelled out: none of Node's own is passed on from this process.
    this.#child = electron.utilityProcess.fork(entry, [], { serviceName: 'Planchet services', execArgv: [] });
    this.#child.on('message', (message: unknown) => {
      const read = fromHostSchema.safeParse(message);
      if (read.success) this.#take(read.data);
    });
    // Its `exit` follows. Without a listener the error would be thrown here.
    this.#child.on('error', (type, location) => {
      this.fatal = `${type} ${location}`;
    });
    this.#child.once('exit', () => {
      this.#isOver = true;
      this.#pictures.killAll();
      this.#port.close();
      this.#reject(new PlanchetError('host.stopped'));
      this.#ended.resolve();
      onExit();
    });
  }

  async create(afterCrash: boolean): Promise<void> {
    await this.#ready.promise;
    const { dataDir, version, overrides, safeMode, rendererDir, keychain } = this.#link;
    this.post({
      type: 'create',
      options: { dataDir, version, overrides, safeMode, rendererDir, weakKeychain: keychain.weak, afterCrash },
    });
    await this.#created.promise;
  }

  async start(): Promise<void> {
    this.post({ type: 'start' });
    await this.#started.promise;
  }

  async stop(): Promise<void> {
    this.post({ type: 'stop' });
    await this.#ended.promise;
  }

  kill(): void {
    this.#child.kill();
  }

  post(message: ToHost, ports: MessagePortMain[] = []): void {
    if (!this.#isOver) this.#child.postMessage(message, ports);
  }

  #take(message: FromHost): void {
    if (message.type === 'ready') this.#ready.resolve();
    else if (message.type === 'created') this.#created.resolve();
    else if (message.type === 'started') this.#started.resolve();
    else if (message.type === 'failed') this.#reject(new PlanchetError(message.failure));
    else if (message.type === 'call') this.#port.receive(message.data);
    else if (message.type === 'start-pictures') this.#pictures.start(message.id);
    else if (message.type === 'ask-pictures') this.#pictures.ask(message.id, message.request);
    else if (message.type === 'kill-pictures') this.#pictures.kill(message.id);
    else if (message.type === 'restart') this.#link.onRestart();
    else if (message.type === 'keychain') void this.#askKeychain(message);
  }

  #reject(error: PlanchetError): void {
    for (const each of [this.#ready, this.#created, this.#started]) each.reject(error);
  }

  async #askKeychain({ id, call, value }: KeychainCall): Promise<void> {
    try {
      this.post({ type: 'keychain', id, value: await this.#keychain(call, value), failed: false });
    } catch {
      this.post({ type: 'keychain', id, value: undefined, failed: true });
    }
  }

  #keychain(call: KeychainCall['call'], value: string | Uint8Array | undefined): Promise<unknown> {
    const { keychain } = this.#link;
    if (call === 'encrypt' && typeof value === 'string') return keychain.encrypt(value);
    if (call === 'decrypt' && value instanceof Uint8Array) return keychain.decrypt(value);
    return call === 'allowsPassphrase' ? keychain.allowsPassphrase() : keychain.available();
  }
}
