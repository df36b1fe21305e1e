import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, fetch } from 'undici';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { HeaderStore } from '../../chain-data/headers/header-store.ts';
import { PublicHeaders } from '../../chain-data/headers/public/public-headers.ts';
import { createPublicChainData } from '../../chain-data/public/public-chain-data.ts';
import { bananaBlocksTransactions } from '../../chain-data/sources/bananablocks/transactions.ts';
import { createSourceClient } from '../../chain-data/sources/http/source-client.ts';
import { PublicSources } from '../../chain-data/sources/public-sources.ts';
import { whatsOnChainTransactions } from '../../chain-data/sources/whatsonchain/transactions.ts';
import { systemClock } from '../../clock.ts';
import { blockTxids } from '../../sandbox/node/storage/chain-store.ts';
import { TestSandbox } from '../../sandbox/test-support/open-sandbox.ts';
import { publicSourcesAt } from '../../test-support/public-sources-at.ts';
import { publicAnswers } from '../test-support/followed-chain.ts';
import { basic, type RunningGateway, startGateway } from '../test-support/gateway.ts';
import { HandClock } from '../test-support/hand-clock.ts';
import { quiet } from '../test-support/upstream.ts';

/** What an operator allows: not quite three a second. */
const INTERVAL_MS = 350;
const CLIENTS = 1_000;

let sandbox: TestSandbox;
let folder: string;
let headers: HeaderStore;
let clock: HandClock;
let gateway: RunningGateway;
/** When each operator was asked. */
let asked: Record<string, number[]>;

beforeAll(async () => {
  sandbox = await TestSandbox.open();
  await sandbox.service.mine({ blocks: 3 });
  folder = mkdtempSync(join(tmpdir(), 'planchet-pacing-'));
  const text = publicSourcesAt(sandbox.root, ['whatsonchain', 'bananablocks']);
  const sources = new PublicSources({ network: 'sandbox', clock: systemClock, text: () => text, joinUrl: () => '' });
  const publicHeaders = new PublicHeaders({ sources, network: 'sandbox', clock: systemClock, isAsked: () => true });
  headers = new HeaderStore({
    network: 'sandbox',
    dataDir: folder,
    sources: (signal) => publicHeaders.until(signal),
    tip: { onTip: () => () => undefined },
    clock: systemClock,
    logger: quiet,
  });
  await headers.refresh();
});
afterAll(async () => {
  await headers.close();
  await sandbox.remove();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  clock = new HandClock();
  asked = { woc: [], bananablocks: [] };
  const client = (operator: string, path: string) =>
    createSourceClient({
      operator,
      baseUrl: `${sandbox.root}${path}`,
      clock,
      minIntervalMs: INTERVAL_MS,
      fetch: (...request) => {
        asked[operator]?.push(clock.time);
        return fetch(...request);
      },
    });
  const operators = [
    whatsOnChainTransactions(client('woc', '/woc/v1/bsv/test')),
    bananaBlocksTransactions(client('bananablocks', '/bananablocks/api/v1')),
  ];
  const chainData = createPublicChainData({
    headers,
    network: 'sandbox',
    clock,
    sources: () => operators,
    onInvalid: ({ name }, reason) => expect.unreachable(`${name}: ${reason}`),
  });
  gateway = await startGateway('', { options: { withoutNode: publicAnswers({ headers, clock, chainData }) } });
});
afterEach(() => gateway.stop());

const idOf = (n: number): string => n.toString(16).padStart(64, '0');
/** More new connections at a time are for nobody: the gateway lets no more wait for their credential. */
const connections = new Agent({ connections: 400 });
afterAll(() => connections.close());

async function call(params: unknown[], method = 'getrawtransaction', authorization = basic('planchet:secret')) {
  const answer = await fetch(gateway.address, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ method, params, id: 1 }),
    dispatcher: connections,
  });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

/** Moves the clock until what was sent is answered. */
async function pass<T>(answers: Promise<T>): Promise<T> {
  let isDone = false;
  const done = answers.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await clock.pass(INTERVAL_MS);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  return done;
}

function expectPaced(): void {
  for (const times of Object.values(asked))
    for (const [index, at] of times.entries())
      if (index > 0) expect(at - (times[index - 1] as number)).toBeGreaterThanOrEqual(INTERVAL_MS);
}

it('the gateway without a node asks no operator more often than it allows, however many clients ask at once, and tells the others when to come back', async () => {
  const coinbase = (await sandbox.service.node.transaction(await coinbaseOf())) as { raw: Uint8Array };
  const crowd = Promise.all(Array.from({ length: CLIENTS }, (_, n) => call([idOf(n + 1)])));
  await expect.poll(() => asked.woc?.length, { timeout: 20_000 }).toBeGreaterThan(0);
  // another one, who is no part of the crowd
  const cookie = readFileSync(join(gateway.dataDir, '.cookie'), 'utf8');
  const other = call([await coinbaseOf()], 'getrawtransaction', basic(cookie));
  const [answer, answers] = await pass(Promise.all([other, crowd]));
  expect(JSON.parse(answer.text).result).toBe(Buffer.from(coinbase.raw).toString('hex'));
  expectPaced();
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(CLIENTS / 2);
  for (const { headers: told, text } of refused) {
    expect(Number(told.get('retry-after'))).toBeGreaterThan(9);
    expect(JSON.parse(text)).toMatchObject({
      result: null,
      error: { code: -1, message: expect.stringMatching(/Try again in/) },
      id: 1,
    });
  }
  // whoever waited was told that two operators know of no such transaction
  const answered = answers.filter(({ status }) => status === 500);
  expect(answered.length).toBe(CLIENTS - refused.length);
  for (const { text } of answered) expect(JSON.parse(text).error.code).toBe(-5);
});

it('the gateway without a node tells of each call what it waits for, until it is answered', async () => {
  const { hash } = sandbox.service.node.tip();
  const listed = async () => (await gateway.service.status()).underWay;
  // each operator answers the first at once
  await call([idOf(1)]);
  const second = call([idOf(2)]);
  await expect.poll(async () => (await listed()).total).toBe(1);
  const answers = Promise.all([second, call([hash, 2], 'getblock')]);
  await expect.poll(async () => (await listed()).total).toBe(2);
  const { calls } = await listed();
  expect(calls.map(({ caller, method, waiting }) => [caller, method, waiting])).toEqual([
    ['planchet', 'getrawtransaction', { before: 0, milliseconds: INTERVAL_MS }],
    ['planchet', 'getblock', { before: 1, milliseconds: 2 * INTERVAL_MS }],
  ]);
  await pass(answers);
  await expect.poll(() => listed()).toEqual({ calls: [], total: 0 });
});

it('the gateway without a node asks once for what many clients ask', async () => {
  const txid = await coinbaseOf();
  const answers = await pass(Promise.all(Array.from({ length: 200 }, () => call([txid]))));
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect(answers[0]?.status).toBe(200);
  // its bytes; and its block, so that it is kept from now on
  expect(asked.woc?.length).toBeLessThanOrEqual(4);
  const before = asked.woc?.length;
  expect((await call([txid])).headers.get('planchet-basis')).toBe('proven');
  expect(asked.woc?.length).toBe(before);
});

it('the gateway without a node reads headers once for a thousand made-up hashes', async () => {
  const refresh = vi.spyOn(headers, 'refresh');
  const answers = await Promise.all(Array.from({ length: CLIENTS }, (_, n) => call([idOf(n + 1)], 'getblockheader')));
  expect(new Set(answers.map(({ text }) => JSON.parse(text).error.code))).toEqual(new Set([-5]));
  expect(refresh.mock.calls.length).toBe(1);
  await clock.pass(5_000);
  await call([idOf(1)], 'getblockheader');
  await call([idOf(5_000)], 'getblockheader');
  expect(refresh.mock.calls.length).toBe(2);
  refresh.mockRestore();
});

async function coinbaseOf(): Promise<string> {
  const { db } = sandbox.service.node;
  const { hash } = sandbox.service.node.tip();
  return (await blockTxids(db, hash))[0] as string;
}
