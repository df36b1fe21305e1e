import type { ConsoleClient } from '../../console/http-client.ts';

/** Waits until the check gives something, at most so long: a bound for what hangs, not for what takes long on a machine under load. */
export async function until<T>(check: () => Promise<T | undefined | false>, limitMs = 120_000): Promise<T> {
  const end = performance.now() + limitMs;
  for (;;) {
    const result = await check();
    if (result) return result;
    if (performance.now() > end) throw new Error('waited too long');
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

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
