import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { bundleForBrowser } from '../../../src/token/test-support/bundle.ts';
import { expect, testWithoutHost as test } from '../../support/fixtures.ts';
import { type Life, live } from '../../token/life.ts';

const FUNCTIONS = ['contract', 'issue', 'transfer', 'split', 'merge', 'mergeSplit', 'redeemSplit', 'redeem'];

test('all functions of the token library return the same bytes in a browser as in Node', async ({ page }) => {
  const { code } = await bundleForBrowser(`export * from './e2e/token/life.ts';`);
  const server = createServer((request, response) => {
    const isScript = request.url === '/life.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    response.end(isScript ? code : '<!doctype html><title>Token library</title>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(error.message));
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    const inBrowser = await page.evaluate(async () => {
      const script = '/life.js';
      const { live } = (await import(script)) as { live: () => Promise<Life> };
      return { lived: await live(), hasNode: 'process' in globalThis || 'Buffer' in globalThis };
    });
    const inNode = await live();
    expect(inNode.made.map(({ name }) => name).sort()).toEqual([...FUNCTIONS].sort());
    // Signatures are deterministic (RFC 6979): the same digest and key give the same signature everywhere.
    for (const { name, callbacks, finished } of inNode.made) expect([name, callbacks]).toEqual([name, finished]);
    expect(inNode.trace).toEqual(['issue', 'transfer', 'split', 'mergeSplit', 'merge', 'redeemSplit']);
    expect(inNode.origin).toBe(inNode.contract);
    expect(inNode.token).toBe(inNode.expectedToken);
    expect(inBrowser).toEqual({ lived: inNode, hasNode: false });
    expect(problems).toEqual([]);
  } finally {
    server.close();
  }
});
