import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeTestHost, newDataDir, openTestHost, type TestHost, until } from '../test-support/hosts/open-host.ts';

let network: TestHost;
let installation: TestHost;

/** The public services of another installation's sandbox. */
function servicesOf({ host }: TestHost): string {
  const at = host.info().endpoints.sandbox as string;
  return [`whatsonchain=${at}/woc/v1/bsv/test`, `bananablocks=${at}/bananablocks/api/v1`, `arcade=${at}/arcade`].join(
    ',',
  );
}

beforeAll(async () => {
  network = await openTestHost({ dataDir: newDataDir(), overrides: { 'sandbox.mineOnArrival': '' } });
  installation = await openTestHost({
    dataDir: newDataDir(),
    overrides: { chainData: 'public', publicSources: servicesOf(network), 'sandbox.mineOnArrival': '' },
  });
});
afterAll(async () => {
  await closeTestHost(installation);
  await closeTestHost(network);
});

describe('an installation without a node', () => {
  it('has verified headers, two operators agreeing on the tip', async () => {
    const { height } = (await network.client.sandbox.status()).tip;
    expect(await until(async () => (await installation.client.explorer.height({})) === height)).toBe(true);
  });

  it('sees a payment by two operators, in the mempool and in its block', async () => {
    const { address } = await installation.client.wallet.addresses.next({ label: '' });
    await network.client.sandbox.fund({ address, satoshis: 120_000 });
    await until(async () => (await installation.client.wallet.status()).balance.unconfirmed === 120_000);
    await network.client.sandbox.mine({ blocks: 1 });
    await until(async () => (await installation.client.wallet.status()).balance.confirmed === 120_000);
  });
});
