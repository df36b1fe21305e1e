import fc from 'fast-check';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  type FundingUtxo,
  feeFor,
  formatOutpoint,
  parseTx,
  satoshis,
  serializeTx,
  type Tx,
  txidOf,
  verifyScripts,
} from '../../chain/index.ts';
import { walletMigrations } from './migrations.ts';
import { INSCRIBED } from './test-support/inscribed.ts';
import { FOREIGN_SCRIPT, other, payment, spending } from './test-support/test-node.ts';
import { type Harness, makeHarness, NO_FEE, WalletOfTest } from './test-support/test-wallet.ts';
import type { Wallet } from './wallet.ts';

const fee = (inputs: number) => feeFor(200 + 148 * inputs, { satoshis: 500, bytes: 1_000 });

const opened = new WalletOfTest();
let harness: Harness;
let wallet: Wallet;
beforeEach(() => {
  ({ harness, wallet } = opened);
});

const { own } = opened;

/** Mines payments of the given values to the wallet, one transaction each. */
function fund(...values: number[]): Tx[] {
  const txs = values.map((value) => payment(own(value)));
  harness.node.mine(txs);
  return txs;
}

describe('Wallet.reserve', () => {
  it('never hands out the same coin twice, however many ask at once', async () => {
    fund(...Array.from({ length: 20 }, (_, i) => 10_000 + i));
    await wallet.start();
    const asked = await Promise.all(
      Array.from({ length: 10 }, (_, i) => wallet.reserve(`job ${i}`, satoshis(15_000), fee)),
    );
    const outpoints = asked.flat().map(formatOutpoint);
    expect(outpoints).toHaveLength(20);
    expect(new Set(outpoints).size).toBe(20);
    await expect(wallet.reserve('job 10', satoshis(1), fee)).rejects.toMatchObject({ code: 'funds-insufficient' });
    expect(wallet.balance()).toMatchObject({ spendable: 0, reserved: wallet.balance().confirmed });
  });

  it('pays from every address, and from the main one alone where a builder knows one key', async () => {
    const further = wallet.keys.all.find((key) => key.purpose === 'money' && key.address !== wallet.address());
    harness.node.mine([
      payment(own(3_000)),
      payment({ script: further?.lockingScript as Uint8Array, satoshis: 9_000 }),
    ]);
    await wallet.start();
    expect(wallet.balance().spendable).toBe(12_000);
    expect([wallet.worth(fee), wallet.worth(fee, 'main')]).toEqual([12_000, 3_000]);
    const needed = satoshis(10_000);
    expect([wallet.inputsFor(needed, fee), wallet.inputsFor(needed, fee, 'main')]).toEqual([2, 1]);
    expect(wallet.most(fee)).toBe(12_000 - fee(2));
    await expect(wallet.reserve('service', satoshis(5_000), fee, { from: 'main' })).rejects.toMatchObject({
      id: 'wallet.funds-elsewhere',
      detail: { spendable: 3_000, needed: 5_000 + fee(1) },
    });
    await expect(wallet.reserve('service', satoshis(50_000), fee, { from: 'main' })).rejects.toMatchObject({
      id: 'wallet.sandbox-funds-insufficient',
    });
    const coins = await wallet.reserve('job', needed, fee);
    expect(coins.map(({ satoshis: value }) => value).sort()).toEqual([3_000, 9_000]);
    const signed = await wallet.sign(serializeTx(spending(coins, other(11_800))), coins);
    expect(verifyScripts(parseTx(signed), coins)).toEqual({ ok: true });
  });

  it('chooses as many coins as it said before, all of them where they are not enough', async () => {
    fund(...Array.from({ length: 20 }, () => 1_000));
    await wallet.start();
    const needed = satoshis(7_500);
    const said = wallet.inputsFor(needed, fee);
    expect(said).toBeGreaterThan(7);
    expect(await wallet.reserve('job', needed, fee)).toHaveLength(said);
    expect(wallet.inputsFor(satoshis(100_000), fee)).toBe(20 - said);
  });

  it('has as much to pay with as the coins that are worth more than they cost', async () => {
    fund(10_000, 700, ...Array.from({ length: 20 }, () => 3));
    await wallet.start();
    expect(wallet.balance().spendable).toBe(10_760);
    expect(wallet.worth(fee)).toBe(10_700);
    await wallet.reserve('job', satoshis(5_000), fee);
    expect([wallet.worth(fee), wallet.inputsFor(satoshis(5_000), fee)]).toEqual([700, 1]);
  });

  it('is journalled: a restart knows who holds what', async () => {
    fund(10_000, 20_000);
    await wallet.start();
    const coins = await wallet.reserve('job', satoshis(5_000), fee);
    await wallet.stop();
    await harness.reopenStore();
    wallet = await opened.open();
    expect(wallet.reserved('job')).toEqual(coins);
    expect(await wallet.reserve('job', satoshis(5_000), fee)).toEqual(coins);
    expect((await wallet.reserve('other', satoshis(5_000), fee)).map(({ satoshis: value }) => value)).toEqual([20_000]);
    await wallet.release('job');
    expect(wallet.reserved('job')).toEqual([]);
    expect(wallet.balance()).toMatchObject({ spendable: 10_000, reserved: 20_000 });
  });

  it('gives an owner that asks for more another choice, and holds nothing else', async () => {
    fund(10_000, 20_000, 50_000);
    await wallet.start();
    await wallet.reserve('job', satoshis(5_000), fee);
    const more = await wallet.reserve('job', satoshis(40_000), fee);
    expect(more.map(({ satoshis: value }) => value)).toEqual([50_000]);
    expect(wallet.reserved('job')).toEqual(more);
    expect(wallet.balance()).toMatchObject({ spendable: 30_000, reserved: 50_000 });
  });

  it('says how much is missing and changes nothing', async () => {
    fund(1_000);
    await wallet.start();
    const failure = await wallet.reserve('job', satoshis(5_000), fee).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      code: 'funds-insufficient',
      detail: { needed: 5_000 + fee(1), spendable: 1_000 },
      hint: expect.stringContaining(`fund ${wallet.address()} ${4_000 + fee(1)}`),
    });
    expect(wallet.balance()).toMatchObject({ spendable: 1_000, reserved: 0 });
  });

  it('waits for the first reading of the chain before it says that there is too little', async () => {
    fund(10_000);
    const started = wallet.start();
    let asked: Promise<FundingUtxo[]> | undefined;
    harness.node.onCall = (method) => {
      if (method === 'getblock') asked ??= wallet.reserve('job', satoshis(5_000), fee);
    };
    await started;
    expect(await asked).toHaveLength(1);
    await expect(wallet.reserve('other', satoshis(5_000), fee)).rejects.toMatchObject({ code: 'funds-insufficient' });
  });

  it('holds nothing where the disk is full, and says so', async () => {
    fund(10_000);
    await wallet.start();
    const { db } = harness.store;
    // The journal of one more page fits nowhere: what SQLite reports then is what it reports on a full disk.
    await sql`pragma max_page_count = 1`.execute(db);
    const failure = await wallet.reserve('x'.repeat(20_000), satoshis(5_000), fee).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'disk-full', hint: expect.stringContaining('space') });
    expect(wallet.balance()).toMatchObject({ spendable: 10_000, reserved: 0 });
    await sql`pragma max_page_count = 1000000`.execute(db);
    expect(await wallet.reserve('job', satoshis(5_000), fee)).toHaveLength(1);
  });

  it('hands out free coins only, never a token in any layout, a longer script, or a coin that is spent, foreign or held', async () => {
    const kinds = ['funding', 'funding', 'token', 'inscribed', 'foreign', ...Object.keys(INSCRIBED)];
    const output = fc.record({ kind: fc.constantFrom(...kinds), value: fc.integer({ min: 2, max: 100_000 }) });
    const step = fc.oneof(
      fc.record({ pay: fc.array(output, { minLength: 1, maxLength: 6 }) }),
      fc.record({ spend: fc.nat(50) }),
      fc.record({ owner: fc.constantFrom('a', 'b', 'c'), total: fc.integer({ min: 0, max: 200_000 }) }),
      fc.record({ release: fc.constantFrom('a', 'b', 'c') }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        const own = await makeHarness(new Error('locked'));
        try {
          await follow(await own.open(), steps);
        } finally {
          await own.remove();
        }
      }),
      { numRuns: process.env.PLANCHET_LONG ? 400 : 15 },
    );
  });
});

describe('tokens received from other software', () => {
  it.each(Object.keys(INSCRIBED))('are counted and never spent as money (%s)', async (kind) => {
    const script = INSCRIBED[kind]?.(wallet.publicKey()) as Uint8Array;
    harness.node.mine([payment({ script, satoshis: 1 }, own(5_000))]);
    await wallet.start();
    expect(wallet.balance()).toMatchObject({ tokens: 1, spendable: 5_000 });
    expect(wallet.nonFundingOutputs().map(({ utxo }) => utxo.lockingScript)).toEqual([
      script.length > 1_000 ? wallet.lockingScript() : script,
    ]);
    await expect(wallet.reserve('job', satoshis(5_001), NO_FEE)).rejects.toMatchObject({ code: 'funds-insufficient' });
    harness.node.mine([spending([{ txid: wallet.nonFundingOutputs()[0]?.utxo.txid ?? '', vout: 0 }], other(1))]);
    await expect.poll(() => wallet.balance().tokens).toBe(0);
  });

  it('are not counted where the script asks for more than the key, for nothing could spend them', async () => {
    for (const tail of [[0x00], [0x87], [0x51, 0x87], [0x00, 0x63, 0x51]]) {
      const script = Uint8Array.of(...wallet.lockingScript(), ...tail);
      harness.node.mine([payment({ script, satoshis: 1 }, { script, satoshis: 9_000 }, own(5_000))]);
    }
    await wallet.start();
    expect(wallet.balance()).toMatchObject({ tokens: 0, spendable: 20_000 });
    expect(wallet.nonFundingOutputs()).toEqual([]);
  });

  it('are found by wallets that scanned the chain when they were not seen yet', async () => {
    harness.node.mine([
      payment({ script: INSCRIBED.before?.(wallet.publicKey()) as Uint8Array, satoshis: 1 }, own(5_000)),
    ]);
    await wallet.start();
    await wallet.stop();
    // what such a wallet has stored: the block counts as scanned, and the token is unknown
    const { db } = harness.store;
    await db.deleteFrom('wallet_coins').where('kind', '=', 'token').execute();
    wallet = await opened.open();
    await wallet.start();
    expect(wallet.balance()).toMatchObject({ tokens: 0, spendable: 5_000 });
    await wallet.stop();
    await walletMigrations.find(({ name }) => name === 'wallet-0003-envelope-first')?.up(db);
    wallet = await opened.open();
    await wallet.start();
    expect(wallet.balance()).toMatchObject({ tokens: 1, spendable: 5_000 });
  });
});

type Step =
  | { pay: { kind: string; value: number }[] }
  | { spend: number }
  | { owner: string; total: number }
  | { release: string };

/** Does the steps and holds every choice against what is free by simple bookkeeping. */
async function follow(one: Wallet, steps: readonly Step[]): Promise<void> {
  const script = one.lockingScript();
  const free = new Map<string, { txid: string; vout: number; value: number }>();
  const held = new Map<string, [string, { txid: string; vout: number; value: number }][]>();
  for (const step of steps) {
    if ('pay' in step) {
      const outputs = step.pay.map(({ kind, value }) => {
        if (kind === 'token') return { script, satoshis: 1 };
        const inscribed = INSCRIBED[kind]?.(one.publicKey());
        // one satoshi is what tokens hold; other amounts must not become money either
        if (inscribed) return { script: inscribed, satoshis: kind === 'bare' || value % 2 === 0 ? 1 : value };
        if (kind === 'inscribed') return { script: Uint8Array.of(...script, 0x6a), satoshis: value };
        return { script: kind === 'foreign' ? FOREIGN_SCRIPT : script, satoshis: value };
      });
      const tx = payment(...outputs);
      await one.observe(serializeTx(tx));
      for (const [vout, { kind, value }] of step.pay.entries()) {
        const coin = { txid: txidOf(tx), vout, value };
        if (kind === 'funding') free.set(formatOutpoint(coin), coin);
      }
    } else if ('spend' in step) {
      const [key, coin] = [...free][step.spend % Math.max(1, free.size)] ?? [];
      if (!key || !coin) continue;
      free.delete(key);
      await one.observe(serializeTx(spending([coin], other(1))));
    } else if ('release' in step) {
      await one.release(step.release);
      for (const [key, coin] of held.get(step.release) ?? []) free.set(key, coin);
      held.delete(step.release);
    } else {
      const { owner, total } = step;
      const mine = held.get(owner) ?? [];
      const chosen = await one.reserve(owner, satoshis(total), fee).catch((error: unknown) => {
        expect(error).toMatchObject({ code: 'funds-insufficient' });
        return undefined;
      });
      if (!chosen) continue;
      for (const [key, coin] of mine) free.set(key, coin);
      const taken = chosen.map((coin) => [formatOutpoint(coin), free.get(formatOutpoint(coin))] as const);
      for (const [key, coin] of taken) {
        expect(coin).toBeDefined();
        free.delete(key);
      }
      expect(chosen.reduce((sum, coin) => sum + coin.satoshis, 0)).toBeGreaterThanOrEqual(total + fee(chosen.length));
      held.set(
        owner,
        taken.flatMap(([key, coin]) => (coin ? [[key, coin] as [string, typeof coin]] : [])),
      );
    }
    expect(one.balance().spendable).toBe([...free.values()].reduce((sum, { value }) => sum + value, 0));
  }
}

describe('Wallet.sign', () => {
  let coins: FundingUtxo[];
  beforeEach(async () => {
    fund(10_000, 20_000);
    await wallet.start();
    coins = await wallet.reserve('job', satoshis(25_000), NO_FEE);
  });

  it('signs the coins that were chosen, in the order of the inputs', async () => {
    const unsigned = spending([...coins].reverse(), other(25_000), own(4_900));
    const signed = parseTx(await wallet.sign(serializeTx(unsigned), coins));
    expect(verifyScripts(signed, [...coins].reverse())).toEqual({ ok: true });
    expect({ ...signed, inputs: unsigned.inputs }).toEqual(unsigned);
  });

  it('signs nothing whose fee is above the settings, in satoshis or for its size', async () => {
    const unsigned = serializeTx(spending(coins, other(25_000), own(4_626)));
    const refused = (message: RegExp) =>
      expect(wallet.sign(unsigned, coins)).rejects.toMatchObject({
        code: 'fee-too-high',
        message: expect.stringMatching(message),
      });
    // 374 bytes with the longest signatures
    expect(parseTx(await wallet.sign(unsigned, coins)).inputs).toHaveLength(2);
    harness.settings = { ...harness.settings, maxFeeRate: 997 };
    await refused(/374 satoshis is above 373/);
    harness.settings = { ...harness.settings, maxFeeRate: 1_000, maxFeeSatoshis: 373 };
    await refused(/374 satoshis is above 373/);
  });

  it('signs nothing that spends another coin, or a coin twice, or not all of them', async () => {
    const [first, second] = coins as [FundingUtxo, FundingUtxo];
    const foreignCoin = { ...first, txid: 'ab'.repeat(32) };
    const cases: [Tx, FundingUtxo[], string][] = [
      [spending([first, second, foreignCoin], other(1)), coins, 'not chosen'],
      [spending([first], other(1)), coins, 'does not spend'],
      [spending([first, first], other(1)), coins, 'twice'],
      [spending([first, second], other(1)), [first, first], 'given twice'],
      [spending([first], other(1)), [{ ...first, satoshis: satoshis(9_999) }], 'not 9,999'],
      [
        spending([foreignCoin], other(1)),
        [{ ...foreignCoin, lockingScript: FOREIGN_SCRIPT }],
        'not a coin of this wallet',
      ],
    ];
    for (const [tx, spent, why] of cases) {
      await expect(wallet.sign(serializeTx(tx), spent)).rejects.toMatchObject({
        code: 'review-failed',
        message: expect.stringContaining(why),
      });
    }
    await expect(wallet.sign(new Uint8Array(5), coins)).rejects.toMatchObject({ code: 'invalid-input' });
  });
});
