import { beforeEach, describe, expect, it } from 'vitest';
import { fromHex, hash160, p2pkhScript, serializeTx, type Tx, txidOf } from '../../../chain/index.ts';
import { without } from '../test-support/indexed-chain.ts';
import { other, payment, spending } from '../test-support/test-node.ts';
import { type Harness, IndexedWalletOfTest } from '../test-support/test-wallet.ts';
import type { Wallet } from '../wallet.ts';

const opened = new IndexedWalletOfTest();
const { own, look, spend } = opened;
let harness: Harness;
let wallet: Wallet;
beforeEach(() => {
  ({ harness, wallet } = opened);
});

describe('a wallet that follows an index of scripts', () => {
  it('finds what is mined and what waits, and reads neither blocks nor the mempool', async () => {
    const paid = payment(own(7_000), own(1));
    harness.node.mine([paid, payment(other(5))]);
    harness.node.mempool = [payment(own(3_000))];
    await wallet.start();
    expect(wallet.balance()).toMatchObject({ confirmed: 7_000, unconfirmed: 3_000, tokens: 1 });
    const waiting = harness.node.mempool;
    harness.node.mempool = [];
    harness.node.mine(waiting);
    harness.node.mine([spend(paid, other(6_900))]);
    await look();
    expect(wallet.balance()).toMatchObject({ confirmed: 3_000, unconfirmed: 0, tokens: 1 });
    expect(harness.node.calls).not.toContain('getblock');
    expect(harness.node.calls).not.toContain('getrawmempool');
  });

  it('sees a payment whose bytes come later than its row', async () => {
    const paid = payment(own(3_000));
    opened.tells = ({ mined, waiting }) => ({ mined, waiting: [...new Set([...waiting, txidOf(paid)])] });
    await wallet.start();
    expect(wallet.balance()).toMatchObject({ confirmed: 0, unconfirmed: 0 });
    harness.node.mempool = [paid];
    await look();
    expect(wallet.balance()).toMatchObject({ confirmed: 0, unconfirmed: 3_000 });
  });

  it('goes on where nobody tells all of one address, and names it until somebody does', async () => {
    harness.node.mine([payment(own(7_000))]);
    const cut = [{ address: 'mfWxJ45yp2SFn7UciZyNpvDKrzbhyfKrY8', reason: 'whatsonchain: a history without an end' }];
    opened.tells = (honest) => ({ ...honest, cut });
    await wallet.start();
    expect(wallet.balance().confirmed).toBe(7_000);
    const named = (): unknown => harness.notices.get('wallet-chain');
    expect(named()).toMatchObject({ id: 'wallet.history-cut', values: cut[0] });
    opened.tells = (honest) => honest;
    await look();
    expect(named()).toBeUndefined();
  });

  it('looks nothing up again after a restart, nor what does not concern it', async () => {
    const unrelated = payment(other(9));
    harness.node.mine([payment(own(7_000)), unrelated]);
    opened.tells = ({ mined, waiting }) => ({
      mined: [...mined, { key: '', txid: txidOf(unrelated), height: 1 }],
      waiting,
    });
    await wallet.start();
    await look();
    const asked = () => harness.node.calls.filter((method) => method === 'getrawtransaction').length;
    const before = asked();
    await look();
    expect(asked()).toBe(before);
    opened.tells = (honest) => honest;
    wallet = await opened.restart();
    await wallet.start();
    expect(asked()).toBe(before);
    expect(wallet.balance().confirmed).toBe(7_000);
  });

  it('keeps its coins where it looks before the file of its headers is open', async () => {
    harness.node.mine([payment(own(7_000))]);
    await wallet.start();
    await harness.requireWork();
    wallet = await opened.restart();
    expect(harness.headers.tip).toBeNull();
    harness.node.offline = true;
    await wallet.start();
    expect(harness.headers.tip).toBeNull();
    expect(wallet.balance()).toMatchObject({ confirmed: 7_000, unconfirmed: 0 });
    harness.node.offline = false;
    await look();
    expect(harness.headers.tip).toMatchObject({ height: 1 });
    expect(wallet.balance()).toMatchObject({ confirmed: 7_000, unconfirmed: 0 });
  });

  it('follows a reorganisation, and gives up a transaction that never comes back', async () => {
    const kept = payment(own(4_000));
    const lost = payment(own(1_000));
    harness.node.mine([kept]);
    harness.node.mine([lost]);
    await wallet.start();
    expect(wallet.balance().confirmed).toBe(5_000);
    harness.node.blocks.pop();
    harness.node.mine();
    harness.node.mine();
    await look();
    expect(wallet.balance()).toMatchObject({ confirmed: 4_000 });
    for (let minutes = 0; minutes <= 12; minutes++) {
      harness.clock.advance(60_000);
      await opened.settled();
    }
    expect(wallet.balance()).toMatchObject({ spendable: 4_000, confirmed: 4_000, unconfirmed: 0 });
  });

  it('counts nothing as confirmed whose block left the verified headers, also while the index is away', async () => {
    harness.node.mine();
    harness.node.mine([payment(own(4_000))]);
    await wallet.start();
    expect(wallet.balance().confirmed).toBe(4_000);
    harness.node.blocks.pop();
    harness.node.mine();
    harness.node.mine();
    opened.tells = () => {
      throw new Error('away');
    };
    await look();
    await look();
    expect(wallet.balance()).toMatchObject({ confirmed: 0, unconfirmed: 4_000 });
  });

  it('follows a reorganisation also where the pass that found a payment was broken off', async () => {
    harness.node.mine();
    await wallet.start();
    let isBroken = false;
    harness.spentBy = () => {
      if (isBroken) return undefined;
      isBroken = true;
      harness.node.blocks.pop();
      harness.node.mine();
      harness.node.mine();
      throw new Error('away');
    };
    harness.node.mine([payment(own(4_000))]);
    await look();
    await look();
    expect(isBroken).toBe(true);
    expect(wallet.balance().confirmed).toBe(0);
  });

  it('takes a payment that the index told late, whose coin is spent by what it told before', async () => {
    const paid = payment(own(7_000), own(2_000));
    const spent = spend(paid, other(6_000), own(900));
    harness.node.mine([paid]);
    harness.node.mine([spent]);
    opened.tells = without(paid);
    await wallet.start();
    expect(wallet.balance().confirmed).toBe(900);
    opened.tells = (honest) => honest;
    await look();
    // 7,000 are spent
    expect(wallet.balance().confirmed).toBe(2_900);
  });

  it('keeps its own transaction while an operator knows it, though the index hides it', async () => {
    harness.node.mine([payment(own(10_000))]);
    await wallet.start();
    const [coin] = [...wallet.open().coinStore.coins.values()];
    const paid = opened.signed(
      spending([{ txid: coin?.txid as string, vout: 0 }], own(9_000)),
      harness.node.blocks[1]?.block.transactions.at(-1) as Tx,
    );
    harness.node.mempool = [paid];
    opened.tells = without(paid);
    await look();
    await wallet.observe(serializeTx(paid));
    for (let minutes = 0; minutes <= 12; minutes++) {
      harness.clock.advance(60_000);
      await opened.settled();
    }
    expect(wallet.balance()).toMatchObject({ spendable: 9_000, unconfirmed: 9_000 });
    // and sees it in its block
    harness.node.mempool = [];
    harness.node.mine([paid]);
    await look();
    expect(wallet.balance()).toMatchObject({ confirmed: 9_000, unconfirmed: 0 });
  });

  it('finds payments to further addresses, and one transaction that pays an early and a late one', async () => {
    const scripts = await furtherScripts(140);
    const paid = (index: number, value: number) => ({ script: scripts[index] as Uint8Array, satoshis: value });
    harness.node.mine([payment(paid(5, 1_000), paid(130, 20_000))]);
    harness.node.mine([payment(paid(95, 300_000))]);
    wallet = await restored();
    await wallet.start();
    await look();
    expect(wallet.balance().confirmed).toBe(321_000);
  });
});

describe('a coin store that follows an index of scripts', () => {
  it('forgets what was spent long ago, and learns anew which keys were paid', async () => {
    const paid = payment(own(7_000));
    harness.node.mine([paid]);
    harness.node.mine([spend(paid, other(6_900))]);
    for (let n = 0; n < 1_100; n++) harness.node.mine();
    await wallet.start();
    expect(wallet.open().coinStore.coins.size).toBe(0);
    await wallet.stop();
    // as a version left it that knew neither
    const { db } = harness.store;
    await db.deleteFrom('wallet_used_keys').execute();
    await db.updateTable('wallet_state').set({ keys: '', searched_to: null }).execute();
    wallet = await opened.open();
    expect(wallet.open().coinStore.used.size).toBe(0);
    await wallet.start();
    await look();
    expect(wallet.open().coinStore.used.size).toBe(1);
    expect(wallet.open().coinStore.coins.size).toBe(0);
  });

  it('takes no transaction whose block leaves the chain while others are looked up', async () => {
    const first = payment(own(7_000));
    const second = payment(own(500));
    harness.node.mine([first]);
    harness.node.mine([second]);
    let hasLeft = false;
    harness.node.onCall = (method, [txid]) => {
      if (hasLeft || method !== 'getrawtransaction' || txid !== txidOf(second)) return;
      hasLeft = true;
      harness.node.blocks.length -= 2;
      for (let n = 0; n < 3; n++) harness.node.mine();
      harness.node.mempool = [first, second];
      void harness.headers.refresh();
    };
    await wallet.start();
    await look();
    await look();
    expect(hasLeft).toBe(true);
    expect(wallet.balance()).toMatchObject({ confirmed: 0, unconfirmed: 7_500 });
  });

  it('remembers blocks without gaps, also after an absence longer than it remembers', async () => {
    harness.node.mine([payment(own(7_000))]);
    await wallet.start();
    await wallet.stop();
    for (let n = 0; n < 1_100; n++) harness.node.mine();
    wallet = await opened.restart();
    await wallet.start();
    const heights = wallet.open().coinStore.blocks.map(({ height }) => height);
    expect(heights).toEqual(Array.from({ length: 1_000 }, (_, n) => harness.node.height - 999 + n));
    expect(wallet.balance().confirmed).toBe(7_000);
  });
});

describe('a reading that is broken off', () => {
  const PAID = 70;
  let paid: readonly Tx[];
  beforeEach(() => {
    paid = Array.from({ length: PAID }, (_, n) => payment(own(1_000 + n)));
    for (const tx of paid) harness.node.mine([tx]);
  });
  const total = () => paid.reduce((sum, { outputs }) => sum + (outputs[0]?.satoshis ?? 0), 0);

  it('goes on where it was after a restart, and says how far it is', async () => {
    const lookedUp: string[] = [];
    const readings: unknown[] = [];
    harness.node.onCall = (method, [txid]) => {
      if (method !== 'getrawtransaction') return;
      if (lookedUp.at(-1) !== txid) lookedUp.push(txid as string);
      if (wallet.reading !== undefined) readings.push(wallet.reading);
      harness.clock.advance(5);
      // in the middle of the third part
      if (new Set(lookedUp).size > 45 && harness.node.height === PAID) throw new Error('gone');
    };
    await wallet.start();
    expect(wallet.reading).toBeUndefined();
    expect(wallet.balance().confirmed).toBeGreaterThan(40_000);
    expect(readings).toContainEqual({ done: 0, total: PAID, leftMs: null });
    const { leftMs } = readings.findLast((one) => (one as { done: number }).done === 20) as { leftMs: number };
    expect(leftMs).toBeGreaterThan(0);
    wallet = await opened.restart();
    harness.node.mine();
    lookedUp.length = 0;
    await wallet.start();
    await look();
    expect(new Set(lookedUp).size).toBe(PAID - 40);
    expect(wallet.balance().confirmed).toBe(total());
  });

  it('between a payment that was told late and what spends it leaves no coin', async () => {
    const [first] = paid as [Tx];
    const spent = spend(first, own(900));
    harness.node.mine([spent]);
    opened.tells = without(first);
    await wallet.start();
    expect(wallet.balance().confirmed).toBe(total() - 1_000 + 900);
    opened.tells = (honest) => honest;
    let hasTaken = false;
    harness.node.onCall = (method, [txid]) => {
      if (method !== 'getrawtransaction') return;
      if (txid === txidOf(first)) hasTaken = true;
      else if (hasTaken) throw new Error('gone');
    };
    await look();
    expect(hasTaken).toBe(true);
    harness.node.onCall = () => undefined;
    wallet = await opened.restart();
    await wallet.start();
    await look();
    expect(wallet.balance().confirmed).toBe(total() - 1_000 + 900);
  });

  it('takes a chain of payments in one block in any order, however many parts it is read in', async () => {
    const chain: Tx[] = [paid[0] as Tx];
    for (let n = 0; n < 50; n++) chain.push(spend(chain.at(-1) as Tx, own(990 - n)));
    harness.node.mine(chain.slice(1));
    opened.tells = ({ mined, waiting }) => ({
      mined: [...mined].reverse().map((row) => ({ ...row, height: 1 })),
      waiting,
    });
    await wallet.start();
    await look();
    expect(wallet.balance().confirmed).toBe(total() - 1_000 + 941);
  });
});

describe('an index that lies', () => {
  it('about heights, or names what does not exist, changes nothing', async () => {
    const first = payment(own(7_000));
    const second = spend(first, own(6_500));
    harness.node.mine([first]);
    harness.node.mine([second]);
    opened.tells = ({ mined, waiting }) => ({
      mined: [
        ...mined.map((row) => ({ ...row, height: 3 - row.height })),
        { key: '', txid: 'ab'.repeat(32), height: 1 },
      ],
      waiting: [...waiting, 'cd'.repeat(32)],
    });
    await wallet.start();
    await look();
    expect(wallet.balance()).toMatchObject({ confirmed: 6_500, unconfirmed: 0, spendable: 6_500 });
    expect([...wallet.open().coinStore.transactions.values()].map(({ height }) => height).sort()).toEqual([1, 2]);
  });

  it('calls mined what waits: it is unconfirmed until a path shows its block', async () => {
    const waiting = payment(own(3_000));
    harness.node.mempool = [waiting];
    opened.tells = (honest) => ({
      mined: [{ key: '', txid: txidOf(waiting), height: 0 }],
      waiting: honest.waiting.slice(1),
    });
    await wallet.start();
    await look();
    expect(wallet.balance()).toMatchObject({ confirmed: 0, unconfirmed: 3_000 });
  });

  it('calls waiting what is mined: it counts once a path shows its block', async () => {
    const paid = payment(own(3_000));
    harness.node.mine([paid]);
    opened.tells = () => ({ mined: [], waiting: [txidOf(paid)] });
    await wallet.start();
    await look();
    await look();
    expect(wallet.balance()).toMatchObject({ confirmed: 3_000, unconfirmed: 0 });
  });
});

const WORDS = 'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about';

async function restored(): Promise<Wallet> {
  const restoring = await opened.open('test');
  if (restoring.status().state === 'missing') await restoring.restore(WORDS);
  return restoring;
}

/** The locking scripts of the first addresses of the words. */
async function furtherScripts(count: number): Promise<Uint8Array[]> {
  const { keys } = await restored();
  keys.followBehind(count);
  const scripts = keys.money.map(({ publicKey }) => p2pkhScript(hash160(fromHex(publicKey))));
  wallet = await opened.open('test');
  return scripts;
}
