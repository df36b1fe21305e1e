import { Worker } from 'node:worker_threads';
import { type AnyContractRouter, isContractProcedure } from '@orpc/contract';
import { type Contract, contract, PlanchetError, type SandboxFault, type Serves } from '../../../contract/index.ts';
import type { SecretStore } from '../../ports/secrets.ts';
import type { Service } from '../../ports/service.ts';
import type { Endpoints } from '../../ports/settings.ts';
import { type PortCalls, portCalls } from '../../process/port-calls.ts';
import type { SandboxOptions, SandboxService } from '../../sandbox/sandbox.ts';
import type { WorkerPool } from '../../workers/worker-pool.ts';
import type { HostCalls, SandboxCalls, SandboxPlaces, SandboxThreadData } from './sandbox-worker.ts';

/** What the host needs of a sandbox, in whichever thread it runs. */
export interface HostedSandbox extends Service, Serves<Contract['sandbox']>, Pick<SandboxService, 'spenders'> {
  /** See `SandboxService.endpoints`. @throws PlanchetError `not-running` */
  endpoints(): Endpoints;
  /** @throws PlanchetError `not-running` */
  apiKey(): string;
  /** The faults that are on. Of one that happens a number of times, that number may be as it was turned on. */
  activeFaults(): SandboxFault[];
}

export interface SandboxThreadOptions
  extends Pick<SandboxOptions, 'settings' | 'logger' | 'dataDir'>,
    Required<Pick<SandboxOptions, 'chainChanged' | 'faultsChanged'>> {
  readonly secrets: Pick<SecretStore, 'get' | 'set'>;
  readonly walletScript: () => Uint8Array | undefined;
  readonly workers: Pick<WorkerPool, 'run'>;
}

/** Megabytes of new values in the thread; most of what it allocates are buffers, which are elsewhere. */
const YOUNG_MB = 12;

interface Run {
  readonly worker: Worker;
  readonly calls: PortCalls<SandboxCalls>;
  readonly stopListening: () => void;
}

/**
 * The sandbox in a thread of its own. Its node, its miner and its services are other parties on a real network, so they take no time from the
 * host's thread. The thread ends with the sandbox, and is there before it starts, since loading it takes a quarter of a second. An exception
 * that nothing handles ends the host, as one of its own does, and so does any other end of the thread.
 * @returns the sandbox, and `end`, which ends the thread at once, whatever runs in it
 */
export function createSandboxThread(options: SandboxThreadOptions): HostedSandbox & { end(): Promise<void> } {
  const { settings, dataDir, logger, secrets, walletScript, workers, chainChanged, faultsChanged } = options;
  // an error in a line of the thread is written out already, and would be named Object here
  const lines = logger.child({}, { serializers: { err: (err: unknown) => err } });
  let run: Run | undefined = open();
  let places: SandboxPlaces | undefined;
  let faults: SandboxFault[] = [];
  let terminated: Promise<unknown> | undefined;

  function open(): Run {
    const handled = new Int32Array(new SharedArrayBuffer(4));
    const workerData: SandboxThreadData = { dataDir, settings: settings.current(), handled };
    // Flags such as --watch or --input-type of the main thread mean nothing to a worker and may stop it.
    const worker = new Worker(workerUrl(), {
      workerData,
      execArgv: [],
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    });
    worker.on('error', (error) => {
      throw error;
    });
    // Nobody would be answered any more.
    worker.on('exit', () => {
      if (run?.worker === worker) throw new Error('the thread of the sandbox ended');
    });
    const calls: PortCalls<SandboxCalls> = portCalls(worker, answers(handled), (error) =>
      logger.error({ err: error }, 'the sandbox was not answered'),
    );
    const stopListening = settings.onChange((next, changed) => {
      calls.call('settings', { settings: next, changed }).catch(() => {});
    });
    return { worker, calls, stopListening };
  }

  function answers(handled: Int32Array): HostCalls {
    return {
      secret: (name) => secrets.get(name),
      setSecret: ({ name, value }) => secrets.set(name, value),
      walletScript,
      work: ({ name, task, limitMs }) =>
        workers.run({ name, task: () => task, ...(limitMs === undefined ? {} : { limitMs }) }),
      chainChanged: (now) => {
        places &&= now ?? places;
        chainChanged();
        Atomics.add(handled, 0, 1);
        Atomics.notify(handled, 0);
      },
      faultsChanged: (now) => {
        faults = now;
        faultsChanged(now);
      },
      log: (line) => {
        const { level, msg, ...fields } = JSON.parse(line) as { level: number; msg: string };
        lines[lines.levels.labels[level] as 'info'](fields, msg);
      },
    };
  }

  async function end(): Promise<void> {
    const ended = run;
    run = undefined;
    places = undefined;
    ended?.stopListening();
    ended?.calls.close();
    if (ended !== undefined) terminated = ended.worker.terminate();
    // of whoever else ends it as well
    await terminated;
  }

  const running = (): Run => run ?? notRunning();

  return {
    ...proceduresOf(contract.sandbox, async (path, input) => running().calls.call('procedure', { path, input })),
    name: 'sandbox',
    start: async () => {
      run ??= open();
      try {
        const started = await run.calls.call('start', undefined);
        places = started.places;
        return started.running;
      } catch (error) {
        await end();
        throw error;
      }
    },
    stop: async () => {
      places = undefined;
      try {
        await run?.calls.call('stop', undefined);
      } finally {
        await end();
      }
    },
    end,
    endpoints: () => (places ?? notRunning()).endpoints,
    apiKey: () => (places ?? notRunning()).apiKey,
    activeFaults: () => faults,
    spenders: async (outpoints) => running().calls.call('spenders', outpoints),
  };
}

function notRunning(): never {
  throw new PlanchetError('sandbox.not-running');
}

/** The procedures of a part of the contract, each answered by `call`. @param path of the part */
function proceduresOf<Part extends AnyContractRouter>(
  part: Part,
  call: (path: readonly string[], input: unknown) => Promise<unknown>,
  path: readonly string[] = [],
): Serves<Part> {
  const procedures = Object.entries(part).map(([name, child]) => {
    const own = [...path, name];
    if (!isContractProcedure(child)) return [name, proceduresOf(child, call, own)];
    // One without an input is given the signal of its call, which no thread can be sent.
    const hasInput = child['~orpc'].inputSchema !== undefined;
    return [name, (input: unknown) => call(own, hasInput ? input : undefined)];
  });
  return Object.fromEntries(procedures) as Serves<Part>;
}

/** The worker beside this file: TypeScript when run from source, JavaScript when built. */
function workerUrl(): URL {
  return import.meta.url.endsWith('.ts')
    ? new URL('./sandbox-worker.ts', import.meta.url)
    : new URL('./sandbox-worker.js', import.meta.url);
}
