import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkView } from '../../support/check-view.ts';
import { expect, testWithoutHost as test } from '../../support/fixtures.ts';
import { type RunningHost, startHost } from '../../support/host.ts';
import { openHost } from '../../support/open.ts';

/** A port that another program uses. */
function takePort(): Promise<Server> {
  const server = createServer();
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

test('a taken port is named above every view, the rest runs, and one click moves the service', async ({ page }) => {
  const [rpc, writer, sandbox] = await Promise.all([takePort(), takePort(), takePort()]);
  const portOf = (server: Server): number => (server.address() as AddressInfo).port;
  const dataDir = mkdtempSync(join(tmpdir(), 'planchet-ports-'));
  const bind = (server: Server): string => `127.0.0.1:${portOf(server)}`;
  const settings = {
    network: 'sandbox',
    rpcBind: bind(rpc),
    writerBind: bind(writer),
    sandbox: { bind: bind(sandbox) },
  };
  writeFileSync(join(dataDir, 'settings.json'), JSON.stringify(settings));
  let host: RunningHost | undefined;
  try {
    host = await startHost({ dataDir, set: { rpcBind: undefined, writerBind: undefined, 'sandbox.bind': undefined } });
    expect(host.ready).toMatchObject({ ready: false, rpc: null, writer: null, sandbox: null });
    expect(host.ready.console).toMatch(/^http/);
    await openHost(page, host);
    const banners = page.getByRole('region', { name: 'A port is in use' }).locator('[data-service]');
    await expect(banners).toHaveCount(3);
    const gateway = banners.filter({ hasText: 'Node gateway' });
    await expect(gateway).toContainText(`Port ${portOf(rpc)} is in use`);
    await checkView(page, 'port-in-use');
    for (const [service, count] of [
      ['Sandbox', 2],
      ['Node gateway', 1],
      ['Data writer', 0],
    ] as const) {
      await banners
        .filter({ hasText: service })
        .getByRole('button', { name: /^Use port \d+$/ })
        .click();
      await expect(banners).toHaveCount(count);
    }
    const { rpc: moved } = (await host.client().app.info()).endpoints;
    expect(moved).not.toContain(String(portOf(rpc)));
    const { result } = (await host.client().node.call({ method: 'getblockcount', params: [] })) as { result: number };
    expect(result).toBeGreaterThan(0);
  } finally {
    await host?.stop();
    for (const server of [rpc, writer, sandbox]) server.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
});

test('a port that another program released is used on the second start', { tag: '@long' }, async ({ page }) => {
  const taken = await takePort();
  const port = (taken.address() as AddressInfo).port;
  const host = await startHost({ set: { writerBind: `127.0.0.1:${port}` } });
  try {
    await openHost(page, host);
    const banner = page.getByRole('region', { name: 'A port is in use' });
    // The command line sets the address, so no other is offered.
    await expect(banner.getByRole('button')).toHaveText(['Try again']);
    await new Promise((resolve) => taken.close(resolve));
    await banner.getByRole('button', { name: 'Try again' }).click();
    await expect(banner).toHaveCount(0);
    expect((await host.client().app.info()).endpoints.writer).toContain(String(port));
  } finally {
    await host.stop();
    taken.close();
  }
});
