import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hash160, parseTx, toHex, txidOf } from '../../../chain/index.ts';
import type { SandboxFault } from '../../../contract/index.ts';
import { systemClock } from '../../clock.ts';
import type { ChainData } from '../../ports/chain-data.ts';
import { ownScript, spend } from '../../sandbox/test-support/merchant.ts';
import { publicKeyOf, TestSandbox, walletKey } from '../../sandbox/test-support/open-sandbox.ts';
import { publicSourcesAt } from '../../test-support/public-sources-at.ts';
import { seededRandom } from '../../test-support/seeded-random.ts';
import { HeaderStore } from '../headers/header-store.ts';
import { PublicHeaders } from '../headers/public/public-headers.ts';
import { PublicSources } from '../sources/public-sources.ts';
import { createPublicChainData } from './public-chain-data.ts';
import { transactionSources } from './transaction-sources.ts';

const KEY = toHex(hash160(publicKeyOf(walletKey)));
const silent = pino({ level: 'silent' });
const operators = { woc: 'whatsonchain', bananablocks: 'bananablocks' } as const;
type Area = keyof typeof operators;
const areas = Object.keys(operators) as Area[];

/** Lies about transactions and headers, and what is no answer. Those of the first list are named wherever they are told. */
const named = ['other-bytes', 'other-block', 'inner-node', 'forged-headers'] as const;
const unnamed = [
  'denied-spend',
  'invented-rows',
  'wrong-amount',
  'stale-proof',
  'hidden-rows',
  'headers-fork',
] as const;
const outages = ['html-answer', 'half-answer', 'http-error', 'drop-connection', 'endless-body'] as const;
const lies: readonly SandboxFault['name'][] = [...named, ...unnamed];

let sandbox: TestSandbox;
let folder: string;
let headers: HeaderStore;
let chain: ChainData;
/** Who was named since it was cleared. */
let blamed: string[];
/** Milliseconds since 1970. */
let now = 1_790_000_000_000;

beforeAll(async () => {
  sandbox = await TestSandbox.open();
  folder = mkdtempSync(join(tmpdir(), 'planchet-lies-'));
  await sandbox.service.mine({ blocks: 1 });
  open();
});
afterAll(async () => {
  await headers.close();
  await sandbox.remove();
  rmSync(folder, { recursive: true, force: true });
});

/** As after a start of the program: nothing is known but the stored headers. */
function open(): void {
  blamed = [];
  const text = publicSourcesAt(sandbox.root, ['whatsonchain', 'bananablocks']);
  const sources = new PublicSources({ network: 'private', clock: systemClock, text: () => text, joinUrl: () => '' });
  const source = new PublicHeaders({ sources, network: 'private', clock: systemClock, isAsked: () => true });
  headers = new HeaderStore({
    network: 'private',
    dataDir: folder,
    sources: (signal) => source.until(signal),
    tip: source,
    clock: systemClock,
    logger: silent,
  });
  chain = createPublicChainData({
    headers,
    network: 'private',
    clock: { now: () => now },
    sources: () => transactionSources(sources),
    onInvalid: ({ name }) => void blamed.push(name),
  });
}

const play = (name: SandboxFault['name'], area: Area): void =>
  void sandbox.service.faults.set({ name, area, value: name === 'http-error' ? 503 : 0, times: null });

/** What nobody answered is no answer. */
async function answered<T>(question: Promise<T>): Promise<T | undefined> {
  return question.catch((error: { id?: string }) => {
    if (error.id === 'chain.sources-unavailable') return undefined;
    throw error;
  });
}

/** What the node knows of an output. */
async function truthOf(txid: string, vout: number): Promise<{ spent: boolean; satoshis: number } | undefined> {
  const { node } = sandbox.service;
  const raw = (await node.transaction(txid))?.raw;
  const output = raw && parseTx(raw).outputs[vout];
  if (output === undefined) return undefined;
  return { spent: (await node.spenders([`${txid}_${vout}`])).size > 0, satoshis: Number(output.satoshis) };
}

/** Asks as a wallet does, and holds every answer that it would show against the node. @returns how many were held */
async function askAll(outpoints: readonly { txid: string; vout: number }[]): Promise<number> {
  const { node } = sandbox.service;
  let asked = 0;
  const { value: history } = (await answered(chain.history([KEY]))) ?? {};
  const mined = [...(history?.mined ?? [])].sort((a, b) => b.height - a.height);
  const rows = [...mined.slice(0, 4), ...(history?.waiting.slice(-2).map((txid) => ({ txid })) ?? [])];
  for (const { txid } of rows) {
    const found = await answered(chain.placed(txid));
    asked += 1;
    if (found?.value === undefined) continue;
    const truth = await node.transaction(txid);
    expect(toHex(found.value.raw)).toBe(truth && toHex(truth.raw));
    if (found.basis !== 'proven') continue;
    const { block } = found.value;
    // where nobody tells of a reorganisation, the block before it is shown
    if (block?.hash !== truth?.blockHash) expect(headers.tip?.hash).not.toBe(node.tip().hash);
  }
  for (const { txid, vout } of outpoints) {
    const found = await answered(chain.output({ txid, vout }));
    asked += 1;
    if (found?.value === undefined) continue;
    const truth = await truthOf(txid, vout);
    expect(truth).toBeDefined();
    if (found.value.state === 'spent') expect(truth?.spent).toBe(true);
    else if (found.value.state === 'unspent') {
      expect(Number(found.value.output?.satoshis)).toBe(truth?.satoshis);
      expect(toHex(found.value.output?.script ?? new Uint8Array())).toBe(toHex(ownScript));
      // one alone tells it and is shown as that; two agree on nothing that is false
      if (found.basis === 'agreed') expect(truth?.spent).toBe(false);
    }
  }
  return asked;
}

/** With the lies ended and a new block, everything is as the node has it, two operators agreeing. */
async function expectTruth(outpoints: readonly { txid: string; vout: number }[]): Promise<void> {
  const { node } = sandbox.service;
  sandbox.service.faults.clear({});
  await sandbox.service.mine({ blocks: 1 });
  now += 700_000;
  await headers.refresh();
  expect(headers.tip?.hash).toBe(node.tip().hash);
  expect(headers.isAgreed).toBe(true);
  const { basis, value } = await chain.history([KEY]);
  expect(basis).toBe('agreed');
  const mined = new Map(value?.mined.map(({ txid, height }) => [txid, height]));
  for (const outpoint of outpoints) {
    const truth = await truthOf(outpoint.txid, outpoint.vout);
    const found = await chain.output(outpoint);
    if (truth === undefined || truth.spent) expect(found).toEqual({ basis: 'unknown' });
    else {
      const confirmations = node.tip().height + 1 - Number((await node.transaction(outpoint.txid))?.blockHeight);
      expect(found).toMatchObject({ basis: 'agreed', value: { state: 'unspent', confirmations } });
      expect(mined.get(outpoint.txid)).toBe(node.tip().height + 1 - confirmations);
    }
  }
}

async function send(outpoint?: { txid: string; vout: number; satoshis: number }): Promise<Uint8Array> {
  const raw = spend(outpoint ?? (await sandbox.coin()));
  await sandbox.service.node.submit(raw);
  return raw;
}

const coinOf = (raw: Uint8Array) => ({
  txid: txidOf(raw),
  vout: 0,
  satoshis: Number(parseTx(raw).outputs[0]?.satoshis),
});

/** One operator in `npm test`, where the lies in any order below are told by either. */
describe.each(areas.slice(0, process.env.PLANCHET_LONG ? 2 : 1))('%s, which lies alone,', (area) => {
  it.each(named)('is named for %s, and what is shown is true', async (lie) => {
    const raw = await send();
    await sandbox.service.mine({ blocks: 1 });
    await headers.refresh();
    await headers.close();
    open();
    await headers.refresh();
    play(lie, area);
    // the other one is away for a moment, so that this one is asked
    const other = areas.find((one) => one !== area) as Area;
    play('http-error', other);
    await headers.refresh();
    await askAll([coinOf(raw)]);
    sandbox.service.faults.clear({ name: 'http-error' });
    await headers.refresh();
    await askAll([coinOf(raw)]);
    const refused = headers.status().sources.filter((source) => source.refused > 0);
    expect(new Set([...blamed, ...refused.map(({ name }) => name)])).toEqual(new Set([operators[area]]));
    await expectTruth([coinOf(raw)]);
  });

  it('is named where it denies a spend that is mined', async () => {
    const raw = await send();
    await send(coinOf(raw));
    await sandbox.service.mine({ blocks: 1 });
    await headers.refresh();
    blamed = [];
    play('denied-spend', area);
    expect(await chain.output(coinOf(raw))).toEqual({ basis: 'unknown' });
    expect(blamed).toEqual([operators[area]]);
  });

  it('is named where it leaves out a payment that every index has by now', async () => {
    const raw = await send();
    await sandbox.service.mine({ blocks: 8 });
    await headers.refresh();
    await chain.history([KEY]);
    await chain.placed(txidOf(raw));
    blamed = [];
    await headers.close();
    open();
    await headers.refresh();
    await chain.history([KEY]);
    await chain.placed(txidOf(raw));
    expect(blamed).toEqual([]);
    play('hidden-rows', area);
    // the other one is away, so that this one is asked, and what the other told before stays
    play('http-error', areas.find((one) => one !== area) as Area);
    const { value } = await chain.history([KEY]);
    expect(blamed).toEqual([operators[area]]);
    expect(value?.mined.map(({ txid }) => txid)).toContain(txidOf(raw));
    await chain.history([KEY]);
    expect(blamed).toHaveLength(1);
    await expectTruth([coinOf(raw)]);
  });

  it('is named where it lists in an old block what it does not have', async () => {
    await sandbox.service.mine({ blocks: 12 });
    await headers.refresh();
    blamed = [];
    play('invented-rows', area);
    play('http-error', areas.find((one) => one !== area) as Area);
    const { value } = await chain.history([KEY]);
    const known = await Promise.all(
      (value?.mined ?? []).map(async ({ txid }) => [
        txid,
        (await sandbox.service.node.transaction(txid)) !== undefined,
      ]),
    );
    const [invented] = known.find(([, isKnown]) => !isKnown) as [string, boolean];
    expect((await chain.transaction(invented)).value).toBeUndefined();
    expect(blamed).toEqual([operators[area]]);
    sandbox.service.faults.clear({});
  });

  it.each(unnamed)('makes nothing false by %s', async (lie) => {
    const raw = await send();
    await sandbox.service.mine({ blocks: 1 });
    await headers.refresh();
    await askAll([coinOf(raw)]);
    play(lie, area);
    const next = await send(coinOf(raw));
    await sandbox.service.reorg({ depth: 1 });
    now += 700_000;
    await headers.refresh();
    await askAll([coinOf(raw), coinOf(next)]);
    await expectTruth([coinOf(raw), coinOf(next)]);
  });
});

const SEED = Number(process.env.PLANCHET_SEED ?? 29);
/** What is shown and held against the node, until so many. */
const ANSWERS = Number(process.env.PLANCHET_LIES ?? (process.env.PLANCHET_LONG ? 100_000 : 25));

describe('lies, outages, reorganisations and restarts in any order', () => {
  it('show nothing false, name no honest service, and leave nothing behind', { timeout: 7_200_000 }, async () => {
    const random = seededRandom(SEED);
    const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
    let coins = [coinOf(await send())];
    let held = 0;
    for (let round = 1; held < ANSWERS; round++) {
      if (random() < 0.5) coins.push(coinOf(await send()));
      const coin = pick(coins);
      if (random() < 0.5 && (await truthOf(coin.txid, coin.vout))?.spent === false)
        coins.push(coinOf(await send(coin)));
      if (random() < 0.6) await sandbox.service.mine({ blocks: 1 });
      if (random() < 0.15) await sandbox.service.reorg({ depth: 1 + Math.floor(random() * 2) });
      sandbox.service.faults.clear({});
      const liar = pick(areas);
      for (let count = 0; count < 1 + random() * 3; count++) play(pick(lies), liar);
      if (random() < 0.3) play(pick(outages), pick(areas));
      now += 700_000;
      await headers.refresh();
      if (random() < 0.1) {
        // ends in the middle of what it reads
        const reading = headers.refresh();
        await headers.close();
        await reading;
        open();
        await headers.refresh();
      }
      blamed = [];
      held += await askAll([...coins.slice(-3), { txid: 'ab'.repeat(32), vout: 0 }]);
      expect(blamed.filter((name) => name !== operators[liar])).toEqual([]);
      if (round % 10 === 0) {
        coins = coins.slice(-6);
        await expectTruth(coins);
      }
    }
    await expectTruth(coins.slice(-6));
    if (ANSWERS > 50) process.stdout.write(`seed ${SEED}: ${held} answers\n`);
  });

  it('ends where two operators tell the same lie: that is the limit, and all that is shown of it is that two say so', async () => {
    const raw = await send();
    const next = await send(coinOf(raw));
    await sandbox.service.mine({ blocks: 1 });
    await headers.refresh();
    sandbox.service.faults.set({ name: 'denied-spend', area: 'all', value: 0, times: null });
    expect(await chain.output(coinOf(raw))).toMatchObject({ basis: 'agreed', value: { state: 'unspent' } });
    // bytes, blocks and amounts are true whoever lies
    sandbox.service.faults.set({ name: 'other-bytes', area: 'all', value: 0, times: null });
    await expect(chain.placed(txidOf(next))).rejects.toMatchObject({ id: 'chain.sources-unavailable' });
    await expectTruth([coinOf(raw), coinOf(next)]);
  });
});
