import { join } from 'node:path';
import { PlanchetError, type ServiceStatus } from '../../../contract/index.ts';
import { createDirectClient } from '../../console/client.ts';
import type { ConsoleContext } from '../../console/context.ts';
import type { RunLimits } from '../../studio/runs/plan.ts';
import type { Studio } from '../../studio/studio.ts';
import { type HostOptions, type Infrastructure, loggerOf } from '../infrastructure.ts';
import { RehearsalResults } from './rehearsal-results.ts';
import { Rehearsals } from './rehearsals.ts';
import type { RehearsalNetwork } from './running-rehearsal.ts';

export interface RehearsalParts {
  options: HostOptions;
  base: Infrastructure;
  studio: Studio;
  createHost: (options: HostOptions) => Promise<RehearsalHost>;
}

interface RehearsalHost {
  readonly context: ConsoleContext;
  readonly studio: Pick<Studio, 'takeDrafts'>;
  services(): ServiceStatus[];
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** The rehearsals of a host. Each has a host of its own, in a folder within this one's, that knows the embedded network alone. */
export function createRehearsals({ options, base, studio, createHost }: RehearsalParts): Rehearsals {
  const { clock, settings } = base;
  const folder = join(options.dataDir, 'rehearsals');

  async function open(own: string, runLimits: RunLimits): Promise<RehearsalNetwork> {
    const { maxTokenBytes, maxFeeSatoshis, maxFeeRate, base64Content } = settings.current();
    const host = await createHost({
      dataDir: own,
      version: options.version,
      shell: 'terminal',
      scope: 'core',
      rendererDir: options.rendererDir,
      clock,
      runLimits,
      rehearses: false,
      ...(options.startPictures ? { startPictures: options.startPictures } : {}),
      // Every address is left at its default, which is empty: this host reaches its own network and nothing else.
      overrides: {
        network: 'sandbox',
        maxTokenBytes,
        maxFeeSatoshis,
        maxFeeRate,
        base64Content,
        'sandbox.mineOnArrival': '100ms',
        'sandbox.monthlyMintLimit': 1_000_000_000,
        'sandbox.maxRequestsPerSecond': 0,
      },
    });
    try {
      await host.start();
      const failed = host.services().find(({ status }) => status.state === 'failed');
      if (failed?.status.state === 'failed') throw new PlanchetError(failed.status.failure);
    } catch (error) {
      await host.stop();
      throw error;
    }
    return {
      client: createDirectClient(host.context),
      takeDrafts: (copies, project, copying) => host.studio.takeDrafts(copies, project, copying),
      events: (signal) => host.context.events.subscribe(() => host.context.app.snapshot(), signal),
      stop: () => host.stop(),
    };
  }

  return new Rehearsals({
    folder,
    results: new RehearsalResults(join(options.dataDir, base.network, 'rehearsals'), loggerOf(base, 'rehearsal')),
    clock,
    events: base.events,
    logger: loggerOf(base, 'rehearsal'),
    studio,
    open,
  });
}
