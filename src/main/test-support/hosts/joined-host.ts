import type { HostOptions } from '../../host/host.ts';
import { newDataDir, openTestHost, type TestHost } from './open-host.ts';
import { until } from './until.ts';

/** Of its vault. */
export const JOINED_PASSPHRASE = 'the passphrase of the vault';

/** An installation that joins the network of another's sandbox: no node, no token service, no sandbox of its own. */
export function openJoinedHost(network: TestHost, options: Partial<HostOptions> = {}): Promise<TestHost> {
  return openTestHost({
    passphrase: async () => JOINED_PASSPHRASE,
    ...options,
    dataDir: options.dataDir ?? newDataDir(),
    overrides: {
      network: 'private',
      chainData: 'auto',
      joinUrl: network.host.info().endpoints.sandbox ?? 'http://127.0.0.1:1',
      ...options.overrides,
    },
  });
}

/** Looks until it is so, with a block of the network for whatever waits. */
export function untilMined<T>(
  network: TestHost,
  look: () => Promise<T | false | undefined>,
  timeoutMs?: number,
): Promise<T> {
  return until(async () => {
    const found = await look();
    const { mempool } = await network.client.sandbox.status();
    if (!found && mempool.transactions > 0) await network.client.sandbox.mine({ blocks: 1 });
    return found;
  }, timeoutMs);
}
