import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
    passphrase: async () => 'one long passphrase',
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
  await expect.poll(async () => (await opened.client.headers.status()).tip?.hash, WAIT).toBe(hash);
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

describe('with a wallet', () => {
  beforeAll(async () => {
    await opened.client.wallet.create({ words: 12 });
  });

  it('an idle host asks hardly more: the mempool once a minute', async () => {
    await upstream.node.mine(1);
    await pass(2);
    await followed();
    await pass(6);
    const before = upstream.methods.length;
    const seconds = await pass(36);
    const asked = upstream.methods.slice(before).filter((method) => method !== 'getblockchaininfo');
    expect(new Set(asked)).toEqual(new Set(['getbestblockhash', 'getrawmempool']));
    expect(asked.length).toBeLessThanOrEqual(2 * Math.ceil(seconds / 60));
    expect(upstream.methods.length - before).toBeLessThanOrEqual(seconds / 5 + 1 + asked.length);
  });

  it('a host whose addresses are looked at lists the mempool every ten seconds, for ten minutes', async () => {
    const listings = (): number => upstream.methods.filter((method) => method === 'getrawmempool').length;
    const before = listings();
    await opened.client.wallet.addresses.list();
    const seconds = await pass(12);
    expect(listings() - before).toBeGreaterThanOrEqual(Math.floor(seconds / 10));
    await pass(120);
    const later = listings();
    const idle = await pass(24);
    expect(listings() - later).toBeLessThanOrEqual(Math.ceil(idle / 60));
  });
});
