import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { decodeAddress, p2pkhScript, satoshis } from '../../chain/index.ts';
import { HandClock } from '../gateway/test-support/hand-clock.ts';
import { type SandboxUpstream, startSandboxUpstream } from '../gateway/test-support/sandbox-upstream.ts';
import { ZmqPublisher } from '../sandbox/node/zmq/publisher.ts';
import { closeTestHost, newDataDir, openTestHost, type TestHost } from '../test-support/hosts/open-host.ts';

const WAIT = { timeout: 60_000, interval: 2 };
const FOREIGN = p2pkhScript(new Uint8Array(20).fill(9));

let upstream: SandboxUpstream;
let publisher: ZmqPublisher;
let clock: HandClock;
let opened: TestHost;

beforeAll(async () => {
  upstream = await startSandboxUpstream();
  await upstream.node.mine(3);
  publisher = await ZmqPublisher.open({ node: upstream.node, address: 'tcp://127.0.0.1:0' });
  clock = new HandClock();
  clock.time = Date.now();
  opened = await openTestHost({
    dataDir: newDataDir(),
    clock,
    // A test network may be a regression-test chain.
    overrides: { network: 'test', bitcoinRpcUrl: upstream.url, bitcoinZmqUrl: publisher.address },
    passphrase: async () => 'one long passphrase',
  });
  await opened.client.wallet.create({ words: 12 });
});
afterAll(async () => {
  await closeTestHost(opened);
  await publisher.close();
  await upstream.stop();
});

const listings = (): number => upstream.methods.filter((method) => method === 'getrawmempool').length;
const balance = async () => (await opened.client.wallet.status()).balance;

/** Lets time pass, in steps of a quarter of a second. */
async function pass(seconds: number): Promise<void> {
  for (let quarters = 4 * seconds; quarters > 0; quarters--) {
    await clock.pass(250);
    // What the step began has time to come to its end.
    if (quarters % 4 === 0) await opened.client.headers.status();
  }
}

it('the wallet shows a payment as soon as the node announces it, and lists the mempool after blocks alone', async () => {
  const { address } = await opened.client.wallet.status();
  const script = p2pkhScript(decodeAddress(address as string).pubKeyHash);
  await expect.poll(() => publisher.isWanted('rawtx'), WAIT).toBe(true);
  // the next list shows that the node announces what it has
  await upstream.node.fund(FOREIGN, satoshis(1_000));
  await pass(61);
  const before = listings();
  await upstream.node.fund(script, satoshis(5_000));
  await vi.waitFor(async () => {
    await clock.pass(250);
    expect(await balance()).toMatchObject({ unconfirmed: 5_000, confirmed: 0 });
  }, WAIT);
  for (let n = 0; n < 50; n++) await upstream.node.fund(FOREIGN, satoshis(1_000));
  await pass(120);
  expect(listings()).toBe(before);

  await upstream.node.mine(1);
  await vi.waitFor(async () => {
    await clock.pass(250);
    expect(await balance()).toMatchObject({ unconfirmed: 0, confirmed: 5_000 });
  }, WAIT);
  await pass(120);
  expect(listings() - before).toBeLessThanOrEqual(2);
});
