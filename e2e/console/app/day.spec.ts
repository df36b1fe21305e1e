import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { test as base, type Page } from '@playwright/test';
import { ClientProcess } from '../../../bench/support/client-process.ts';
import type { DayResult, DayTask } from '../../../bench/support/load/day-load.ts';
import { launch } from '../../../scripts/launch.ts';
import { BlockScan } from '../../support/day/block-scan.ts';
import { MemorySamples } from '../../support/day/memory-samples.ts';
import { expect } from '../../support/fixtures.ts';
import { type RunningHost, startHost } from '../../support/host.ts';
import { inputDelays, watchInputs } from '../../support/input-delay.ts';
import { openHost } from '../../support/open.ts';
import { createCollection } from '../../support/scenes/content.ts';

/**
 * The length of a simulated day: `npm test` runs a part. Variables make the long run smaller on a machine with other load:
 * `PLANCHET_DAY_SECONDS`, `PLANCHET_DAY_CALLS`, `PLANCHET_DAY_DOCUMENTS` (both per second) and `PLANCHET_DAY_ITEMS`.
 */
const long = process.env.PLANCHET_LONG === '1';
const LOAD_MS = 1_000 * size('SECONDS', 4, 240);
const CALLS_A_SECOND = size('CALLS', 100, 2_000);
const DOCUMENTS_A_SECOND = size('DOCUMENTS', 10, 200);
const ITEMS = size('ITEMS', 6, 1_000);
/** Length of an interval with one failure and recovery of the node and one replaced block. */
const TROUBLE_MS = LOAD_MS / 5;
const OUTAGE_MS = TROUBLE_MS / 5;
const RETRY_MS = 200;
/** Fractions of the load after which the host is restarted, and after which its memory is measured. */
const RESTART_AT = 0.25;
const WARM_AT = 0.5;
const MOST_DELAY_MS = 100;
/** How much the memory of the host may grow from then to the end, by linear regression. */
const MOST_GROWTH = 0.1;

function size(name: string, slice: number, whole: number): number {
  return long ? Number(process.env[`PLANCHET_DAY_${name}`] ?? whole) : slice;
}

interface Day {
  host: RunningHost;
  /** End of the failures. */
  readonly end: AbortController;
}

/** Repeatedly lets the node fail for a while and replaces the newest block. */
async function makeTrouble(day: Day): Promise<void> {
  while (!day.end.signal.aborted) {
    await pause(TROUBLE_MS / 2, undefined, { signal: day.end.signal }).catch(() => undefined);
    // Requests fail while the host is restarting.
    try {
      const { sandbox } = day.host.client();
      await sandbox.faults.set({ name: 'http-error', value: 503, area: 'rpc' });
      await pause(OUTAGE_MS);
      await sandbox.faults.clear({});
      await sandbox.reorg({ depth: 1 });
    } catch {
      await pause(RETRY_MS);
    }
  }
}

/** A person who opens one view after the other meanwhile. */
async function lookAround(page: Page): Promise<number[]> {
  for (const name of ['Projects', 'Tokens', 'Wallet', 'Transactions', 'Gateway', 'Data writer', 'Mint jobs'])
    await page
      .getByRole('navigation')
      .first()
      .getByRole('link', { name: new RegExp(`^${name}`) })
      .click();
  return inputDelays(page);
}

/** Every block of the main chain, parsed from its bytes only. */
async function scan(host: RunningHost): Promise<BlockScan> {
  const { node } = host.client();
  const { result: height } = await node.call({ method: 'getblockcount', params: [] });
  const blocks = new BlockScan();
  for (let at = 0; at <= Number(height); at++) {
    const { result: hash } = await node.call({ method: 'getblockhash', params: [at] });
    const { result: raw } = await node.call({ method: 'getblock', params: [hash, 0] });
    blocks.add(String(raw));
  }
  return blocks;
}

async function statesOf(host: RunningHost): Promise<Map<string, string>> {
  const states = new Map<string, string>();
  const { writer } = host.client();
  let cursor: string | undefined;
  do {
    const page = await writer.documents.list({ tag: 'day', limit: 1_000, ...(cursor === undefined ? {} : { cursor }) });
    for (const { id, state } of page.documents) states.set(id, state);
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
  return states;
}

/** Waits as long as the number decreases, since the time depends on the machine. */
async function expectAllProven({ writer }: ReturnType<RunningHost['client']>): Promise<void> {
  const open = async (): Promise<number> => {
    const { proven: _, ...others } = (await writer.status()).states;
    return Object.values(others).reduce((sum, count) => sum + count, 0);
  };
  for (let left = await open(); left > 0; left = await open())
    await expect.poll(open, { timeout: 120_000, intervals: [500] }).toBeLessThan(left);
}

/** Settings with the addresses of the earlier host, so that programs find the next one. */
function portsOf({ ready }: RunningHost): Record<string, string> {
  const at = (url: string): string => new URL(url).host;
  return { consoleAddress: at(ready.console), rpcBind: at(ready.rpc), writerBind: at(ready.writer) };
}

base(
  'a day: a mint, calls, documents, reorganisations, outages and a restart, and nothing is lost',
  async ({ page }) => {
    base.setTimeout(LOAD_MS + 600_000);
    base.skip(process.platform !== 'linux', 'reads the memory of a process as Linux tells it');
    const dataDir = mkdtempSync(join(tmpdir(), 'planchet-day-'));
    const options = { dataDir, ...launch };
    const set = {
      'sandbox.mineOnArrival': '1s',
      'sandbox.monthlyMintLimit': '100000',
      writerDailySpend: '1000000000000',
    };
    const day: Day = { host: await startHost({ ...options, filled: true, set }), end: new AbortController() };
    let load: ClientProcess | undefined;
    try {
      const uid = await createCollection(day.host.client(), 'A day', ITEMS, 1);
      await watchInputs(page);
      await openHost(page, day.host);
      await page.goto(`${day.host.ready.console}/#/projects/${uid}/mint`);
      await page.getByRole('button', { name: /^Approve and mint for/ }).click();
      // If the host restarted before the approval arrived, the run would wait for it.
      await expect(page.getByRole('heading', { name: 'Mint of A day', level: 1 })).toBeVisible();
      const { rpc, rpcCookieFile, writer, sandboxApiKey: apiKey } = day.host.ready;
      const rates = { callsPerSecond: CALLS_A_SECOND, documentsPerSecond: DOCUMENTS_A_SECOND };
      const task: DayTask = { rpc, rpcCookieFile, writer, apiKey, ...rates };
      load = await ClientProcess.start('load/day-load.ts', task);
      const trouble = makeTrouble(day);
      const delays: number[] = [];
      const began = Date.now();
      const lookUntil = async (part: number): Promise<void> => {
        do delays.push(...(await lookAround(page)));
        while (Date.now() - began < LOAD_MS * part);
      };
      await lookUntil(RESTART_AT);
      const ports = portsOf(day.host);
      await day.host.stop();
      day.host = await startHost({ ...options, set: { ...set, ...ports } });
      await openHost(page, day.host);
      await lookUntil(WARM_AT);
      const memory = new MemorySamples(day.host.process.pid);
      await lookUntil(1);
      const { from, to, highest } = memory.end();
      day.end.abort();
      await trouble;
      const { calls, documents } = (await load.ask('end')) as DayResult;
      const client = day.host.client();
      await client.sandbox.faults.clear({});

      delays.sort((a, b) => a - b);
      const p95 = delays[Math.floor(delays.length * 0.95)] ?? 0;
      const figures = [
        `calls answered: ${calls.perSecond} in the middle second, ${calls.answered} in all`,
        `(${calls.refused} refused, ${calls.lost} lost, ${calls.late} late)`,
        `input delay p95 ${p95} ms of ${delays.length} inputs`,
        `memory ${from.toFixed(0)} to ${to.toFixed(0)} MB, highest ${highest.toFixed(0)} MB`,
      ].join('; ');
      base.info().annotations.push({ type: 'figures', description: figures });
      if (long) console.log(figures);

      const state = async (): Promise<string> => (await client.runs.list({ limit: 1 })).runs[0]?.state ?? 'none';
      await expect.poll(state, { timeout: 240_000 }).toBe('done');
      await client.sandbox.mine({ blocks: 1 });
      await expectAllProven(client);
      const states = await statesOf(day.host);
      expect(Object.values(documents).filter((id) => states.get(id) !== 'proven')).toEqual([]);

      const blocks = await scan(day.host);
      /** The documents that are missing on the chain or on it more than once, with their number. */
      const notOnce = (sought: readonly { name: string; sha256: string }[]): string[] =>
        sought.flatMap(({ name, sha256 }) => (blocks.times(sha256) === 1 ? [] : [`${name}: ${blocks.times(sha256)}`]));
      const digest = (body: string): string => createHash('sha256').update(body).digest('hex');
      expect(notOnce(Object.keys(documents).map((name) => ({ name, sha256: digest(name) })))).toEqual([]);
      const items = await client.items.list({ projectUid: uid });
      expect(items).toHaveLength(ITEMS + 1);
      expect(notOnce(items.map(({ file }) => file))).toEqual([]);
      expect(items.filter(({ outpoint }) => !blocks.txids.has(String(outpoint).slice(0, 64)))).toEqual([]);

      if (!long) return;
      const counted = `${Object.keys(documents).length} documents and ${items.length} items`;
      console.log(`${counted}, each once in the ${blocks.txids.size} transactions of the chain`);
      // Other load on the machine delays every input. Only the long run is measured without other load.
      expect.soft(p95).toBeLessThanOrEqual(MOST_DELAY_MS);
      expect.soft(to).toBeLessThan(from * (1 + MOST_GROWTH));
      expect.soft(calls.perSecond).toBeGreaterThan(CALLS_A_SECOND * 0.9);
    } finally {
      day.end.abort();
      load?.end();
      await day.host.stop();
      rmSync(dataDir, { recursive: true, force: true });
    }
  },
);
