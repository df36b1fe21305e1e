import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { HandClock } from '../gateway/test-support/hand-clock.ts';
import { type SandboxUpstream, startSandboxUpstream } from '../gateway/test-support/sandbox-upstream.ts';
import { closeTestHost, newDataDir, openTestHost, type TestHost } from '../test-support/hosts/open-host.ts';

const SECOND_MS = 1_000;
const WAIT = { timeout: 60_000, interval: 2 };

let upstream: SandboxUpstream;
let clock: HandClock;
let opened: TestHost;

beforeAll(async () => {
  upstream = await startSandboxUpstream();
  await upstream.node.mine(3);
  clock = new HandClock();
  clock.time = Date.now();
  opened = await openTestHost({
    dataDir: newDataDir(),
    clock,
    // A test network may be a regression-test chain.
    overrides: { network: 'test', bitcoinRpcUrl: upstream.url, bitcoinZmqUrl: '' },
  });
});
afterAll(async () => {
  await closeTestHost(opened);
  await upstream.stop();
});

const probes = (): number => upstream.methods.filter((method) => method === 'getblockchaininfo').length;

/** Lets time pass second by second until the upstream was probed so often. @returns how many seconds passed */
async function pass(times: number): Promise<number> {
  let seconds = 0;
  for (const end = probes() + times; probes() < end; seconds++) {
    await clock.pass(SECOND_MS);
    // What the second began has time to come to its end.
    await opened.client.headers.status();
  }
  return seconds;
}

/** Resolves when the host knows the newest block of the node. */
async function followed(): Promise<void> {
  const { hash } = upstream.node.tip();
  await vi.waitFor(async () => expect((await opened.client.headers.status()).tip?.hash).toBe(hash), WAIT);
}

it('an idle host asks its node once in five seconds, and reads no block and no mempool', async () => {
  // What a start reads once is over.
  await followed();
  await pass(6);
  const before = upstream.methods.length;
  const seconds = await pass(12);
  const asked = upstream.methods.slice(before);
  // The probe of the upstreams tells the tip; the rest of a minute is a look for an announcement that was missed.
  const others = asked.filter((method) => method !== 'getblockchaininfo');
  expect(new Set(others)).toEqual(new Set(['getbestblockhash']));
  expect(others.length).toBeLessThanOrEqual(Math.ceil(seconds / 60));
  expect(asked.length - others.length).toBeLessThanOrEqual(seconds / 5 + 1);

  await upstream.node.mine(1);
  await pass(2);
  await followed();
});
