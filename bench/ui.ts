import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium, type Locator, type Page } from '@playwright/test';
import Database from 'better-sqlite3';
import sharp from 'sharp';
import { launchOptions } from '../e2e/support/browser.ts';
import { type RunningHost, startHost } from '../e2e/support/host.ts';
import { openHost } from '../e2e/support/open.ts';
import { buildIfStale } from '../scripts/build.ts';
import { launch } from '../scripts/launch.ts';
import { runCommand } from '../src/main/test-support/hosts/command-line.ts';
import type { Report } from './report.ts';
import { inputDelay, type Start, scrollFrames, startOf, watchPage } from './support/page-watch.ts';

const ITEMS = Number(process.env.BENCH_ITEMS ?? 10_000);
const MONEY = 200_000_000;
const STARTS = 5;
/** How long a host is left alone before it is measured, and how long it is measured. */
const CALM_MS = 15_000;
const IDLE_MS = 60_000;
/** Linux counts processor time in hundredths of a second. */
const TICKS_A_SECOND = 100;

/** The built page in Chromium against a host with its sandbox: how it starts, and how it answers to a person with many things in it. */
export async function run(report: Report): Promise<void> {
  buildIfStale();
  const folder = mkdtempSync(join(tmpdir(), 'planchet-bench-ui-'));
  const host = await startHost({
    dataDir: join(folder, 'data'),
    set: { 'sandbox.monthlyMintLimit': '1000000' },
    ...launch,
  });
  const browser = await chromium.launch(launchOptions());
  try {
    await measureIdle(report, host, browser);
    await measureStart(report, host, browser);
    await fill(host, folder);
    await measureInputs(report, host, browser);
  } finally {
    await browser.close();
    await host.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Alone, and while somebody has the page open. */
async function measureIdle(report: Report, host: RunningHost, browser: Browser): Promise<void> {
  const { pid } = host.process;
  const cpuSeconds = (): number => {
    const [, rest = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
    const fields = rest.split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
  };
  const memory = (): number =>
    Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_000;
  const measure = async (name: string): Promise<void> => {
    await pause(CALM_MS);
    const before = cpuSeconds();
    await pause(IDLE_MS);
    report(name, ((cpuSeconds() - before) / (IDLE_MS / 1_000)) * 100, '% of a core', 'at most 1');
    report('  memory of it', memory(), 'MB', 'at most 200');
  };
  await measure('host with its sandbox, idle');
  const page = await browser.newPage();
  await openHost(page, host);
  await measure('host with its sandbox, idle, the page open');
  await page.close();
}

async function measureStart(report: Report, host: RunningHost, browser: Browser): Promise<void> {
  const starts: Start[] = [];
  for (let n = 0; n < STARTS; n++) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    const page = await context.newPage();
    // The one-time link leads on to the page; its start counts from there.
    await openHost(page, host);
    const fresh = await context.newPage();
    const session = await context.newCDPSession(fresh);
    await session.send('Network.clearBrowserCache');
    await watchPage(fresh);
    await fresh.goto(`${host.ready.console}/`);
    starts.push(await startOf(fresh));
    await context.close();
  }
  const median = (name: keyof Start): number =>
    starts.map((start) => start[name]).sort((a, b) => a - b)[STARTS >> 1] as number;
  report('script that the page starts with, compressed', median('firstScript') / 1_000, 'kB', 'at most 250');
  report('script until the dashboard is there, compressed', median('allScript') / 1_000, 'kB');
  report(`first paint (median of ${STARTS}, nothing cached)`, median('firstPaint'), 'ms', 'at most 300');
  report('the dashboard with its content', median('usable'), 'ms', 'at most 800');
  report('longest task meanwhile, 0: none over 50 ms', median('longestTask'), 'ms', 'at most 50');
}

/** A collection of small pictures, minted, and as many transactions in the list and calls in the traffic. */
async function fill(host: RunningHost, folder: string): Promise<void> {
  const art = join(folder, 'Ten thousand');
  mkdirSync(art);
  const rows = ['file,name,Shade'];
  for (let n = 1; n <= ITEMS; n++) {
    const background = { r: n & 255, g: (n >> 4) & 255, b: (n >> 8) * 6 };
    const picture = await sharp({ create: { width: 8, height: 8, channels: 3, background } })
      .png()
      .toBuffer();
    writeFileSync(join(art, `${n}.png`), Buffer.concat([picture, Buffer.from(String(n))]));
    rows.push(`${n}.png,Shade ${n},${['Light', 'Dark', 'Warm', 'Cold'][n % 4]}`);
  }
  writeFileSync(join(folder, 'table.csv'), rows.join('\n'));
  const { address } = await host.client().wallet.status();
  await planchet(folder, 'sandbox', 'fund', address ?? '', String(MONEY));
  await planchet(folder, 'sandbox', 'mine', '1');
  await planchet(folder, 'import', art, '--project', 'Ten thousand', '--table', join(folder, 'table.csv'));
  await planchet(folder, 'mint', '--project', 'Ten thousand', '--wait', 'submitted');
  await planchet(folder, 'sandbox', 'mine', '1');
  trackTransactions(join(folder, 'data'));
  const authorization = `Basic ${Buffer.from(readFileSync(host.ready.rpcCookieFile, 'utf8').trim()).toString('base64')}`;
  const call = async (): Promise<void> => {
    for (let n = 0; n < ITEMS / 10; n++) {
      const body = JSON.stringify({
        id: n,
        method: n % 7 === 0 ? 'getblockhash' : 'getblockcount',
        params: n % 7 === 0 ? [n % 50] : [],
      });
      await (await fetch(host.ready.rpc, { method: 'POST', headers: { authorization }, body })).arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: 10 }, call));
}

/** Settled transactions like the first one of the list, beside the host. */
function trackTransactions(dataDir: string): void {
  const database = new Database(join(dataDir, 'sandbox', 'transactions.db'));
  database.exec(`with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${ITEMS})
    insert into transactions (txid, bytes, state, origin, label, fee, created_at, updated_at, block_hash, block_height, answers, attempts)
    select printf('%064x', n), bytes, state, origin, label, fee, created_at, updated_at, block_hash, block_height, answers, attempts
    from numbers, (select * from transactions order by id limit 1)`);
  database.close();
}

async function measureInputs(report: Report, host: RunningHost, browser: Browser): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await watchPage(page);
  await openHost(page, host);
  const origin = new URL(page.url()).origin;
  const projects = await host.client().projects.list();
  const uid = projects.find(({ name }) => name === 'Ten thousand')?.uid;
  const open = async (path: string): Promise<void> => {
    await page.goto(`${origin}/#${path}`);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
  };
  const tell = async (name: string, act: () => Promise<unknown>): Promise<void> => {
    report(`${ITEMS.toLocaleString('en')} ${name}`, await inputDelay(page, act), 'ms', 'at most 100');
  };
  const tellFrames = async (name: string, list: Locator): Promise<void> => {
    const { p95, late } = await scrollFrames(page, list);
    const what = `${ITEMS.toLocaleString('en')} ${name}: scrolling`;
    report(`${what}, 95 of 100 frames`, p95, 'ms', 'at most 16.7');
    report(`${what}, frames over 16.7 ms`, late, '%');
  };
  await open(`/projects/${uid}`);
  await page.getByText('Shade 2', { exact: true }).first().waitFor();
  await tellFrames('items in the gallery', page.getByRole('region', { name: /Items|Ten thousand/ }).last());
  await tell('items in the gallery: typing a filter', () => type(page, /^Names, files/, 'shade 99'));
  await tell('items in the gallery: a click on the table', () =>
    page.locator('label').filter({ hasText: 'Table' }).click(),
  );
  await page.getByRole('grid').first().waitFor();
  await page.getByPlaceholder(/^Names, files/).fill('');
  await page.locator(`[aria-rowcount="${ITEMS + 2}"]`).waitFor();
  await tellFrames('items in the table', page.getByRole('row').nth(3));
  await tell('items in the table: sorting', () => page.getByRole('columnheader').nth(1).click());
  await open('/tokens');
  await page.getByRole('option').first().waitFor();
  await tellFrames('tokens', page.getByRole('listbox').last());
  await tell('tokens: typing a filter', () => type(page, /^Find by name/, 'shade 99'));
  await tell('tokens: opening one', () => page.getByRole('option').first().click());
  await open('/transactions');
  await page.getByRole('row').nth(3).waitFor();
  await tellFrames('items, the list of transactions', page.getByRole('row').nth(3));
  await tell('items, the list of transactions: typing a filter', () => type(page, /Txid|label/i, 'ab'));
  await open('/gateway/traffic');
  await page.getByRole('row').nth(3).waitFor();
  await tellFrames('calls in the traffic', page.getByRole('row').nth(3));
  await tell('calls in the traffic: typing a filter', () => type(page, /Filter calls|Search/i, 'block'));
}

async function type(page: Page, name: RegExp, text: string): Promise<void> {
  const field = page.getByRole('main').getByRole('textbox', { name }).or(page.getByRole('main').getByPlaceholder(name));
  await field.first().click();
  await page.keyboard.type(text, { delay: 30 });
}

async function planchet(folder: string, ...args: string[]): Promise<void> {
  const { code, err } = await runCommand(['--data-dir', join(folder, 'data'), '--json', ...args]);
  if (code !== 0) throw new Error(`planchet ${args.join(' ')}: ${err}`);
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
