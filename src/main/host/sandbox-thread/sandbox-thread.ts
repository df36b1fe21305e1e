import { Worker } from 'node:worker_threads';
import { type Contract, type Failure, PlanchetError, type SandboxFault, type Serves } from '../../../contract/index.ts';
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
 * The sandbox in a thread of its own, which ends with it and is there before it starts: loading the thread takes a quarter of a second. Its node, its miner and its services are other parties on a real network, so
 * they take no time from the host's thread. An exception that nothing handles ends the host, as one of its own does.
 */
export class SandboxThread implements HostedSandbox {
  readonly name = 'sandbox';

  readonly faults = {
    set: (fault) => this.#call('setFault', fault),
    clear: (cleared) => this.#call('clearFaults', cleared),
  } satisfies HostedSandbox['faults'];

  readonly snapshots = {
    take: (snapshot) => this.#call('takeSnapshot', snapshot),
    revert: (snapshot) => this.#call('revert', snapshot),
    remove: (snapshot) => this.#call('removeSnapshot', snapshot),
  } satisfies HostedSandbox['snapshots'];

  readonly #options: SandboxThreadOptions;
  #run: Run | undefined;
  #places: SandboxPlaces | undefined;
  #faults: SandboxFault[] = [];

  constructor(options: SandboxThreadOptions) {
    this.#options = options;
    this.#run = this.#open();
  }

  async start(): Promise<{ address: string; warning: Failure | undefined }> {
    this.#run ??= this.#open();
    const run = this.#run;
    try {
      const { running, places } = await run.calls.call('start', undefined);
      this.#places = places;
      return running;
    } catch (error) {
      await this.#close(run);
      throw error;
    }
  }

  async stop(): Promise<void> {
    const run = this.#run;
    if (run === undefined) return;
    this.#places = undefined;
    try {
      await run.calls.call('stop', undefined);
    } finally {
      await this.#close(run);
    }
  }

  endpoints(): Endpoints {
    return this.#requirePlaces().endpoints;
  }

  apiKey(): string {
    return this.#requirePlaces().apiKey;
  }

  activeFaults(): SandboxFault[] {
    return this.#faults;
  }

  mine = (input: Input<'mine'>) => this.#call('mine', input);
  fund = (input: Input<'fund'>) => this.#call('fund', input);
  status = () => this.#call('status', undefined);
  chain = (input: Input<'chain'>) => this.#call('chain', input);
  reorg = (input: Input<'reorg'>) => this.#call('reorg', input);
  undoReorg = (input: Input<'undoReorg'>) => this.#call('undoReorg', input);
  doubleSpend = (input: Input<'doubleSpend'>) => this.#call('doubleSpend', input);
  relay = (input: Input<'relay'>) => this.#call('relay', input);
  clock = (input: Input<'clock'>) => this.#call('clock', input);
  spenders = (outpoints: readonly string[]) => this.#call('spenders', outpoints);
  createKey = (input: Input<'createKey'>) => this.#call('createKey', input);
  reset = (input: Input<'reset'>) => this.#call('reset', input);
  export = (input: Input<'export'>) => this.#call('export', input);
  import = (input: Input<'import'>) => this.#call('import', input);

  #call<Name extends keyof SandboxCalls>(
    name: Name,
    input: Input<Name>,
  ): Promise<Awaited<ReturnType<SandboxCalls[Name]>>> {
    if (this.#run === undefined) return Promise.reject(new PlanchetError('sandbox.not-running'));
    return this.#run.calls.call(name, input);
  }

  #requirePlaces(): SandboxPlaces {
    if (this.#places === undefined) throw new PlanchetError('sandbox.not-running');
    return this.#places;
  }

  #open(): Run {
    const { settings, dataDir, logger } = this.#options;
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
    const calls: PortCalls<SandboxCalls> = portCalls(worker, this.#answers(handled), (error) =>
      logger.error({ err: error }, 'the sandbox was not answered'),
    );
    const stopListening = settings.onChange((next, changed) => {
      calls.call('settings', { settings: next, changed }).catch(() => {});
    });
    return { worker, calls, stopListening };
  }

  #answers(handled: Int32Array): HostCalls {
    const { secrets, walletScript, workers, logger, chainChanged, faultsChanged } = this.#options;
    return {
      secret: (name) => secrets.get(name),
      setSecret: ({ name, value }) => secrets.set(name, value),
      walletScript,
      work: ({ name, task, limitMs }) =>
        workers.run({ name, task: () => task, ...(limitMs === undefined ? {} : { limitMs }) }),
      chainChanged: (places) => {
        this.#places &&= places ?? this.#places;
        chainChanged();
        Atomics.add(handled, 0, 1);
        Atomics.notify(handled, 0);
      },
      faultsChanged: (faults) => {
        this.#faults = faults;
        faultsChanged(faults);
      },
      log: (line) => {
        const { level, msg, ...fields } = JSON.parse(line) as { level: number; msg: string };
        const name = logger.levels.labels[level] as 'info';
        logger[name](fields, msg);
      },
    };
  }

  async #close({ worker, calls, stopListening }: Run): Promise<void> {
    this.#run = undefined;
    this.#places = undefined;
    stopListening();
    calls.close();
    await worker.terminate();
  }
}

type Input<Name extends keyof SandboxCalls> = Parameters<SandboxCalls[Name]>[0];

/** The worker beside this file: TypeScript when run from source, JavaScript when built. */
function workerUrl(): URL {
  return import.meta.url.endsWith('.ts')
    ? new URL('./sandbox-worker.ts', import.meta.url)
    : new URL('./sandbox-worker.js', import.meta.url);
}
