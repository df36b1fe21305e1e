import { expect, it } from 'vitest';
import { p2pkhScript, satoshis, type Tx } from '../../chain/index.ts';
import type { MinerPolicy, MinerTerms } from '../ports/merchant/merchant.ts';
import { minerLimitsCheck, minerTerms, requireTaken } from './miner-limits.ts';

const cheap = { satoshis: 50, bytes: 1_000 };
const dear = { satoshis: 500, bytes: 1_000 };
const miner = (name: string, policy: MinerPolicy, rate = cheap): MinerTerms => ({
  name,
  standard: rate,
  data: rate,
  policy,
});
const arcade = miner('Arcade', { maxTxBytes: 10_485_760, maxScriptBytes: 500_000 });

/** One output whose script has so many bytes, unsigned. */
function txOf(scriptBytes: number): Tx {
  return {
    version: 1,
    inputs: [{ txid: 'ab'.repeat(32), vout: 0, script: new Uint8Array(0), sequence: 0xffffffff }],
    outputs: [
      { satoshis: satoshis(1), script: new Uint8Array(scriptBytes).fill(0x6a) },
      { satoshis: satoshis(5), script: p2pkhScript(new Uint8Array(20)) },
    ],
    lockTime: 0,
  };
}
const check = (bytes: number, fee: number, ...terms: MinerTerms[]) => minerLimitsCheck(txOf(bytes), fee, terms)[0];

it("the check of miners' limits says nothing where every miner takes the transaction, or none tells", () => {
  expect(check(500_000, 30_000, arcade)).toBeUndefined();
  expect(check(500_001, 30_000)).toBeUndefined();
  expect(check(900_000, 50_000, miner('Silent', {}))).toBeUndefined();
});

it("the check of miners' limits names the miner that takes the transaction where another does not", () => {
  const text = check(500_001, 30_000, arcade, miner('ARC', { maxTxBytes: 100_000_000 }))?.text;
  expect(text).toBe('ARC: takes its 500206 bytes, and its longest script of 500001 bytes. Other miners in use do not.');
  expect(check(500_001, 30_000, arcade, miner('Silent', {}))).toMatchObject({ id: 'miner-limits', passed: true });
});

it("the check of miners' limits fails where none takes the transaction, by its script or its size, and says what to do", () => {
  const script = check(500_001, 30_000, arcade);
  expect(script).toMatchObject({ id: 'miner-limits', passed: false });
  expect(script?.text).toContain('Arcade takes scripts of at most 500000 bytes; the longest one has 500001.');
  expect(script?.text).toContain('Add one that takes more under Miners');
  const size = check(12_000_000, 700_000, arcade, miner('Small', { maxTxBytes: 100_000 }));
  expect(size?.text).toContain('Small takes transactions of at most 100000 bytes');
  expect(size?.text).toContain('Arcade takes transactions of at most 10485760 bytes');
});

it("the check of miners' limits fails where the only miner that takes the transaction asks for more than it pays", () => {
  const large = miner('Large', {}, dear);
  const fee = Math.ceil((500_206 * 50) / 1_000);
  expect(check(500_001, fee, arcade, large)).toMatchObject({ passed: false });
  expect(check(500_001, fee, arcade, large)?.text).toContain('Only Large would take it');
  expect(check(500_001, fee * 10, arcade, large)).toMatchObject({ passed: true });
});

it("the check of miners' limits fails where the fee is below what every miner asks, and names both rates", () => {
  const least = Math.floor(((500_203 + 104) * 50) / 1_000) - 8;
  const text = check(500_000, 100, arcade, miner('Large', {}, dear))?.text;
  expect(text).toMatch(
    /^No miner in use takes its fee of 100 satoshis, 0.2 for 1,?000 bytes[.] Arcade asks least: [0-9,]+ satoshis, 50 for/,
  );
  expect(minerLimitsCheck(txOf(500_000), 100, [arcade], 1)).toMatchObject([
    { id: 'miner-rate', passed: false, sentences: [{ values: { pays: 1, asks: 50, fee: 100 } }] },
  ]);
  expect(check(500_000, least - 50, arcade)).toMatchObject({ id: 'miner-rate', passed: false });
  expect(check(500_000, least + 50, arcade)).toBeUndefined();
  // one of several is enough
  expect(check(500_000, least + 50, miner('Large', {}, dear), arcade)).toBeUndefined();
});

it("the check of miners' limits refuses before signing what nobody takes, with the reason", async () => {
  const terms = async (): Promise<MinerTerms[]> => [arcade];
  await expect(requireTaken(txOf(500_000), 30_000, { terms })).resolves.toBeUndefined();
  await expect(requireTaken(txOf(500_000), 30_000, {})).resolves.toBeUndefined();
  await expect(requireTaken(txOf(500_001), 30_000, { terms })).rejects.toMatchObject({
    id: 'merchant.over-limits',
    message: expect.stringContaining('Arcade takes scripts of at most'),
  });
  await expect(requireTaken(txOf(500_000), 1, { terms })).rejects.toMatchObject({
    id: 'merchant.over-limits',
    message: expect.stringContaining('Arcade asks least'),
  });
});

it("the check of miners' limits takes a miner that does not answer for one that sets no limit", async () => {
  expect(await minerTerms({})).toEqual([]);
  expect(await minerTerms({ terms: () => Promise.reject(new Error('no answer')) })).toEqual([]);
  expect(await minerTerms({ terms: async () => [arcade] })).toEqual([arcade]);
});

it("the check of miners' limits measures a transaction of more outputs than a call takes arguments", () => {
  const tx = txOf(600_000);
  const many = { ...tx, outputs: [...tx.outputs, ...Array(200_000).fill(tx.outputs[1])] };
  expect(minerLimitsCheck(many, 1_000_000, [arcade])[0]?.text).toContain('600000');
});
