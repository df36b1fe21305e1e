import type { ConsoleClient } from '../../console/http-client.ts';
import { until } from './until.ts';

/**
 * Waits until the wallet of a sandbox, where it is open, has read the chain. On a slow machine a host has started before that, and the first
 * spending would find no money.
 */
export async function walletFollows(client: ConsoleClient): Promise<void> {
  const { tip } = await client.sandbox.status();
  await until(async () => {
    const main = (await client.wallet.accounts.list()).find(({ id }) => id === 'main');
    return main?.state !== 'ready' || (main.height ?? -1) >= tip.height;
  });
}
