import type { Logger } from 'pino';
import type { LiveEvent } from '../../contract/index.ts';
import type { ElectronApi } from './electron-api.ts';

export interface KeepAwakeOptions {
  readonly blocker: ElectronApi['powerSaveBlocker'];
  /** The host's live events, a snapshot first. */
  readonly events: AsyncIterable<LiveEvent>;
  readonly logger: Logger;
}

/** Keeps the computer from falling asleep while a mint or a run is at work. The screen may turn off. */
export async function keepAwake({ blocker, events, logger }: KeepAwakeOptions): Promise<void> {
  const working = new Set<string>();
  let block: number | undefined;
  const note = (id: string, isWorking: boolean): void => {
    if (isWorking) working.add(id);
    else working.delete(id);
  };
  const apply = (): void => {
    if (working.size > 0 && block === undefined) {
      block = blocker.start('prevent-app-suspension');
      logger.debug('the computer is kept awake while it mints');
    } else if (working.size === 0 && block !== undefined) {
      blocker.stop(block);
      block = undefined;
    }
  };
  try {
    for await (const event of events) {
      if (event.type === 'snapshot') {
        for (const { id, active } of event.snapshot.jobs) note(`job ${id}`, active);
      } else if (event.type === 'job') note(`job ${event.job.id}`, event.job.active);
      else if (event.type === 'run') note(`run ${event.run.id}`, event.run.state === 'minting' || event.run.waits);
      else continue;
      apply();
    }
  } finally {
    working.clear();
    apply();
  }
}
