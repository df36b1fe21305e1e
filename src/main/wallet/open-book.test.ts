import { beforeEach, describe, expect, it } from 'vitest';
import { feeFor, formatOutpoint, satoshis } from '../../chain/index.ts';
import { payment } from './test-support/test-node.ts';
import { type Bench, WalletOfTest } from './test-support/test-wallet.ts';
import type { Wallet } from './wallet.ts';

const fee = (inputs: number) => feeFor(200 + 148 * inputs, { satoshis: 500, bytes: 1_000 });

const opened = new WalletOfTest();
let bench: Bench;
let wallet: Wallet;
beforeEach(() => {
  ({ bench, wallet } = opened);
});

/** Starts the wallet with coins of these values. */
async function startWith(...values: number[]): Promise<void> {
  bench.node.mine(values.map((value) => payment({ script: wallet.lockingScript(), satoshis: value })));
  await wallet.start();
}

const reserve = async (owner: string): Promise<string[]> =>
  (await wallet.reserve(owner, satoshis(5_000), fee)).map(formatOutpoint);

async function lock(): Promise<void> {
  bench.secrets.locked = true;
  await wallet.reload();
}

async function unlock(): Promise<void> {
  bench.secrets.locked = false;
  await wallet.reload();
}

describe('unlocking', () => {
  it('an open wallet while coins are being reserved hands none of them out twice', async () => {
    await startWith(10_000, 10_001, 10_002, 10_003, 10_004, 10_005, 10_006, 10_007);
    const asked = ['a', 'b', 'c', 'd', 'e', 'f'].map(reserve);
    const [before] = await Promise.all([Promise.all(asked), unlock()]);
    const after = [await reserve('g'), await reserve('h')];
    expect(new Set([...before, ...after].flat()).size).toBe(8);
    expect(wallet.reserved('a').map(formatOutpoint)).toEqual(before[0]);
  });

  it('twice at once hands no coin out twice to those who ask after each', async () => {
    await startWith(10_000, 10_001);
    await lock();
    bench.secrets.locked = false;
    const both = ['a', 'b'].map(async (owner) => {
      await wallet.reload();
      return reserve(owner);
    });
    expect(new Set((await Promise.all(both)).flat()).size).toBe(2);
  });

  it('lets whoever asks meanwhile wait for the coins', async () => {
    await startWith(10_000);
    await lock();
    bench.secrets.locked = false;
    const unlocked = wallet.reload();
    expect(await reserve('a')).toHaveLength(1);
    await unlocked;
  });

  it('closes the book of before: it changes nothing that the next one would miss', async () => {
    await startWith(10_000);
    const { book } = wallet.open();
    const [outpoint] = book.coins.keys();
    await lock();
    await unlock();
    const late = book.change((edit) => edit.hold(outpoint as string, 'late'));
    await expect(late).rejects.toMatchObject({ code: 'not-running' });
    expect(await reserve('a')).toEqual([outpoint]);
  });

  it('an open wallet keeps the keys behind the first, so that no payment to them is missed', async () => {
    const { keys } = wallet;
    keys.followBehind(40);
    const { all } = keys;
    keys.reload();
    expect(keys.all).toBe(all);
  });
});
