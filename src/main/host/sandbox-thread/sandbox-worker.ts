import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { pino } from 'pino';
import type { SandboxFault, Settings } from '../../../contract/index.ts';
import { systemClock } from '../../clock.ts';
import type { SecretName } from '../../ports/secrets.ts';
import type { Endpoints } from '../../ports/settings.ts';
import { type PortCalls, portCalls } from '../../process/port-calls.ts';
import { SandboxService } from '../../sandbox/sandbox.ts';
import { createWorkerPool } from '../../workers/worker-pool.ts';

/** What the thread is started with. */
export interface SandboxThreadData {
  readonly dataDir: string;
  readonly settings: Settings;
  /** Grows each time the host has handled a change of the chain. */
  readonly handled: Int32Array<SharedArrayBuffer>;
}

/** Where the running sandbox is reached, and with which key. */
export interface SandboxPlaces {
  readonly endpoints: Endpoints;
  readonly apiKey: string;
}

/** What the thread asks of the host. */
export type HostCalls = {
  secret(name: SecretName): Uint8Array | undefined;
  setSecret(secret: { name: SecretName; value: Uint8Array }): Promise<void>;
  /** See `SandboxOptions.walletScript`. */
  walletScript(): Uint8Array | undefined;
  /** Runs work in the host's threads. See `Threads.run`. */
  work(work: { name: string; task: unknown; limitMs: number | undefined }): Promise<unknown>;
  chainChanged(places: SandboxPlaces | undefined): void;
  faultsChanged(faults: SandboxFault[]): void;
  /** @param line as pino writes it */
  log(line: string): void;
};

/** The longest that a change of the chain waits for the host, in milliseconds. */
const MOST_WAIT_MS = 1_000;

const { dataDir, settings, handled } = workerData as SandboxThreadData;
let current = settings;
const listeners = new Set<(settings: Settings, changed: readonly string[]) => void>();

// the host puts time and place to the lines, and keeps secrets out of them
const logger = pino(
  { level: settings.logLevel, base: null, timestamp: false },
  { write: (line: string) => tell('log', line) },
);

const sandbox = new SandboxService({
  settings: {
    current: () => current,
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  },
  clock: systemClock,
  logger,
  secrets: {
    get: (name) => host.call('secret', name),
    set: (name, value) => host.call('setSecret', { name, value }),
  },
  dataDir,
  walletScript: () => host.call('walletScript', undefined),
  ...scriptChecks(),
  chainChanged: () => {
    const before = Atomics.load(handled, 0);
    tell('chainChanged', places());
    Atomics.wait(handled, 0, before, MOST_WAIT_MS);
  },
  faultsChanged: (faults) => tell('faultsChanged', faults),
});

const calls = {
  start: async () => {
    const running = await sandbox.start();
    return { running, places: places() };
  },
  stop: () => sandbox.stop(),
  settings: ({ settings: next, changed }: { settings: Settings; changed: readonly string[] }) => {
    current = next;
    logger.level = next.logLevel;
    for (const listener of listeners) listener(next, changed);
  },
  spenders: (outpoints: readonly string[]) => sandbox.spenders(outpoints),
  /** @param path of a procedure of the sandbox in the contract, which the host takes from there */
  procedure: async ({ path, input }: { path: readonly string[]; input: unknown }): Promise<unknown> => {
    const owner = path.slice(0, -1).reduce<object>((part, name) => Reflect.get(part, name), sandbox);
    return Reflect.get(owner, path.at(-1) as string).call(owner, input);
  },
};

/** The calls that the thread answers. */
export type SandboxCalls = typeof calls;

const host: PortCalls<HostCalls> = portCalls(parentPort as MessagePort, calls, (error) =>
  logger.error({ err: error }, 'a call of the sandbox failed'),
);

/** Tells the host what needs no answer. */
function tell<Name extends keyof HostCalls>(name: Name, input: Parameters<HostCalls[Name]>[0]): void {
  // refused once the host closes the thread
  host.call(name, input).catch(() => {});
}

/** Where the running sandbox is reached; undefined while its network is replaced. */
function places(): SandboxPlaces | undefined {
  try {
    return { endpoints: sandbox.endpoints(), apiKey: sandbox.apiKey() };
  } catch {
    return undefined;
  }
}

/** Scripts are checked in the host's threads. What they get is packed here and only passed on by the host. */
function scriptChecks(): Pick<ConstructorParameters<typeof SandboxService>[0], 'verify' | 'verifyBatch'> {
  return createWorkerPool({
    threads: {
      run: async ({ name, task, moved, limitMs }) => {
        const input = await task();
        return host.call('work', { name, task: input, limitMs }, moved?.(input));
      },
      close: async () => {},
    },
  });
}
