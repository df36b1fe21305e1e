import { readFileSync } from 'node:fs';
import { testWithoutHost as base, expect, expectAccessible } from '../../support/fixtures.ts';
import { type RunningHost, startHost } from '../../support/host.ts';
import { openHost } from '../../support/open.ts';
import { postRpc } from '../../support/rpc.ts';
import { goTo } from '../../support/studio.ts';

/** The main network with a sandbox's node as its only upstream. */
const test = base.extend<{ host: RunningHost }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixture's dependencies from this pattern.
  host: async ({}, use) => {
    const sandbox = await startHost({ filled: true });
    const address = new URL(sandbox.ready.rpc);
    [address.username, address.password] = readFileSync(sandbox.ready.rpcCookieFile, 'utf8').split(':') as [
      string,
      string,
    ];
    const host = await startHost({
      set: { network: 'main', bitcoinRpcUrl: address.href, bitcoinZmqUrl: sandbox.ready.zmq },
    });
    await use(host);
    await host.stop();
    await sandbox.stop();
  },
});

test('an upstream of another chain is reported as such, and no data of its chain is shown', {
  tag: '@long',
}, async ({ page, host }) => {
  await openHost(page, host);
  await goTo(page, '/gateway/traffic');
  const upstreams = page.getByRole('region', { name: 'Upstream nodes' });
  await expect(upstreams.getByText('Wrong chain')).toBeVisible();
  await expect(upstreams.getByText('is on another chain than "main": it calls its chain "regtest"')).toBeVisible();
  const header = page.getByRole('region', { name: 'Network and status' });
  await expect(header.getByText('No block yet')).toBeVisible();
  await expect(page.getByText(/^Block \d/)).toHaveCount(0);
  await expectAccessible(page);
  for (const width of [1_024, 1_440]) {
    await page.setViewportSize({ width, height: 640 });
    const reason = upstreams.getByText('is on another chain than');
    const [box, whole] = await reason.evaluate((element) => [element.clientWidth, element.scrollWidth]);
    expect(whole).toBeLessThanOrEqual(box as number);
  }
  await goTo(page, '/explorer');
  await expect(page.getByRole('main').getByText('is on another chain than')).toBeVisible();
  await expect(page.getByRole('grid', { name: 'Blocks' })).toHaveCount(0);
  await goTo(page, '/gateway/zmq');
  await expect(page.getByText('Nothing is relayed until')).toBeVisible();
  const answer = await postRpc(host, '{"method":"getblockcount","params":[],"id":1}');
  expect(await answer.json()).toMatchObject({
    result: null,
    error: { message: expect.stringContaining('another chain') },
  });
});
