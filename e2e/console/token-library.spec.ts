import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@playwright/test';
import { bundleForBrowser } from '../../src/token/test-support/bundle.ts';
import { live } from '../token/life.ts';

test('the token library makes the same transactions in a browser as in Node', async ({ page }) => {
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
      const { live } = (await import(script)) as { live: () => unknown };
      return { lived: live(), hasNode: 'process' in globalThis || 'Buffer' in globalThis };
    });
    const inNode = live();
    expect(inNode.owner).toBe(inNode.expectedOwner);
    expect(new Set(inNode.txids).size).toBe(3);
    expect(inBrowser).toEqual({ lived: inNode, hasNode: false });
    expect(problems).toEqual([]);
  } finally {
    server.close();
  }
});
