import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseTx, serializeTx, signP2pkhInputs, toHex, txidOf } from '../../chain/index.ts';
import type { SandboxFault } from '../../contract/index.ts';
import { type Coin, output, payment } from '../sandbox/test-support/merchant.ts';
import { TestSandbox } from '../sandbox/test-support/open-sandbox.ts';
import { createWorkerPool } from '../workers/worker-pool.ts';
import { INSCRIBED } from './test-support/inscribed.ts';
import { FOREIGN_SCRIPT } from './test-support/test-node.ts';
import { WalletOfServices } from './test-support/wallet-of-services.ts';

const WORDS = 'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about';
const MINUTE_MS = 60_000;
const WOC = '/woc/v1/bsv/test';

const pool = createWorkerPool({ size: 1 });
let sandbox: TestSandbox;
let now: number;
const opened: WalletOfServices[] = [];

beforeEach(async () => {
  sandbox = await TestSandbox.open();
  await sandbox.service.mine({ blocks: 3 });
  now = sandbox.clock.now() + 60 * MINUTE_MS;
});
afterEach(async () => {
  for (const one of opened.splice(0)) await one.remove();
  await sandbox.remove();
});
afterAll(() => pool.close());

async function restored(): Promise<WalletOfServices> {
  const one = await WalletOfServices.open(
    {
      root: sandbox.root,
      sources: ['whatsonchain', 'bananablocks', 'arcade', 'onesat'],
      now: () => now,
      scripts: pool.verifyInputs,
    },
    WORDS,
  );
  opened.push(one);
  return one;
}

const play = (name: SandboxFault['name'], area: SandboxFault['area'] = 'all', value = 0): void =>
  void sandbox.service.faults.set({ name, area, value, times: null });

const mine = (blocks = 1) => sandbox.service.mine({ blocks });

/** Time passes, and the wallet looks now and then. */
async function pass(one: WalletOfServices, minutes: number): Promise<void> {
  for (let left = minutes; left > 0; left -= 5) {
    now += 5 * MINUTE_MS;
    sandbox.clock.advance(5 * MINUTE_MS);
    await one.look();
  }
}

async function pay(address: string, satoshis: number): Promise<Coin> {
  const { txid } = await sandbox.service.fund({ address, satoshis });
  const raw = (await sandbox.service.node.transaction(txid))?.raw as Uint8Array;
  const vout = parseTx(raw).outputs.findIndex((one) => one.satoshis === satoshis);
  return { txid, vout, satoshis };
}

/** The wallet's payment of a coin to somebody else. */
function spend({ wallet }: WalletOfServices, { txid, vout, satoshis }: Coin): Uint8Array {
  const inputs = [{ txid, vout, script: new Uint8Array(), sequence: 0xffffffff }];
  const outputs = [output(satoshis - 1_000, FOREIGN_SCRIPT)];
  const spent = { ...output(satoshis, wallet.lockingScript()), txid, vout, lockingScript: wallet.lockingScript() };
  const { privateKey } = wallet.keys.key;
  if (privateKey === undefined) throw new Error('the wallet cannot sign');
  return serializeTx(signP2pkhInputs({ version: 1, inputs, outputs, lockTime: 0 }, [spent], privateKey));
}

/** What public services are complained of most often (public-services.md, section 8): each would be so in a wallet that believes them. */
describe('the five complaints', () => {
  it('1: a payment shown as sent, which is nowhere on the chain', async () => {
    const one = await restored();
    const coin = await pay(one.wallet.address(), 50_000);
    await mine();
    await one.look();
    const raw = spend(one, coin);
    play('echoed-broadcast', 'woc');
    const answer = await sandbox.send('POST', `${WOC}/tx/raw`, { txhex: toHex(raw) });
    expect([answer.status, answer.body]).toEqual([200, txidOf(raw)]);
    await one.wallet.observe(raw);
    await mine();
    await one.look();
    // it waits, and counts as nothing
    expect(one.coinStore.transactions.get(txidOf(raw))).toMatchObject({ height: null, lost: null });
    await pass(one, 20);
    expect(one.coinStore.transactions.get(txidOf(raw))).toMatchObject({ height: null, lost: 'dropped' });
    expect(one.wallet.balance()).toMatchObject({ spendable: 50_000, confirmed: 50_000, unconfirmed: 0 });
  });

  it('2: money and items missing after a restore, since an index hides them', async () => {
    const first = await restored();
    const { wallet } = first;
    for (let n = 0; n < 5; n++) await pay(wallet.address(), 10_000 + n);
    const coin = await sandbox.coin();
    const script = (INSCRIBED.before as (key: string) => Uint8Array)(wallet.publicKey());
    await sandbox.service.node.submit(payment([coin], [output(1, script), output(coin.satoshis - 1_000)]));
    await mine();
    play('hidden-rows', 'woc');
    play('http-error', 'arcade', 500);
    const { body } = await sandbox.send(
      'GET',
      `${WOC}/address/${wallet.address()}/confirmed/history?order=asc&limit=100`,
    );
    expect(body.result.length).toBeLessThan(5);
    const again = await restored();
    await pass(again, 20);
    expect(again.wallet.balance()).toMatchObject({ confirmed: 50_010, tokens: 1 });
  });

  it.each((['woc', 'bananablocks', 'onesat', 'arcade'] as const).slice(0, process.env.PLANCHET_LONG ? 4 : 1))(
    '3: a payment that succeeded fails, since one service (%s) answers nothing but errors',
    async (area) => {
      const one = await restored();
      const coin = await pay(one.wallet.address(), 50_000);
      await mine();
      await one.look();
      play('http-error', area, 500);
      const raw = spend(one, coin);
      const road = area === 'woc' ? '/bananablocks/api/v1/tx/broadcast' : `${WOC}/tx/raw`;
      const sent = await sandbox.send('POST', road, area === 'woc' ? { rawtx: toHex(raw) } : { txhex: toHex(raw) });
      expect(sent.status).toBe(200);
      await one.wallet.observe(raw);
      await mine();
      await one.look();
      const { height } = sandbox.service.node.tip();
      expect(one.coinStore.transactions.get(txidOf(raw))).toMatchObject({ height, lost: null, spent: 50_000 });
      const next = await pay(one.wallet.address(), 7_000);
      await mine();
      await one.look();
      expect(one.coinStore.coins.get(`${next.txid}_${next.vout}`)).toMatchObject({
        height: height + 1,
        satoshis: 7_000,
      });
    },
  );

  it('4: a forged list of coins is a balance of ten bitcoins, also where all services send it', async () => {
    const one = await restored();
    await pay(one.wallet.address(), 4_000);
    await mine(12);
    for (const lie of ['invented-rows', 'wrong-amount', 'inner-node'] as const) play(lie);
    const { body } = await sandbox.send('GET', `${WOC}/address/${one.wallet.address()}/unspent/all`);
    const claimed = body.result.reduce((sum: number, { value }: { value: number }) => sum + value, 0);
    expect(claimed).toBe(1_000_000_000 + 8_000);
    await pass(one, 20);
    expect(one.wallet.balance()).toMatchObject({ confirmed: 4_000, unconfirmed: 0, spendable: 4_000, tokens: 0 });
    expect((await restored()).wallet.balance()).toMatchObject({ confirmed: 4_000, unconfirmed: 0 });
  });

  it('5: a restore that ends at many addresses, each of which one request may name few of', async () => {
    const { wallet } = await restored();
    const addresses = wallet.keys.money.map(({ address }) => address);
    expect(addresses.length).toBeGreaterThanOrEqual(45);
    for (const [n, address] of addresses.slice(0, 45).entries()) await pay(address, 1_000 + n);
    await mine();
    const again = await restored();
    expect(again.coinStore.coins.size).toBe(45);
    expect(again.wallet.balance().confirmed).toBe(45 * 1_000 + (44 * 45) / 2);
  });

  it('5: a restore that ends at a long history, which comes in pages', { tags: 'long', timeout: 900_000 }, async () => {
    const { wallet } = await restored();
    for (let n = 0; n < 1_100; n++) {
      await pay(wallet.address(), 1_000);
      if (n % 100 === 99) await mine();
    }
    const again = await restored();
    expect(again.coinStore.coins.size).toBe(1_100);
    expect(again.wallet.balance().confirmed).toBe(1_100_000);
  });
});
