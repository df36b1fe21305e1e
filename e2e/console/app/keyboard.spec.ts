import { fileURLToPath } from 'node:url';
import type { Locator, Page } from '@playwright/test';
import { expect, test } from '../../support/fixtures.ts';
import { runCommand } from '../../support/studio.ts';

const MOST_STOPS = 60;
const sample = fileURLToPath(new URL('../../../resources/samples/haiku.txt', import.meta.url));

/** Presses Tab until the named element has the focus, and checks that each focused element on the way has a visible ring. */
async function tabTo(app: Page, target: Locator): Promise<void> {
  // The view may still be loading.
  await target.first().waitFor({ state: 'attached' });
  const passed: string[] = [];
  for (let stops = 0; stops < MOST_STOPS; stops++) {
    if ((await target.count()) > 0 && (await target.first().evaluate((node) => node === document.activeElement)))
      return;
    await app.keyboard.press('Tab');
    const stop = await app.evaluate(() => {
      const node = document.activeElement ?? document.body;
      // A control with a hidden input draws the ring on its parent or on the next element.
      const seen = [node, node.parentElement, node.nextElementSibling].some((near) => {
        if (near === null) return false;
        const { outlineStyle, outlineWidth } = getComputedStyle(near);
        const { width, height } = near.getBoundingClientRect();
        return outlineStyle !== 'none' && outlineWidth !== '0px' && width > 0 && height > 0;
      });
      const name = node.getAttribute('aria-label') ?? node.textContent?.slice(0, 60) ?? '';
      return { name: `${node.tagName} ${node.className} ${name}`, seen: node === document.body || seen };
    });
    passed.push(stop.name);
    expect.soft(stop.seen, `the focus is to be seen on ${stop.name}`).toBe(true);
  }
  throw new Error(`Not reached by Tab. Passed: ${passed.join(' · ')}`);
}

async function use(app: Page, target: Locator, key = 'Enter'): Promise<void> {
  await expect(target.first()).toBeVisible();
  await tabTo(app, target);
  await app.keyboard.press(key);
}

/** The focused element. A step must not leave the focus at the top of the window. */
function focused(app: Page): Locator {
  return app.locator('main :focus');
}

test('a file becomes a proven token without a mouse', { tag: '@long' }, async ({ app }) => {
  const button = (name: string | RegExp): Locator => app.getByRole('button', { name });
  await runCommand(app, 'projects');
  await expect(app.getByRole('heading', { level: 1 })).toBeVisible();
  await use(app, button(/^(New project|Create your first project)$/));
  await expect(app.getByRole('dialog')).toBeVisible();
  await tabTo(app, app.getByRole('textbox', { name: 'Name', exact: true }));
  await app.keyboard.type('By keyboard');
  await app.keyboard.press('Enter');
  await expect(app.getByRole('heading', { name: 'By keyboard', level: 1 })).toBeVisible();

  const chooser = app.waitForEvent('filechooser');
  await use(app, button('Choose files'));
  await (await chooser).setFiles(sample);
  await expect(app.getByText('Haiku').first()).toBeVisible();

  await use(app, app.getByRole('link', { name: /^Mint (all|\d)/ }));
  await use(app, button('Continue'));
  await expect(focused(app)).toHaveText('Who receives the tokens?');
  await use(app, button('Back'));
  await expect(focused(app)).toHaveText('Which tokens do you want to mint?');
  await use(app, button('Continue'));
  await use(app, button('Check before minting'));
  await expect(button(/^Approve and mint/)).toBeEnabled();
  await expect(focused(app)).toHaveText(/^You mint 1 token to your own wallet/);
  await use(app, button(/^Approve and mint/));
  await expect(app.getByText(/(is|are) mined and proven/)).toBeVisible();
  await expect(focused(app)).toHaveText('Done');
  await use(app, app.getByRole('link', { name: 'Open the transaction' }));
  await expect(app.getByText('Proven', { exact: true }).first()).toBeVisible();
});

test('a token is designed and issued without a mouse', { tag: '@long' }, async ({ app }) => {
  const button = (name: string | RegExp): Locator => app.getByRole('button', { name });
  await runCommand(app, 'Design a token');
  await tabTo(app, app.getByRole('textbox', { name: 'Symbol' }));
  await app.keyboard.type('KEYS');
  await use(app, button('Build the contract and review'));
  await expect(button('Approve and sign')).toBeEnabled();
  await use(app, button('Approve and sign'));
  await expect(app.getByText(/Mined in block/)).toBeVisible();

  await runCommand(app, 'Issue KEYS');
  await expect(app.getByRole('dialog', { name: 'Issue KEYS' })).toBeVisible();
  await app.keyboard.press('Escape');
  await expect(app.getByRole('dialog', { name: 'Issue KEYS' })).toBeHidden();
  await runCommand(app, 'Issue KEYS');
  await use(app, button('Build and review'));
  await expect(button('Approve and sign')).toBeEnabled();
  await use(app, button('Approve and sign'));
  await expect(app.getByText(/Mined in block/)).toBeVisible();
});

test('money is sent without a mouse', { tag: '@long' }, async ({ app }) => {
  const button = (name: string | RegExp): Locator => app.getByRole('button', { name });
  await runCommand(app, 'wallet');
  await expect(app.getByRole('heading', { name: 'Wallet', level: 1 })).toBeVisible();
  await use(app, app.getByRole('main').getByRole('link', { name: 'Send' }));
  await tabTo(app, app.getByLabel('Address 1'));
  await app.keyboard.type('mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn');
  await tabTo(app, app.getByRole('textbox', { name: 'Amount 1' }));
  await app.keyboard.type('12345');
  await use(app, button('Review'));
  await expect(button(/^Approve and send 12,\d+ sat$/)).toBeEnabled();
  await use(app, button(/^Approve and send/));
  await expect(app.getByText(/^Sent, and in block/)).toBeVisible();
});
