import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../clock.ts';
import { type RunningGateway, send, startGateway } from '../test-support/gateway.ts';
import { startSandboxUpstream } from '../test-support/sandbox-upstream.ts';
import { clientParts, endpointsOf, settingsOf } from '../test-support/upstream.ts';
import { NodeClient } from './client.ts';

const open: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const part of open.splice(0).reverse()) await part.stop();
});

/** A proxy to a node. Once frozen, it still accepts connections but forwards nothing, like a dead network. */
async function wayTo(port: number): Promise<{ port: number; freeze(): void; thaw(): void }> {
  let frozen = false;
  const sockets = new Set<Socket>();
  const server = createServer({ pauseOnConnect: true }, (near) => {
    sockets.add(near);
    near.on('error', () => {});
    if (frozen) return;
    const far = connect(port, '127.0.0.1');
    sockets.add(far);
    far.on('error', () => {});
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
    near.on('data', (piece) => frozen || far.write(piece));
    far.on('data', (piece) => frozen || near.write(piece));
    near.resume();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push({
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  });
  return {
    port: (server.address() as AddressInfo).port,
    freeze: () => {
      frozen = true;
    },
    // calls sent meanwhile stay unanswered
    thaw: () => {
      frozen = false;
    },
  };
}

/** A gateway whose `bitcoinTimeout` can be changed, and whose clock can be put forward. */
async function gatewayAt(bitcoinRpcUrl: string, timeout: { text: string }) {
  let ahead = 0;
  const clock = { ...systemClock, now: () => systemClock.now() + ahead };
  const fixed = settingsOf();
  const settings = { ...fixed, current: () => ({ ...fixed.current(), bitcoinTimeout: timeout.text }) };
  const node = new NodeClient({
    ...clientParts,
    endpoints: endpointsOf({ bitcoinRpcUrl }),
    settings,
    clock,
  });
  const gateway = await startGateway(bitcoinRpcUrl, { clock, options: { node, settings } });
  open.push({ stop: () => node.close() }, gateway);
  const advance = (milliseconds: number): void => {
    ahead += milliseconds;
  };
  return { gateway, node, advance };
}

async function call({ port }: RunningGateway, method: string, ...params: unknown[]) {
  const { status, headers, text } = await send(port, { body: JSON.stringify({ method, params, id: 1 }) });
  const { result, error } = JSON.parse(text) as { result: unknown; error: { message: string } | null };
  return { status, age: headers.age, result, message: error?.message };
}

describe('upstreams that take calls and never answer', () => {
  it.each([1, 2])(
    'keep nobody waiting once that is known, %i of them: what is known is told with its age, the rest fails with the reason',
    async (count) => {
      const upstream = await startSandboxUpstream();
      open.push(upstream);
      const hashes = await upstream.node.mine(10);
      const first = hashes[0] as string;
      const ways = await Promise.all(Array.from({ length: count }, () => wayTo(upstream.port)));
      // a loaded machine answers later than the limit below
      const timeout = { text: '30s' };
      const urls = ways.map(({ port }) => `http://me:up@127.0.0.1:${port}`).join(',');
      const { gateway, node, advance } = await gatewayAt(urls, timeout);
      const raw = await call(gateway, 'getblock', first, 0);
      const verbose = await call(gateway, 'getblock', first, 1);
      gateway.service.blockAnnounced();
      await expect.poll(async () => (await gateway.service.status()).tip?.hash).toBe(hashes.at(-1));
      for (const way of ways) way.freeze();
      timeout.text = '300ms';
      await vi.waitFor(
        async () => {
          await call(gateway, 'gettxoutsetinfo');
          expect(node.health().map(({ circuit }) => circuit)).toEqual(ways.map(() => 'open'));
        },
        { timeout: 15_000, interval: 5 },
      );
      // a probe that was pending when the upstream froze may have failed with another reason first
      await expect
        .poll(() => gateway.service.health().degraded?.message, { timeout: 15_000 })
        .toContain('did not answer within 0.3 s');

      // a call that waited for an answer from now on would outlast the test
      timeout.text = '10m';
      for (let round = 0; round < 4; round++) {
        // each time another call tries
        advance(300);
        const [tip, height, kept, pinned, rest] = await Promise.all([
          call(gateway, 'getbestblockhash'),
          call(gateway, 'getblockcount'),
          call(gateway, 'getblock', first, 0),
          call(gateway, 'getblock', first, 1),
          call(gateway, 'gettxoutsetinfo'),
        ]);
        const age = expect.stringMatching(/^\d+$/) as string;
        expect(tip).toMatchObject({ status: 200, age, result: hashes.at(-1) });
        expect(height).toMatchObject({ status: 200, age });
        expect(kept).toEqual({ ...raw, age: undefined });
        expect(pinned).toEqual({ ...verbose, age });
        expect(rest).toMatchObject({
          status: 500,
          // the one call that tries again is told why the last one failed
          message: expect.stringMatching(/was not asked: it did not answer earlier calls|did not answer within 0\.3 s/),
        });
      }

      for (const way of ways) way.thaw();
      await expect
        .poll(() => call(gateway, 'gettxoutsetinfo'), {
          timeout: 30_000,
          interval: 20,
        })
        .toMatchObject({ status: 200 });
      expect(await call(gateway, 'getbestblockhash')).toMatchObject({ age: undefined, result: hashes.at(-1) });
      expect(gateway.service.health().degraded).toBeUndefined();
    },
  );

  it('from the start are reported after the first probe, and delay no call after that', async () => {
    const upstream = await startSandboxUpstream();
    open.push(upstream);
    const way = await wayTo(upstream.port);
    way.freeze();
    const timeout = { text: '300ms' };
    const { gateway, advance } = await gatewayAt(`http://me:up@127.0.0.1:${way.port}`, timeout);
    expect((await call(gateway, 'getinfo')).status).toBe(500);
    expect(gateway.service.health().degraded?.message).toContain('did not answer within 0.3 s');
    timeout.text = '10m';
    for (let round = 0; round < 3; round++) {
      expect(await call(gateway, 'getinfo')).toMatchObject({ status: 500 });
      advance(300);
    }
  });
});
