import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { satoshis } from '../../../../chain/index.ts';
import { lockingScriptOf, openTestNode, otherKey, type TestNode } from '../test-support/open-node.ts';
import { Miner } from './miner.ts';

const logger = pino({ level: 'silent' });
const other = lockingScriptOf(otherKey);

let opened: TestNode;
let miner: Miner;
beforeEach(async () => {
  opened = await openTestNode();
});
afterEach(async () => {
  await miner.stop();
  await opened.remove();
});

function start(mineInterval: string, mineOnArrival: string): void {
  miner = new Miner({ node: opened.node, clock: opened.clock, logger, mineInterval, mineOnArrival });
  miner.start();
}

/** Lets time pass and the mining it started finish. */
async function wait(ms: number): Promise<number> {
  opened.clock.advance(ms);
  await miner.settled();
  return opened.node.tip().height;
}

describe('the miner', () => {
  it('mines on its timer, only while transactions wait', async () => {
    start('10s', '');
    expect(await wait(30_000)).toBe(120);
    await opened.node.fund(other, satoshis(1_000));
    expect(await wait(9_999)).toBe(120);
    expect(await wait(1)).toBe(121);
    expect(await wait(60_000)).toBe(121);
  });

  it('mines shortly after a transaction arrives, one block for all that arrived meanwhile', async () => {
    start('0', '1s');
    await opened.node.fund(other, satoshis(1_000));
    expect(await wait(600)).toBe(120);
    await opened.node.fund(other, satoshis(1_001));
    expect(await wait(400)).toBe(121);
    expect(opened.node.mempool.txids()).toEqual([]);
    expect(await wait(60_000)).toBe(121);
    await opened.node.fund(other, satoshis(1_002));
    expect(await wait(1_000)).toBe(122);
  });

  it('mines nothing on arrival where that is 0, as with its timer', async () => {
    start('0', '0');
    await opened.node.fund(other, satoshis(1_000));
    expect(await wait(60_000)).toBe(120);
  });

  it('treats transactions waiting at the start as arrivals', async () => {
    await opened.node.fund(other, satoshis(1_000));
    start('0', '250ms');
    expect(await wait(250)).toBe(121);
  });

  it('mines nothing if both are disabled, or after it was stopped', async () => {
    start('0', '');
    await opened.node.fund(other, satoshis(1_000));
    expect(await wait(3_600_000)).toBe(120);
    await miner.stop();
    start('1s', '1s');
    await miner.stop();
    expect(await wait(3_600_000)).toBe(120);
  });
});
