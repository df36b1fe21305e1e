import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeEach, describe, expect, it } from 'vitest';
import { failureOf } from '../commands/shared/run.ts';
import { createDirectClient } from '../console/client.ts';
import { oneHost } from '../test-support/hosts/one-host.ts';
import { FIRST_MONEY, freePorts, type TestClient, until, walletFilled } from '../test-support/hosts/open-host.ts';
import { createHost } from './host.ts';

const FOREIGN = 'mkpZhYtJu2r87Js3pDiWJDmPte2NRZ8bJV';

const hosts = oneHost();
let client: TestClient;
let dataDir: string;
beforeEach(async () => {
  ({ client, dataDir } = await hosts.open({ scope: 'core' }));
  await walletFilled(client);
});

/** A payment that waits for its approval, with its coins. */
async function prepared(): Promise<string> {
  const request = { to: [{ address: FOREIGN, satoshis: 1_000 }] };
  const { id } = await client.wallet.send.prepare({ request, idempotencyKey: randomUUID() });
  expect((await client.wallet.balance()).locked).toBeGreaterThan(0);
  return id;
}

describe('while the wallet is locked', () => {
  it('a payment that is cancelled lets go of its coins', async () => {
    const id = await prepared();
    await client.wallet.lock();
    expect((await client.wallet.send.cancel({ id })).state).toBe('cancelled');
    await client.wallet.unlock({ passphrase: '' });
    expect(await client.wallet.balance()).toMatchObject({ total: FIRST_MONEY, locked: 0 });
  });

  it('a start after a crash lets go of the coins of what was not reviewed, as the desktop starts locked then', async () => {
    const id = await prepared();
    await hosts.close();
    // As a process leaves it that ended after it reserved the coins and before it journalled the review.
    const db = new Database(join(dataDir, 'sandbox', 'planchet.db'));
    db.prepare(`update wallet_sends set state = 'draft', review = null, unsigned = null where id = ?`).run(id);
    db.close();
    const options = { version: 'test', shell: 'terminal', scope: 'core', rendererDir: '', dataDir } as const;
    const host = await createHost({ ...options, overrides: { ...freePorts } });
    try {
      await host.lock();
      await host.start();
      const again = createDirectClient(host.context);
      await again.wallet.unlock({ passphrase: '' });
      await until(async () => (await again.wallet.balance()).total === FIRST_MONEY);
      expect(await again.wallet.balance()).toMatchObject({ locked: 0 });
      expect(failureOf(await again.wallet.send.get({ id }).catch((error: unknown) => error)).code).toBe('not-found');
    } finally {
      await host.stop();
    }
  });
});
