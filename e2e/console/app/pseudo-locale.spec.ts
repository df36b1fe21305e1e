import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from '@playwright/test';
import { expect, testWithOwnHost as test } from '../../support/fixtures.ts';
import type { RunningHost } from '../../support/host.ts';
import { openHost } from '../../support/open.ts';
import { goTo } from '../../support/studio.ts';
import { plainViews } from '../../support/views.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** What needs no catalogue: addresses and ids, names of things and tools, and units. */
const NO_TEXT = [
  /^curl '[\s\S]*/,
  /(?:https?|tcp|postgres):\/\/\S*/g,
  /\b[0-9A-Za-z]{4}…[0-9A-Za-z]{4}\b|\b[123mn][1-9A-HJ-NP-Za-km-z]{25,34}\b|\b[0-9a-f]{8,}(?:…[0-9a-f]+)?/g,
  /\b(?:Planchet|Sandbox(?: ARC)?|Default|console|block-\d+|get[a-z]+|JSON|ZMQ|curl|JavaScript|Python|Deutsch|English|Chrome|Safari|Linux|macOS|Windows)\b/g,
  /\b(?:sat|kB|MB|GB|ms|min|BSV|UTC|v?\d[\w.]*)\b/g,
];

function values(texts: object): string[] {
  return Object.values(texts).flatMap((value) => (typeof value === 'string' ? [value] : values(value)));
}

const catalogue = [
  ...new Set(
    globSync(['src/renderer/**/de.json', 'src/renderer/i18n/de/*.json', 'src/contract/errors/de/*.json'], {
      cwd: root,
    }).flatMap((file) => values(JSON.parse(readFileSync(`${root}${file}`, 'utf8')) as object)),
  ),
];

test.use({ locale: 'de-DE' });

/** Puts the same brackets around the times and amounts that the browser writes in words. */
async function markWordsOfBrowser(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const mark = (text: string): string => (/\p{L}{2}/u.test(text) ? `[!! ${text} !!]` : text);
    for (const prototype of [Intl.NumberFormat.prototype, Intl.DateTimeFormat.prototype]) {
      const own = Object.getOwnPropertyDescriptor(prototype, 'format') as { get(): (value: number) => string };
      Object.defineProperty(prototype, 'format', {
        configurable: true,
        get() {
          const format = own.get.call(this);
          return (value: number) => mark(format(value));
        },
      });
    }
    for (const prototype of [Intl.RelativeTimeFormat.prototype, Intl.ListFormat.prototype] as {
      format(...values: unknown[]): string;
    }[]) {
      const { format } = prototype;
      prototype.format = function (...values) {
        return mark(format.apply(this, values));
      };
    }
  });
}

/** Calls that fail, so that the page has reasons to tell: one that no node answers, one that is refused, one that the node refuses. */
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

test('every word of the page comes from the catalogue', async ({ page, host }) => {
  test.setTimeout(180_000);
  await failCalls(host);
  await markWordsOfBrowser(page);
  // The German texts with brackets around each: what stands outside of brackets is no text of the catalogue.
  await page.route(/assets\/german-[^/]+\.js$/, async (route) => {
    const answer = await route.fetch({ headers: { ...route.request().headers(), 'accept-encoding': 'identity' } });
    let code = await answer.text();
    for (const text of catalogue) {
      const inCode = text.replaceAll('\\', '\\\\').replaceAll('`', '\\`');
      for (const quote of ['`', '"', "'"]) {
        code = code.replaceAll(`:${quote}${inCode}${quote}`, `:${quote}[!! ${inCode} !!]${quote}`);
      }
    }
    await route.fulfill({ response: answer, body: code, headers: { 'content-type': 'text/javascript' } });
  });
  await openHost(page, host);
  await expect(page.getByRole('navigation').first()).toContainText('[!! ');
  const found: string[] = [];
  for (const path of plainViews) {
    await goTo(page, path);
    await expect(page.getByRole('main').getByRole('status', { name: 'Lädt …' })).toHaveCount(0);
    const texts = await page.evaluate(() => {
      const shown: string[] = [];
      for (const element of document.querySelectorAll<HTMLElement>('body *')) {
        // Data, code and words that stand in a setting are in no language.
        if (element.closest('pre, code, .mono, textarea, style, script, noscript, [data-untranslated]') !== null)
          continue;
        if (!element.checkVisibility()) continue;
        for (const node of element.childNodes) if (node.nodeType === Node.TEXT_NODE) shown.push(node.textContent ?? '');
        for (const name of ['aria-label', 'title', 'placeholder', 'alt']) shown.push(element.getAttribute(name) ?? '');
      }
      return shown;
    });
    for (const text of texts) {
      let rest = text;
      for (let before = ''; before !== rest; ) {
        before = rest;
        rest = rest.replace(/\[!!(?:(?!\[!!|!!\]).)*!!\]/gs, ' ');
      }
      for (const pattern of NO_TEXT) rest = rest.replace(pattern, ' ');
      if (/\p{L}{2,}/u.test(rest)) found.push(`${path}: ${text.trim().slice(0, 120)}`);
    }
  }
  expect([...new Set(found)]).toEqual([]);
});
