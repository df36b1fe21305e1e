import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, testWithOwnHost } from '../../support/fixtures.ts';
import { plainViews } from '../../support/views.ts';

const test = testWithOwnHost();

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** What needs no catalogue: addresses and ids, names of things and tools, units, and times, which the browser writes. */
const NO_TEXT = [
  /^curl '[\s\S]*/,
  /(?:https?|tcp|postgres):\/\/\S*/g,
  /\b[0-9A-Za-z]{4}…[0-9A-Za-z]{4}\b|\b[123mn][1-9A-HJ-NP-Za-km-z]{25,34}\b|\b[0-9a-f]{8,}(?:…[0-9a-f]+)?/g,
  /\b\d+\. [A-Z][a-zä]{2,3}\.? \d{4}(?:, [\d:]+ UTC)?/g,
  /\b(?:vor|in) [\d.]+ (?:Sek\.|Min\.|Std\.|Tag(?:en?)?)|\bjetzt\b|\b(?:vor)?gestern\b/g,
  /\b(?:Planchet|Sandbox(?: ARC)?|Default|console|block-\d+|get[a-z]+|JSON|ZMQ|curl|JavaScript|Python|Deutsch|English|Chrome|Safari|Linux|macOS|Windows)\b/g,
  /\b(?:sat|kB|MB|GB|ms|min|BSV|UTC|v?\d[\w.]*)\b/g,
];

function values(texts: object): string[] {
  return Object.values(texts).flatMap((value) => (typeof value === 'string' ? [value] : values(value)));
}

const catalogue = [
  ...new Set(
    globSync(['src/renderer/**/de.json', 'src/renderer/i18n/de/*.json'], { cwd: root }).flatMap((file) =>
      values(JSON.parse(readFileSync(`${root}${file}`, 'utf8')) as object),
    ),
  ),
];

test.use({ locale: 'de-DE' });

test('every word of the page comes from the catalogue', async ({ page, host }) => {
  test.setTimeout(180_000);
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
  await page.goto(await host.login());
  await expect(page.getByRole('navigation').first()).toContainText('[!! ');
  const found: string[] = [];
  for (const path of plainViews) {
    await page.evaluate((to) => {
      location.hash = to;
    }, path);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
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
