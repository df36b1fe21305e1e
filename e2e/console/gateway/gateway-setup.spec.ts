import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { createHttpClient } from '../../../src/main/console/http-client.ts';
import { lockOwner } from '../../../src/main/infrastructure/data-folder.ts';
import { checkView } from '../../support/check-view.ts';
import { testWithoutHost as base, expectAccessible } from '../../support/fixtures.ts';
import { type RunningHost, startHost } from '../../support/host.ts';
import { openHost } from '../../support/open.ts';
import { goTo } from '../../support/studio.ts';

/** Each test has its own host, whose gateway it restarts or prevents from starting. */
const test = base.extend<{ own: (set?: Record<string, string>) => Promise<RunningHost> }>({
  own: async ({ page }, use) => {
    const hosts: RunningHost[] = [];
    await use(async (set = {}) => {
      const host = await startHost({ filled: true, set });
      hosts.push(host);
      await openHost(page, host);
      return host;
    });
    for (const host of hosts) await host.stop();
  },
});

test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

/** The output of a program, given its standard input or command line. */
function run(command: string, args: readonly string[]): string {
  const { FORCE_COLOR: _, ...plain } = process.env;
  const { stdout, stderr, status } = spawnSync(command, args, { encoding: 'utf8', timeout: 30_000, env: plain });
  expect(status, stderr).toBe(0);
  return stdout.trim();
}

async function pasted(page: Page, name: string): Promise<string> {
  const panel = page.getByRole('region', { name: 'Ready to paste' });
  await panel.locator('label').filter({ hasText: name }).click();
  await panel.getByRole('button', { name: 'Copy snippet' }).click();
  return page.evaluate(() => navigator.clipboard.readText());
}

test('the snippets to paste work, and so does a call that is copied as curl', async ({ page, own }) => {
  await own();
  await goTo(page, '/gateway');
  const height = (text: string): number => (JSON.parse(text) as { result: number }).result;
  expect(height(run('sh', ['-c', await pasted(page, 'curl')]))).toBeGreaterThan(0);
  const script = await pasted(page, 'JavaScript');
  expect(Number(run(process.execPath, ['--input-type=module', '-e', script]))).toBeGreaterThan(0);
  const python = await pasted(page, 'Python');
  if (spawnSync('python3', ['--version']).status === 0) {
    expect(Number(run('python3', ['-c', python]))).toBeGreaterThan(0);
  }
  expect(await pasted(page, 'ZMQ')).toMatch(/connect\("tcp:\/\/127\.0\.0\.1:\d+"\)/);

  await goTo(page, '/gateway/traffic');
  const calls = page.getByRole('grid', { name: 'Live calls' });
  const line = `verifytxoutproof "it's $(echo pasted)"`;
  await goTo(page, '/gateway/console');
  await page.getByRole('textbox', { name: 'Command line' }).fill(line);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await expect(page.getByRole('alert')).toBeVisible();
  await goTo(page, '/gateway/traffic');
  await page.getByRole('button', { name: /^Planchet’s own/ }).click();
  const row = calls.getByRole('row').filter({ hasText: 'verifytxoutproof' }).first();
  await row.getByRole('button', { name: 'Copy as curl' }).click();
  const answer = run('sh', ['-c', await page.evaluate(() => navigator.clipboard.readText())]);
  // The same reply as in the console: the shell did not interpret the text of the parameter.
  const { error } = JSON.parse(answer) as { error: { message: string } };
  await expect(row).toContainText(error.message);
});

test('replacing the password refuses programs with the old one and accepts those with the new one', {
  tag: '@long',
}, async ({ page, own }) => {
  await own();
  await goTo(page, '/gateway');
  const password = page.getByTestId('password');
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await expect(password).not.toHaveText(/•/);
  const old = await password.innerText();
  await page.getByRole('button', { name: 'Replace' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('are refused until they have the new one');
  await dialog.getByRole('button', { name: 'Replace it' }).click();
  await expect(password).not.toHaveText(old);
  // It restarted on another port, and the addresses are updated.
  const asked = async (login: string): Promise<number> => {
    const address = await page.getByText(/^http:\/\/127\.0\.0\.1:\d+$/).innerText();
    const authorization = `Basic ${Buffer.from(login).toString('base64')}`;
    const headers = { 'Content-Type': 'application/json', authorization };
    return (await fetch(address, { method: 'POST', headers, body: '{"method":"getblockcount"}' })).status;
  };
  await expect(async () => {
    expect(await asked(`planchet:${await password.innerText()}`)).toBe(200);
    expect(await asked(`planchet:${old}`)).toBe(401);
  }).toPass();
});

test('every part of the gateway page says why it cannot start without an upstream, and what to do', {
  tag: '@long',
}, async ({ page, own }) => {
  const squatter = createServer();
  await new Promise<void>((resolve) => squatter.listen(0, '127.0.0.1', resolve));
  const { port } = squatter.address() as { port: number };
  await own({ network: 'test', rpcBind: `127.0.0.1:${port}` });
  await goTo(page, '/gateway');
  const main = page.getByRole('main');
  const taken = `Another program already listens on 127.0.0.1:${port}.`;
  await expect(main.getByRole('alert').filter({ hasText: taken })).toContainText('choose another port');
  await expect(main.getByText('The gateway is not running')).toBeVisible();
  await page.getByRole('button', { name: 'Test the connection' }).click();
  const report = page.getByRole('region', { name: 'Test', exact: true });
  await expect(report.getByRole('group', { name: 'Upstream' })).toContainText('No upstream node is set.');
  await expect(report.getByRole('group', { name: 'Upstream' })).toContainText('Set bitcoinRpcUrl');
  await expect(report.getByRole('group', { name: 'This gateway' })).toContainText(taken);
  await checkView(page, 'gateway-stopped');
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  await expect(report).toHaveCount(0);

  await goTo(page, '/gateway/traffic');
  await expect(main.getByText('No upstream node is set. Name one under Settings')).toBeVisible();
  await goTo(page, '/gateway/console');
  await page.getByRole('textbox', { name: 'Command line' }).fill('getblockchaininfo');
  await expect(page.getByRole('region', { name: 'Help' })).toContainText('getblockchaininfo');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await expect(page.getByRole('alert').filter({ hasText: 'No upstream node is set.' })).toBeVisible();

  await new Promise((resolve) => squatter.close(resolve));
  await goTo(page, '/gateway');
  await main.getByRole('button', { name: 'Restart' }).click();
  await expect(main.getByText(`http://127.0.0.1:${port}`, { exact: true })).toBeVisible();
  await expect(main.getByRole('alert')).toHaveCount(0);
  await expectAccessible(page);
});

test('a value that a service cannot start with is reset, and the service runs with the earlier one', {
  tag: '@long',
}, async ({ page }) => {
  const squatter = createServer();
  await new Promise<void>((resolve) => squatter.listen(0, '127.0.0.1', resolve));
  const { port } = squatter.address() as { port: number };
  const dataDir = mkdtempSync(join(tmpdir(), 'planchet-e2e-'));
  writeFileSync(join(dataDir, 'settings.json'), JSON.stringify({ zmqAddress: 'tcp://127.0.0.1:0' }));
  const host = await startHost({ dataDir, set: { zmqAddress: undefined } });
  await openHost(page, host);
  await goTo(page, '/settings');
  const main = page.getByRole('main');
  const field = page.locator('[data-key="zmqAddress"]').getByRole('textbox');
  await field.fill(`tcp://127.0.0.1:${port}`);
  await page.getByRole('button', { name: 'Save 1 change' }).click();
  await page.getByRole('button', { name: 'Save it anyway' }).click();
  const restart = main.getByRole('button', { name: 'Restart ZMQ feed' });
  await restart.click();
  await expect(main.getByRole('alert')).toContainText(`Another program already listens on 127.0.0.1:${port}.`);
  await main.getByRole('button', { name: 'Put the old value back and restart' }).click();
  await expect(main.getByRole('alert')).toHaveCount(0);
  await expect(restart).toHaveCount(0);
  await expect(field).toHaveValue('tcp://127.0.0.1:0');
  await expect(page.getByRole('button', { name: 'All running' })).toBeVisible();
  await host.stop();
  squatter.close();
  rmSync(dataDir, { recursive: true, force: true });
});

test('the traffic shows refused calls and the reasons, also in the smallest window', { tag: '@long' }, async ({
  page,
  own,
}) => {
  const host = await own();
  const { rpc } = host.ready;
  await fetch(rpc, { method: 'POST', headers: { Origin: 'https://evil.example' } });
  await fetch(rpc, { method: 'POST', headers: { Authorization: `Basic ${btoa('planchet:guess')}` } });
  await goTo(page, '/gateway/console');
  await page.getByRole('textbox', { name: 'Command line' }).fill('getwalletinfo');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await expect(page.getByRole('alert')).toContainText('Method not found');
  await page.setViewportSize({ width: 1024, height: 640 });
  await goTo(page, '/gateway/traffic');
  await page.getByRole('button', { name: /^Planchet’s own/ }).click();
  const calls = page.getByRole('grid', { name: 'Live calls' });
  for (const words of ['Web pages may not call', 'The credential is missing or wrong.', 'getwalletinfo']) {
    const cell = calls.getByRole('gridcell').filter({ hasText: words }).first();
    await expect(cell).toBeVisible();
    // The important words are in the part of the text that is not cut off.
    const cut = await cell.evaluate((element, start) => {
      const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
        const at = node.textContent?.indexOf(start) ?? -1;
        if (at < 0) continue;
        const range = document.createRange();
        range.setStart(node, at);
        range.setEnd(node, at + start.length);
        const box = element.getBoundingClientRect();
        return [...range.getClientRects()].some(({ right, bottom }) => right > box.right || bottom > box.bottom);
      }
      return true;
    }, words);
    expect(cut, words).toBe(false);
  }
  await checkView(page, 'gateway-refused');
});

test('a command is run through the fields of its parameters', { tag: '@long' }, async ({ page, own }) => {
  // Each of some thirty commands is typed field by field, which takes minutes on a loaded machine.
  test.slow();
  const host = await own({ 'sandbox.mineOnArrival': '', 'sandbox.mineInterval': '0' });
  const bearer = lockOwner(host.ready.dataDir)?.token as string;
  const client = createHttpClient({ url: host.ready.console, bearer });
  const ask = async (method: string, ...params: unknown[]): Promise<string> => {
    const { result, error } = await client.node.call({ method, params });
    expect(error, method).toBeNull();
    return typeof result === 'string' ? result : JSON.stringify(result);
  };
  const { txid } = await client.sandbox.fund({ address: 'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn', satoshis: 10_000 });
  const { hashes } = await client.sandbox.mine({ blocks: 1 });
  const waiting = await client.sandbox.fund({ address: 'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn', satoshis: 20_000 });
  const blockhash = hashes[0] as string;
  const inMempool = { txid: waiting.txid };
  /** Values of each command's fields; missing ones stay empty. */
  const filled: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    getbestblockhash: {},
    getblock: { blockhash, verbosity: '2' },
    getblockbyheight: { height: '1' },
    getblockchaininfo: {},
    getblockcount: {},
    getblockhash: { height: '1' },
    getblockheader: { blockhash, verbosity: 'DECODE_HEADER' },
    getblockstats: { blockhash, stats: '["txs"]' },
    getblockstatsbyheight: { height: '1' },
    getchaintips: {},
    getchaintxstats: { blockhash },
    getdifficulty: {},
    getmempoolancestors: inMempool,
    getmempooldescendants: inMempool,
    getmempoolentry: inMempool,
    getmempoolinfo: {},
    getmerkleproof: { txid, blockhash },
    getmerkleproof2: { blockhash, txid, includeFullTx: 'false', targetType: 'header' },
    getrawmempool: { verbose: 'true' },
    getrawnonfinalmempool: {},
    gettxout: { txid, n: '0' },
    gettxoutproof: { txids: JSON.stringify([txid]), blockhash },
    gettxouts: { txids_vouts: JSON.stringify([{ txid, n: 0 }]), return_fields: '["value"]' },
    gettxoutsetinfo: {},
    verifymerkleproof: { proof: await ask('getmerkleproof', txid, blockhash) },
    verifytxoutproof: { proof: await ask('gettxoutproof', [txid], blockhash) },
    decoderawtransaction: { hexstring: await ask('getrawtransaction', txid) },
    decodescript: { hexstring: '51' },
    getrawtransaction: { txid, verbose: 'true' },
    getnetworkinfo: {},
    getinfo: {},
    help: { command: 'getblock' },
  };
  await goTo(page, '/gateway/console');
  await page.getByRole('button', { name: 'Form' }).click();
  const command = page.getByRole('combobox', { name: 'Command' });
  await command.click();
  await expect(page.getByRole('option')).toHaveText(Object.keys(filled));
  await page.keyboard.press('Escape');
  const line = page.getByRole('textbox', { name: 'Command line' });
  // Every fourth except in the long run.
  const commands = Object.entries(filled).filter((_, at) => process.env.PLANCHET_LONG === '1' || at % 4 === 0);
  for (const [name, fields] of commands) {
    await line.fill(name);
    await expect(page.getByRole('region', { name: 'Help' })).toContainText(name);
    for (const [field, value] of Object.entries(fields)) {
      await page.getByRole('textbox', { name: field, exact: true }).fill(value);
    }
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    const newest = page.getByRole('list', { name: 'Answers' }).getByRole('listitem').first();
    await expect(newest.getByRole('button').first()).toHaveText(new RegExp(`^${name}(?: |$)`));
    await expect(page.getByRole('alert')).toHaveCount(0);
  }
});
