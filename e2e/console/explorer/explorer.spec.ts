import { createHash } from 'node:crypto';
import { PrivateKey } from '@bsv/sdk';
import {
  concatBytes,
  encodeAddress,
  hash160,
  p2pkhScript,
  pushData,
  satoshis,
  serializeTx,
  sha256,
  sighashPreimage,
  type Tx,
  toHex,
  txidOf,
} from '../../../src/chain/index.ts';
import { type BlockPart, MAX_BLOCK_ROWS } from '../../../src/contract/index.ts';
import { createHttpClient } from '../../../src/main/console/http-client.ts';
import { lockOwner } from '../../../src/main/infrastructure/data-folder.ts';
import { checkView } from '../../support/check-view.ts';
import { expect, test } from '../../support/fixtures.ts';
import type { RunningHost } from '../../support/host.ts';
import { goTo } from '../../support/studio.ts';

function clientOf(host: RunningHost) {
  return createHttpClient({ url: host.ready.console, bearer: lockOwner(host.ready.dataDir)?.token as string });
}

/** Sends coins to a new address of somebody else, and mines them. */
async function pay(host: RunningHost, address: string, satoshis: number): Promise<string> {
  const client = clientOf(host);
  const { txid } = await client.sandbox.fund({ address, satoshis });
  await client.sandbox.mine({ blocks: 1 });
  return txid;
}

test('a block and its transaction are found by height, hash and id', async ({ app, host }) => {
  // Nobody here can spend it; an output of the faucet may be spent by any other test.
  const address = 'n4pbAQEyqBPwAe568bJGKJQ32b9zxVes7s';
  const paid = await pay(host, address, 3_000);
  const { outputs } = await clientOf(host).transactions.get({ txid: paid });
  const outpoint = `${paid}_${outputs.find((output) => output.address === address)?.index}`;
  await goTo(app, '/explorer');
  const table = app.getByRole('grid', { name: 'Blocks' });
  await expect(table.getByRole('link').first()).toBeVisible();
  const box = app.getByRole('textbox', { name: /Height, hash/ });
  await box.fill('1');
  await app.getByRole('button', { name: 'Find' }).click();
  await expect(app.getByRole('heading', { name: 'Block 1', level: 1 })).toBeVisible();
  const hash = app.url().split('/block/')[1] as string;
  await app.getByRole('grid').getByRole('link').first().click();
  await expect(app).toHaveURL(/#\/tx\/[0-9a-f]{64}$/);
  const txid = app.url().split('/tx/')[1] as string;
  const way = app.getByRole('navigation', { name: 'You are here' });
  await expect(way.getByRole('link', { name: 'Explorer' })).toBeVisible();
  await expect(app.locator('[aria-current="page"]')).toHaveText('Explorer');
  for (const [sought, reached] of [
    [hash, `/explorer/block/${hash}`],
    [txid, `/tx/${txid}`],
    [outpoint, `/explorer/outpoint/${outpoint}`],
  ] as const) {
    await goTo(app, '/explorer');
    await box.fill(sought);
    await app.getByRole('button', { name: 'Find' }).click();
    await expect(app).toHaveURL(new RegExp(`#${reached}$`));
  }
  await expect(app.getByText('Unspent')).toBeVisible();
});

test('an address shows what it received and whether that is spent', { tag: '@long' }, async ({ app, host }) => {
  const address = 'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn';
  const txid = await pay(host, address, 123_456);
  await goTo(app, '/explorer');
  await app.getByRole('textbox', { name: /Height, hash/ }).fill(address);
  await app.getByRole('button', { name: 'Find' }).click();
  await expect(app.getByRole('heading', { name: 'Address', level: 1 })).toBeVisible();
  const outputs = app.getByRole('grid', { name: 'Outputs' });
  const row = outputs.getByRole('row').filter({ hasText: txid.slice(0, 8) });
  await expect(row).toContainText('123,456 sat');
  await expect(row).toContainText('Unspent');
  await expect(app.getByText(/^All \d+ blocks were searched, from /)).toBeVisible();
});

test('a transaction page names its version, signatures with 0x20 and unlocking scripts that compute', {
  tag: '@long',
}, async ({ app, host }) => {
  const key = PrivateKey.fromHex('77'.repeat(32));
  const pub = Uint8Array.from(key.toPublicKey().toDER() as number[]);
  const address = encodeAddress(hash160(pub), 'test');
  const client = clientOf(host);
  const { txid: funding } = await client.sandbox.fund({ address, satoshis: 20_000 });
  const { outputs } = await client.transactions.get({ txid: funding });
  const paid = outputs.find((output) => output.address === address);
  const lockingScript = p2pkhScript(hash160(pub));
  const unsigned: Tx = {
    version: 2,
    inputs: [{ txid: funding, vout: paid?.index ?? 0, script: new Uint8Array(), sequence: 0xffffffff }],
    outputs: [{ satoshis: satoshis(19_000), script: lockingScript }],
    lockTime: 0,
  };
  const preimage = sighashPreimage(unsigned, 0, lockingScript, satoshis(20_000), 0x61);
  const signature = Uint8Array.of(...(key.sign(Array.from(sha256(preimage))).toDER() as number[]), 0x61);
  const script = concatBytes(pushData(signature), pushData(pub), Uint8Array.of(0x61));
  const raw = serializeTx({ ...unsigned, inputs: unsigned.inputs.map((input) => ({ ...input, script })) });
  expect(await client.sandbox.relay({ rawTx: toHex(raw) })).toMatchObject({ outcome: 'accepted' });
  await goTo(app, `/tx/${txidOf(raw)}`);
  const notes = app.getByRole('main').getByRole('listitem');
  // A block may have been mined meanwhile.
  await expect(notes.filter({ hasText: 'Version 2.' })).toContainText(/others (?:can change|could have changed) its/);
  await expect(notes.filter({ hasText: '0x20' })).toContainText('Input 0 has a signature with 0x20.');
  await expect(notes.filter({ hasText: 'computes' })).toContainText('Input 0 has an unlocking script that computes.');
  await checkView(app, 'transaction-unusual');
  await goTo(app, `/tx/${funding}`);
  await expect(app.getByText('What is unusual about it')).toHaveCount(0);
});

test('a transaction is proven to be in its block, step by step', { tag: '@long' }, async ({ app, host }) => {
  const txid = await pay(host, 'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn', 10_000);
  await goTo(app, `/tx/${txid}`);
  await app.getByRole('button', { name: 'Verify' }).click();
  await expect(app.getByText('Proven: this transaction is in the block')).toBeVisible();
  const steps = app.getByRole('list', { name: 'Merkle proof' });
  await expect(steps.getByText('Transaction id', { exact: true })).toBeVisible();
  await expect(steps.getByText('The header of the block names the same root.')).toBeVisible();
  await expect(steps.getByText('The header hashes to the id of the block.')).toBeVisible();
  await expect(steps.getByText('The hash is below the target of the header.')).toBeVisible();
  await checkView(app, 'transaction-proof');
});

test('data behind OP_RETURN is read as text', { tag: '@long' }, async ({ app, host }) => {
  const client = clientOf(host);
  const { keyId } = await client.writer.keys.register({ apiKey: host.ready.sandboxApiKey });
  const body = '{"told":"to the explorer"}';
  const document = await client.writer.write({
    body,
    contentType: 'application/json',
    mode: 'raw',
    keyId,
    wait: 'submitted',
    waitMs: 20_000,
  });
  await goTo(app, `/tx/${document.txid}`);
  const outputs = app.getByRole('region', { name: /outputs?$/ });
  await outputs
    .getByRole('listitem')
    .filter({ hasText: 'Data,' })
    .getByRole('button', { name: /Show the script/ })
    .click();
  await expect(outputs.locator('pre').filter({ hasText: body })).toBeVisible();
  await expect(outputs.getByText(Buffer.from(body).toString('hex')).first()).toBeVisible();
  await goTo(app, `/explorer/outpoint/${document.txid}_0`);
  await expect(app.getByRole('region', { name: 'Data', exact: true })).toContainText(body);
  await expect(app.getByText('Not spendable')).toBeVisible();
});

test('an id that cannot be found is explained', { tag: '@long' }, async ({ app }) => {
  await goTo(app, '/explorer');
  const box = app.getByRole('textbox', { name: /Height, hash/ });
  for (const [sought, said] of [
    ['99999999', 'There is no block at this height.'],
    ['ab'.repeat(32), 'The node knows neither a block nor a transaction'],
    [`${'ab'.repeat(32)}_0`, 'The node knows neither a block nor a transaction'],
    ['what?', 'This is no height, hash'],
    ['mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfm', 'This is no address of this network.'],
    ['1BoatSLRHtKNngkdXEeobR76b53LETtpyT', 'belongs to the main network'],
  ] as const) {
    await box.fill(sought);
    await app.getByRole('button', { name: 'Find' }).click();
    await expect(app.getByText(said)).toBeVisible();
  }
});

test('the page of something that does not exist says so and what to check', { tag: '@long' }, async ({ app }) => {
  const none = 'ab'.repeat(32);
  for (const [path, said, helps] of [
    [`/explorer/block/${none}`, 'The node knows no such block', 'belongs to the network you are on'],
    [`/tx/${none}`, 'The node does not know this transaction.', 'Check the id'],
    [`/explorer/outpoint/${none}_0`, 'The node does not know this transaction.', 'Check the id'],
  ] as const) {
    await goTo(app, path);
    await expect(app.getByRole('alert')).toContainText(said);
    await expect(app.getByRole('alert')).toContainText(helps);
  }
  await goTo(app, '/explorer/address/1BoatSLRHtKNngkdXEeobR76b53LETtpyT');
  await expect(app.getByText('This is no address of this network.')).toBeVisible();
  await app.getByRole('link', { name: 'All blocks' }).click();
  await expect(app).toHaveURL(/#\/explorer$/);
});

test('a table of 100,000 rows draws only the visible rows, sorts and is searched', { tag: '@long' }, async ({
  app,
}) => {
  const txids = Array.from({ length: 100_000 }, (_, n) => createHash('sha256').update(String(n)).digest('hex'));
  // The sandbox would take minutes to make so many transactions, so this reply is faked. Everything else is real.
  await app.route('**/api/explorer/mempool', async (route) => {
    const list = txids.map((txid, n) => ({ txid, size: 100_000 + n, fee: 100, time: 1_700_000_000 }));
    await route.fulfill({ json: { json: list } });
  });
  await goTo(app, '/explorer/mempool');
  const grid = app.getByRole('grid', { name: 'Mempool' });
  await expect(grid).toHaveAttribute('aria-rowcount', '100001');
  const figures = await grid.evaluate(async (box) => {
    const frames: number[] = [];
    let rows = 0;
    let last = performance.now();
    const bottom = box.scrollHeight - box.clientHeight;
    const steps = 300;
    for (let step = 1; step <= steps; step++) {
      box.scrollTop = (bottom * step) / steps;
      await new Promise(requestAnimationFrame);
      const now = performance.now();
      frames.push(now - last);
      last = now;
      rows = Math.max(rows, box.querySelectorAll('[role="row"]').length);
    }
    frames.sort((a, b) => a - b);
    const at = (part: number): number => Math.round(frames[Math.floor((frames.length - 1) * part)] as number);
    return { rows, p50: at(0.5), p99: at(0.99), over50ms: frames.filter((ms) => ms > 50).length, frames: steps };
  });
  console.log(`100,000 rows scrolled from top to bottom in ${figures.frames} frames: ${JSON.stringify(figures)}`);
  expect(figures.rows).toBeLessThan(60);
  // Sorted by rate at first, which is highest for the smallest.
  await grid.getByRole('button', { name: 'Size' }).click();
  await grid.getByRole('button', { name: 'Size' }).click();
  await grid.focus();
  await app.keyboard.press('Home');
  await expect(grid.getByRole('row').nth(1)).toContainText((txids.at(-1) as string).slice(0, 10));
  const wanted = txids[70_000] as string;
  await app.getByRole('textbox', { name: 'Filter by id' }).fill(wanted.slice(0, 20));
  await expect(grid.getByRole('row')).toHaveCount(2);
  await expect(grid.getByRole('link')).toHaveAttribute('href', new RegExp(wanted));
});

test('the visible rows are those of the newest blocks, however many arrived at once', { tag: '@long' }, async ({
  app,
  host,
}) => {
  await goTo(app, '/explorer');
  const newest = app.getByRole('grid', { name: 'Blocks' }).getByRole('link').first();
  await expect(newest).toBeVisible();
  const client = await host.client();
  await client.sandbox.mine({ blocks: 60 });
  const { result: height } = await client.node.call({ method: 'getblockcount', params: [] });
  await expect(newest).toHaveText(Number(height).toLocaleString('en'));
});

test('blocks list their fees, and a hash of unknown kind is looked up', { tag: '@long' }, async ({ app, host }) => {
  const txid = await pay(host, 'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn', 10_000);
  await goTo(app, '/explorer');
  const row = app.getByRole('grid', { name: 'Blocks' }).getByRole('row').nth(1);
  await expect(row).toContainText(/[\d,]+ sat/);
  await goTo(app, `/explorer?find=${txid}`);
  await expect(app).toHaveURL(new RegExp(`#/tx/${txid}$`));
  const client = clientOf(host);
  const { result: hash } = await client.node.call({ method: 'getbestblockhash', params: [] });
  await goTo(app, `/explorer?find=${String(hash)}`);
  await expect(app).toHaveURL(new RegExp(`#/explorer/block/${String(hash)}$`));
});

test('a block of 10,000 transactions opens, and is searched and navigated quickly', { tag: '@long' }, async ({
  app,
  host,
}) => {
  const txids = Array.from({ length: 10_000 }, (_, n) => createHash('sha256').update(String(n)).digest('hex'));
  const client = clientOf(host);
  const { result: hash } = await client.node.call({ method: 'getbestblockhash', params: [] });
  // The sandbox would take minutes to make so many transactions, so this reply is faked. Everything else is real.
  await app.route('**/api/explorer/block', async (route) => {
    const answer = (await (await route.fetch()).json()) as { json: BlockPart };
    const { search = '', from = 0 } = (route.request().postDataJSON() as { json: { search?: string; from?: number } })
      .json;
    const found = txids.map((txid, position) => ({ txid, position })).filter(({ txid }) => txid.includes(search));
    const rows = found.slice(from, from + MAX_BLOCK_ROWS);
    answer.json = { ...answer.json, transactions: txids.length, found: found.length, rows };
    await route.fulfill({ json: answer });
  });
  await app.evaluate(() => {
    const slow: number[] = [];
    (globalThis as unknown as { slow: number[] }).slow = slow;
    for (const type of ['event', 'longtask']) {
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) slow.push(Math.round(entry.duration));
      }).observe({ type, durationThreshold: 16 } as PerformanceObserverInit);
    }
  });
  await goTo(app, `/explorer/block/${String(hash)}`);
  const grid = app.getByRole('grid');
  await expect(grid).toHaveAttribute('aria-rowcount', '10001');
  await grid.focus();
  await app.keyboard.press('End');
  await expect(grid.getByRole('row').last()).toContainText('9,999');
  await expect(grid.getByRole('link').last()).toHaveAttribute('href', new RegExp(txids[9_999] as string));
  for (const key of ['Home', 'PageDown', 'ArrowDown']) await app.keyboard.press(key);
  await app.getByRole('textbox', { name: 'Filter by id' }).pressSequentially((txids[7_000] as string).slice(0, 12));
  await expect(grid.getByRole('row')).toHaveCount(2);
  await expect(grid.getByRole('row').last()).toContainText('7,000');
  const slow = await app.evaluate(() => (globalThis as unknown as { slow: number[] }).slow);
  console.log(
    `10,000 transactions: slowest interactions and tasks in ms: ${slow
      .toSorted((a, b) => b - a)
      .slice(0, 8)
      .join(' ')}`,
  );
});

test('an output says what spent it and links to it, on the page of its transaction and on its own', {
  tag: '@long',
}, async ({ app, host }) => {
  const client = clientOf(host);
  const { address } = await client.wallet.status();
  const paid = await pay(host, address as string, 77_000);
  await goTo(app, `/tx/${paid}`);
  const own = app.getByRole('listitem').filter({ hasText: '77,000 sat' }).filter({ hasText: 'Unspent' });
  await expect(own).toBeVisible();
  const { inputs } = await client.transactions.get({ txid: paid });
  const spent = `${inputs[0]?.txid}_${inputs[0]?.vout}`;
  await goTo(app, `/tx/${inputs[0]?.txid}`);
  const line = app
    .getByRole('listitem')
    .filter({ hasText: 'Spent by' })
    .filter({ hasText: paid.slice(0, 6) });
  await expect(line).toContainText(/in block [\d,]+/);
  await checkView(app, 'transaction-spent');
  await line.getByRole('link', { name: new RegExp(`^${paid.slice(0, 6)}`) }).click();
  await expect(app).toHaveURL(new RegExp(`#/tx/${paid}$`));
  await goTo(app, `/explorer/outpoint/${spent}`);
  await expect(app.getByText('Spent by')).toBeVisible();
  await app.getByRole('link', { name: new RegExp(`^${paid.slice(0, 6)}`) }).click();
  await expect(app).toHaveURL(new RegExp(`#/tx/${paid}$`));
});
