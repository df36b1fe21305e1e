import { existsSync } from 'node:fs';
import type { RunningHost } from '../../../../e2e/support/host.ts';
import { filledDataDir, openTestHost } from './open-host.ts';

/** A host in this process, for the commands of a test: a process of its own takes a second of a processor to start. */
export async function startHere(options: {
  dataDir: string;
  set?: Record<string, string>;
}): Promise<Pick<RunningHost, 'client' | 'stop'>> {
  if (!existsSync(options.dataDir)) await filledDataDir(options.dataDir);
  const overrides = { 'sandbox.mineOnArrival': '1s', ...options.set };
  const { host, client } = await openTestHost({ dataDir: options.dataDir, overrides });
  return { client: () => client as ReturnType<RunningHost['client']>, stop: () => host.stop() };
}
