import type { Page } from '@playwright/test';
import {
  fromHex,
  inscriptionScript,
  parseTx,
  type Satoshis,
  satoshis,
  serializeExtended,
  toHex,
} from '../../../src/chain/index.ts';
import { OwnCoins } from '../../../src/main/test-support/hosts/own-coins.ts';
import { checkView } from '../../support/check-view.ts';
import { expect, testWithOwnHost as test } from '../../support/fixtures.ts';
import { goTo } from '../../support/studio.ts';

const FEE = 200;

/** Drops a text or bytes as a file onto the field of transactions. */
async function drop(app: Page, name: string, content: string | number[]): Promise<void> {
  const dataTransfer = await app.evaluateHandle(
    (file) => {
      const transfer = new DataTransfer();
      const { content } = file;
      transfer.items.add(new File([typeof content === 'string' ? content : new Uint8Array(content)], file.name));
      return transfer;
    },
    { name, content },
  );
  await app.getByLabel('Transactions', { exact: true }).dispatchEvent('drop', { dataTransfer });
}

/** A hundred are sent per request. */
const TOTAL = 2_000;
const counted = (count: number): string => count.toLocaleString('en');

test(`a file of ${counted(TOTAL)} is decoded, submitted in parts, stopped and continued, and those that failed are sent again`, {
  tag: '@long',
}, async ({ app, host }) => {
  test.setTimeout(300_000);
  const client = host.client();
  const own = new OwnCoins();
  const orphaned = 3;
  const fan = own.spend(
    [await own.funded(client, 3_000_000)],
    Array.from({ length: TOTAL }, () => 1_000),
  );
  await client.sandbox.relay({ rawTx: fan.hex });
  await client.sandbox.mine({ blocks: 1 });
  const coins = Array.from({ length: TOTAL }, (_, vout) => ({ ...fan.coin, vout }));
  // Their parent was not sent yet, so the node does not know what they spend.
  const parent = own.spend(coins.slice(0, orphaned), [900, 900, 900]);
  const orphans = [0, 1, 2].map((vout) => own.spend([{ ...parent.coin, vout }], [900 - FEE]));
  const good = coins.slice(orphaned).map((coin) => own.spend([coin], [1_000 - FEE]));
  const all = [...good, ...orphans].map(({ hex }) => hex);

  await goTo(app, '/transactions/submit');
  await drop(app, 'batch.json', JSON.stringify(all.map((rawTx) => ({ rawTx }))));
  await expect(app.getByText(new RegExp(`^${counted(TOTAL)} transactions, `))).toBeVisible();
  await app.getByRole('button', { name: 'Remove the file' }).click();
  await drop(app, 'batch.txt', all.join('\n'));
  await expect(app.getByText(new RegExp(`^${counted(TOTAL)} transactions, `))).toBeVisible();
  // The last page has the three.
  await expect(app.getByText('3 would be kept back')).toBeVisible({ timeout: 60_000 });
  await checkView(app, 'transactions-submit-thousands');

  // Each part takes as long as with a slow miner, so that there is time to stop.
  await client.sandbox.faults.set({ name: 'latency', value: 4_000, times: null, area: 'mapi' });
  await app
    .getByRole('button', { name: `Submit ${counted(TOTAL - orphaned)} of ${counted(TOTAL)} transactions` })
    .click();
  await expect(app.getByText('Sending to miners')).toBeVisible();
  await app.getByRole('button', { name: 'Stop', exact: true }).click();
  await client.sandbox.faults.clear({ name: 'latency' });
  await expect(app.getByText('Stopped', { exact: true })).toBeVisible({ timeout: 60_000 });
  await checkView(app, 'transactions-stopped');
  await app.getByRole('button', { name: 'Go on' }).click();

  const summary = app.getByRole('status', { name: 'Results' });
  await expect(summary).toContainText(`${counted(TOTAL - orphaned)} accepted`, { timeout: 120_000 });
  await expect(summary).toContainText('3 kept back');
  const grid = app.getByRole('grid', { name: 'Results of the submission' });
  await expect(grid).toHaveAttribute('aria-rowcount', String(TOTAL + 1));
  expect(await grid.getByRole('row').count()).toBeLessThan(60);
  await app.getByRole('combobox', { name: 'Filter results' }).click();
  await app.getByRole('option', { name: 'Kept back' }).click();
  await expect(grid).toHaveAttribute('aria-rowcount', '4');
  await app.getByRole('button', { name: 'Send what was kept back all the same' }).click();
  await expect(summary).toContainText('3 refused');
  await app.getByRole('combobox', { name: 'Filter results' }).click();
  await app.getByRole('option', { name: 'Refused' }).click();
  await expect(grid).toHaveAttribute('aria-rowcount', '4');
  await checkView(app, 'transactions-refused');

  await client.sandbox.relay({ rawTx: parent.hex });
  await app.getByRole('button', { name: 'Send 3 again' }).click();
  await expect(summary).toContainText(`${counted(TOTAL)} accepted`);
  await client.sandbox.mine({ blocks: 1 });
  await expect(grid.getByText('Proven').first()).toBeVisible({ timeout: 60_000 });
});

test('every format is decoded: an inscription with its content, a token spent as money with a warning', {
  tag: '@long',
}, async ({ app, host }) => {
  const client = host.client();
  const own = new OwnCoins();
  const coin = await own.funded(client, 20_000);
  const script = inscriptionScript({
    pubKeyHash: own.script.slice(3, 23),
    contentType: 'text/plain',
    content: new TextEncoder().encode('Copper at low tide'),
    map: { app: 'planchet', type: 'ord', name: 'Haiku' },
  });
  const mint = own.spend([coin], [{ satoshis: satoshis(1), script }, 19_600]);
  await goTo(app, '/transactions/submit');
  const field = app.getByRole('textbox', { name: 'Transactions' });
  await field.fill(mint.hex);
  await expect(app.getByText('Raw', { exact: true })).toBeVisible();
  const art = app.getByRole('region', { name: 'Haiku' });
  // Its content is read once it is in view.
  await art.scrollIntoViewIfNeeded();
  await expect(art.getByText('Copper at low tide')).toBeVisible();

  const spent = [{ satoshis: coin.satoshis as Satoshis, script: own.script }];
  await field.fill(toHex(serializeExtended({ tx: parseTx(fromHex(mint.hex), true), spent })));
  await expect(app.getByText('Extended', { exact: true })).toBeVisible();

  await client.tx.submit({ source: { text: mint.hex } });
  await client.sandbox.mine({ blocks: 1 });
  await expect.poll(async () => (await client.tx.get({ txid: mint.txid })).state).toBe('proven');
  const { proof } = await client.tx.get({ txid: mint.txid });
  await field.fill(`0100beef01${proof?.bump}01${mint.hex}0100`);
  await expect(app.getByText('BEEF', { exact: true })).toBeVisible();
  await expect(app.getByText('It was submitted from here before.')).toBeVisible();

  const token = { ...mint.coin, lockingScript: script };
  const burn = own.spend([token, { ...mint.coin, vout: 1, satoshis: satoshis(19_600) }], [19_400]);
  await field.fill(burn.hex);
  await expect(app.getByText(/^Input 0 spends a token, and no output of one satoshi carries it on/)).toBeVisible();
  await checkView(app, 'transactions-token-spent');
  await field.fill('');
  await drop(app, 'burn.bin', [...burn.raw]);
  await expect(app.getByText(/^1 transaction, /)).toBeVisible();
  await expect(app.getByText(/^burn\.bin, /)).toBeVisible();
});

test('a transaction is submitted and its result read with the keyboard alone', { tag: '@long' }, async ({
  app,
  host,
  context,
}) => {
  const client = host.client();
  const own = new OwnCoins();
  const { hex, txid } = own.spend([await own.funded(client, 10_000)], [10_000 - FEE]);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await app.evaluate((text) => navigator.clipboard.writeText(text), hex);
  await goTo(app, '/transactions/submit');

  const tabTo = async (locator: ReturnType<Page['getByRole']>): Promise<void> => {
    await expect(locator).toBeEnabled();
    for (let presses = 0; presses < 100; presses++) {
      if (await locator.evaluate((element) => element === document.activeElement)) return;
      await app.keyboard.press('Tab');
    }
    throw new Error('Tab does not lead there.');
  };
  await tabTo(app.getByRole('textbox', { name: 'Transactions' }));
  await app.keyboard.press('Control+V');
  await tabTo(app.getByRole('button', { name: 'Submit 1 transaction' }));
  await app.keyboard.press('Enter');

  const summary = app.getByRole('status', { name: 'Results' });
  await expect(summary).toHaveText('1 accepted');
  await expect(summary).toBeFocused();
  await tabTo(app.getByRole('grid', { name: 'Results of the submission' }));
  await app.keyboard.press('ArrowDown');
  await app.keyboard.press('Enter');
  await expect(app.getByRole('heading', { level: 1, name: 'Transaction' })).toBeVisible();
  await expect(app.getByText(txid)).toBeVisible();
});
