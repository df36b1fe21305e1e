import { createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type RunningHost, startHost } from '../../../e2e/support/host.ts';

let host: RunningHost | undefined;
const closing: (() => void)[] = [];
afterEach(async () => {
  await host?.stop();
  host = undefined;
  for (const close of closing.splice(0)) close();
});

async function probe(address: string, path: string, headers: Record<string, string> = {}): Promise<unknown> {
  const response = await fetch(address + path, { headers });
  expect(response.headers.has('access-control-allow-origin')).toBe(false);
  return [response.status, await response.text()];
}

/** Until a probe tells this. @param expected as {@link probe} returns it */
async function until(address: string, path: string, expected: unknown): Promise<void> {
  await expect.poll(() => probe(address, path), { timeout: 20_000 }).toEqual(expected);
}

describe('/healthz and /readyz', () => {
  it('tell the state without a credential, on the console and the gateway', async () => {
    host = await startHost();
    for (const address of [host.ready.console, host.ready.rpc]) {
      expect(await probe(address, '/healthz')).toEqual([200, 'ok\n']);
      await until(address, '/readyz', [200, 'ready\n']);
      expect(await probe(address, '/readyz?verbose')).toEqual([200, 'ready\n']);
      const [status] = (await probe(address, '/readyz/x')) as [number];
      expect(status).not.toBe(200);
      expect((await fetch(`${address}/readyz`, { method: 'POST' })).status).not.toBe(200);
    }
    // a page of another origin is refused by the console, and by the browser on the gateway
    const [status] = (await probe(host.ready.console, '/readyz', { origin: 'https://evil.example' })) as [number];
    expect(status).toBe(403);
  });

  it('say not ready while a service has not started, or the gateway has no upstream', { tags: 'long' }, async () => {
    const taken = await new Promise<number>((resolve) => {
      const server = createServer().listen(0, '127.0.0.1', () => {
        closing.push(() => server.close());
        resolve((server.address() as { port: number }).port);
      });
    });
    host = await startHost({ set: { writerBind: `127.0.0.1:${taken}` } });
    expect(await probe(host.ready.rpc, '/healthz')).toEqual([200, 'ok\n']);
    expect(await probe(host.ready.rpc, '/readyz')).toEqual([503, 'not ready\n']);
    await host.stop();
    host = await startHost({ set: { bitcoinRpcUrl: 'http://127.0.0.1:1/' } });
    await until(host.ready.console, '/readyz', [503, 'not ready\n']);
    await until(host.ready.rpc, '/readyz', [503, 'not ready\n']);
  });
});
