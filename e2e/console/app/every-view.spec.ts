import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { accented } from '../../../scripts/pseudo-language.ts';
import { checkView, cutButtons, expectAccessibleIn, schemesOf } from '../../support/check-view.ts';
import { expect, testWithOwnHost } from '../../support/fixtures.ts';
import type { RunningHost } from '../../support/host.ts';
import { openHost } from '../../support/open.ts';
import { plainWords, usePseudoLanguage } from '../../support/pseudo-words.ts';
import { type Content, fillHost } from '../../support/scenes/content.ts';
import { dialogs } from '../../support/scenes/dialogs.ts';
import { viewsOf } from '../../support/scenes/views.ts';
import { goTo } from '../../support/studio.ts';

const contents = new WeakMap<RunningHost, Promise<Content>>();

const test = testWithOwnHost.extend<{ content: Content }>({
  content: async ({ host }, use) => {
    const content = contents.get(host) ?? fillHost(host, join(host.ready.dataDir, 'scenes'));
    contents.set(host, content);
    await use(await content);
  },
});

/** Pixels between two columns, which may contain the sort arrow of a heading. */
const GAP_PX = 12;

/** Lists that scroll sideways, and column headings that overlap the next one. */
function cutOff(app: Page): Promise<string[]> {
  return app.evaluate((gap) => {
    const over = (selector: string, most: number) =>
      [...document.querySelectorAll(selector)].filter((box) => box.scrollWidth - box.clientWidth > most);
    const found = [...over('[role="grid"]', 0), ...over('[role="columnheader"]', gap)];
    return found.map((box) => box.getAttribute('aria-label') ?? box.textContent);
  }, GAP_PX);
}

/** Placeholders and chosen values of fields that do not fit. */
function cutFields(app: Page): Promise<string[]> {
  return app.getByRole('main').evaluate((content) => {
    const pen = document.createElement('canvas').getContext('2d') as CanvasRenderingContext2D;
    return [...content.querySelectorAll('input')]
      .filter((field) => field.checkVisibility() && field.clientWidth > 1 && (field.value === '' || field.readOnly))
      .flatMap((field) => {
        const { fontWeight, fontSize, fontFamily, paddingLeft, paddingRight } = getComputedStyle(field);
        pen.font = `${fontWeight} ${fontSize} ${fontFamily}`;
        const room = field.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight);
        const text = field.value || field.placeholder;
        return pen.measureText(text).width > room + 1 ? [`the field of ${text}`] : [];
      });
  });
}

/** Text that is cut off without a tooltip, and elements that make the page scroll sideways. */
function cutOrWide(app: Page): Promise<string[]> {
  return app.getByRole('main').evaluate((content) => {
    const cut = [...document.querySelectorAll<HTMLElement>('button, [role="tab"], label, h1, h2, th, nav a')]
      .filter((element) => element.checkVisibility() && element.scrollWidth > element.clientWidth + 1)
      .filter((element) => getComputedStyle(element).overflowX !== 'visible' && element.clientWidth > 0)
      .map((element) => `${element.tagName} ${element.textContent?.trim()}`);
    const wide = [document.documentElement, content].filter((box) => box.scrollWidth > box.clientWidth);
    return [...cut, ...wide.map(({ tagName }) => `${tagName} scrolls sideways`)];
  });
}

/** Failing calls, so that the page has reasons to show: one that no node answers, one that is refused, one that the node refuses. */
async function failCalls(host: RunningHost): Promise<void> {
  const client = host.client();
  await client.sandbox.faults.set({ name: 'drop-connection', area: 'rpc', times: 10 });
  const authorization = `Basic ${btoa(readFileSync(host.ready.rpcCookieFile, 'utf8'))}`;
  const call = (method: string, headers: Record<string, string>) =>
    fetch(host.ready.rpc, { method: 'POST', headers, body: JSON.stringify({ method, params: ['00'] }) });
  await call('getblockheader', { authorization });
  await client.sandbox.faults.clear({});
  await call('getblockheader', {});
  await call('nosuchmethod', { authorization });
}

test.describe.configure({ timeout: 600_000 });

const long = process.env.PLANCHET_LONG === '1';
/** Except in the long run, every tenth view is checked in German, another tenth in the pseudo-language. */
const STEP = long ? 1 : 10;
/** Every fifth is checked in English. */
const FIT_STEP = long ? 1 : 5;
/** Axe checks every second of those, and every eighth dialog and menu, since it takes longer than rendering a view. */
const AXE_STEP = long ? 1 : 10;
const DIALOG_STEP = long ? 1 : 8;
const OPENED = '[role="dialog"], [role="menu"]';

test('every view with content fits the window and is accessible', async ({ app, content }) => {
  const views = Object.values(viewsOf(content)).flatMap((addresses) => Object.entries(addresses));
  for (const [place, [name, path]] of views.entries()) {
    if (place % FIT_STEP > 0) continue;
    await goTo(app, path);
    await test.step(name, async () => {
      await checkView(app, name, { staysSmall: true });
      if (long || place % AXE_STEP > 0) return;
      // The frame around the content is equal in all views, so it is checked in both schemes once.
      const turn = place / AXE_STEP;
      await expectAccessibleIn(app, schemesOf(turn), turn < 2 ? undefined : 'main');
    });
  }
});

test('dialogs and menus are accessible', async ({ app, host, content }) => {
  const scenes = dialogs(content, host).filter((_, place) => place % DIALOG_STEP === 0);
  for (const [place, { name, path, open, close }] of scenes.entries()) {
    await test.step(`open ${name}`, async () => {
      await goTo(app, path);
      await open(app);
    });
    // The pages behind them are checked with the views.
    const opened = (await app.locator(OPENED).count()) > 0 ? OPENED : 'main';
    await test.step(name, () => expectAccessibleIn(app, schemesOf(place), long ? undefined : opened));
    await close?.();
    await app.keyboard.press('Escape');
    // Opens another view in between, so that the next scene does not start with the state of this one.
    await goTo(app, '/errors/settings-invalid');
    await expect(app.locator(OPENED), name).toHaveCount(0);
  }
});

test.describe('the page in German', () => {
  test.use({ locale: 'de-DE' });

  test('shows views with content in the smallest window without cutting headings and buttons off', async ({
    app,
    content,
  }) => {
    await expect(app.locator('html')).toHaveAttribute('lang', 'de');
    await app.setViewportSize({ width: 1024, height: 640 });
    const views = Object.values(viewsOf(content)).flatMap((addresses) => Object.entries(addresses));
    for (const [name, path] of views.filter((_, place) => place % STEP === 0)) {
      await goTo(app, path);
      await expect(app.getByRole('main').getByRole('status', { name: 'Lädt …' })).toHaveCount(0);
      await expect
        .configure({ soft: true })
        .poll(
          async () => (await Promise.all([cutOff, cutButtons, cutFields, cutOrWide].map((find) => find(app)))).flat(),
          name,
        )
        .toEqual([]);
    }
  });

  test('takes every word from the catalogue', async ({ page, host, content }) => {
    await failCalls(host);
    await usePseudoLanguage(page);
    await openHost(page, host);
    await expect(page.getByRole('navigation').first()).toContainText(accented('Settings'));
    const found: string[] = [];
    // The log is in English, since it is for support.
    const paths = Object.values(viewsOf(content)).flatMap((addresses) => Object.values(addresses));
    // The views after those that are checked in German.
    for (const path of paths.filter((one, place) => one !== '/help/log' && (long || place % STEP === 1))) {
      await goTo(page, path);
      await expect(page.getByRole('main').getByRole('status', { name: accented('Loading…') })).toHaveCount(0);
      found.push(...(await plainWords(page)).map((text) => `${path}: ${text.trim().slice(0, 120)}`));
    }
    expect([...new Set(found)]).toEqual([]);
  });
});
