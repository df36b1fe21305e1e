import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { fromHex } from '../../../chain/index.ts';
import { TrackedNode } from '../test-support/tracked-node.ts';
import { AnnouncedTransactions } from './announced-transactions.ts';

let node: TrackedNode;
let announced: AnnouncedTransactions;
beforeEach(async () => {
  node = await TrackedNode.open();
  announced = new AnnouncedTransactions({
    tracker: node.tracker,
    clock: node.opened.clock,
    logger: pino({ level: 'silent' }),
  });
});
afterEach(async () => {
  await announced.close();
  await node.remove();
});

/** What the node publishes as `hashtx`; time passes until it is written. */
async function announce(...txids: string[]): Promise<void> {
  for (const txid of txids) announced.announced(fromHex(txid));
  const changed = new Promise<void>((resolve) => {
    const stop = node.tracker.onChange(() => {
      stop();
      resolve();
    });
  });
  node.opened.clock.advance(50);
  await changed;
}

it('the tracker takes an announced transaction as seen without asking the node', async () => {
  const [coin] = await node.coins(1);
  const txid = await node.submit(node.payment(coin as NonNullable<typeof coin>).rawTx);
  expect(await node.state(txid)).toBe('submitted');
  node.calls = [];
  await announce('ab'.repeat(32), txid);
  expect(await node.state(txid)).toBe('seen');
  expect(node.calls).toEqual([]);
  // it is followed as any other
  await node.opened.node.mine(1);
  await node.settle();
  expect(await node.state(txid)).toBe('proven');
});

it('the tracker leaves a proven transaction as it is, and ignores a message of another length', async () => {
  const coins = await node.coins(2);
  const [first, second] = coins as [(typeof coins)[0], (typeof coins)[0]];
  const proven = await node.submit(node.payment(first).rawTx);
  await node.opened.node.mine(1);
  await node.settle();
  const waiting = await node.submit(node.payment(second).rawTx);
  announced.announced(fromHex(waiting).subarray(0, 31));
  announced.announced(fromHex(proven));
  await announce(waiting);
  expect(await node.state(proven)).toBe('proven');
  expect(await node.state(waiting)).toBe('seen');
});

it('the tracker ignores announcements once it is closed', async () => {
  const [coin] = await node.coins(1);
  await announced.close();
  const txid = await node.submit(node.payment(coin as NonNullable<typeof coin>).rawTx);
  const { next } = node.opened.clock;
  announced.announced(fromHex(txid));
  expect(node.opened.clock.next).toBe(next);
  expect(await node.state(txid)).toBe('submitted');
});
