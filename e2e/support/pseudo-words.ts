import type { Page } from '@playwright/test';
import { accented, pseudoLanguage } from '../../scripts/pseudo-language.ts';

/** Text that is in no catalogue: addresses and ids, placeholders, files and types, names of things and tools, and units. */
const NO_TEXT = [
  /^curl '[\s\S]*/,
  /^\{"[\s\S]*/,
  /\b[\w.]+=…/,
  /\bkey-\w+(?:…|-)[\w-]*/g,
  /(?:https?|tcp|postgres):\/\/\S*/g,
  /\w{4,}…\w*|\b[123mn][1-9A-HJ-NP-Za-km-z]{25,34}\b|\b[0-9a-f]{8,}/g,
  /\{#?\w+\}/g,
  /\/[\w/.-]+|\b\w+\/\w+\b|\b[\w-]+\.(?:png|svg|csv)\b/g,
  /\b(?:Planchet|Sandbox(?: ARC)?|Default|console|block-\d+|(?:get|send)[a-z]+|JSON|ZMQ|curl|JavaScript|Python|Deutsch|English|Chrome|Firefox|Safari|Linux|macOS|Windows|Node)\b/g,
  /\b(?:settings-invalid|merkleProof|regtest|name|number|file|type|subType|app|ord|collection|description)\b/g,
  /\b(?:sat|kB|MB|GB|ms|min|BSV|UTC|v?\d[\w.]*)\b/g,
  /\bPLANCHET_[A-Z_]+\b/g,
];

/** Text written by the person of the scenes: names of projects, tokens, traits, columns, keys and labels. */
const WRITTEN = [
  /Copper moons?|Low tide|Sketches|Night (?:ferry|jobs)|Tide|Haiku|Paper|Waves|Some|Many|Few|Metal|Copper|A sample\.|Bread voucher|Moons over the sea, each struck once\.|A moon over the sea\./g,
  /Harbour|Docks?(?: [A-D])?|Sky|Moon|Storm|Small|Dusk|Dawn|Night|Full|Great|BREAD|MILK|Milk voucher|Second/g,
  /Workshop fee|Sold: |Savings|Refund of a print|Rent of the studio|Frames for the show|A tip|before-the-show/g,
  /Explorer of the studio|orders|invoices|readings|The disc is still blank\.[\s\S]*/g,
];

/** Accents the times and amounts that the browser formats. */
async function accentWordsOfBrowser(page: Page): Promise<void> {
  const letters = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'].map((letter) => [
    letter,
    accented(letter),
  ]);
  await page.addInitScript(
    (accents) => {
      const mark = (text: string): string => text.replace(/[a-zA-Z]/g, (letter) => accents[letter] ?? letter);
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
    },
    Object.fromEntries(letters) as Record<string, string>,
  );
}

/** Replaces German by the pseudo-language before the page is opened: plain letters then mean that a text is in no catalogue. */
export async function usePseudoLanguage(page: Page): Promise<void> {
  await accentWordsOfBrowser(page);
  await page.route(/assets\/catalogue-[^/]+\.js$/, (route) =>
    route.fulfill({ contentType: 'text/javascript', body: `export default ${JSON.stringify(pseudoLanguage())}` }),
  );
}

/** The visible texts with letters that come from no catalogue. */
export async function plainWords(page: Page): Promise<string[]> {
  const texts = await page.evaluate(() => {
    const shown: string[] = [];
    for (const element of document.querySelectorAll<HTMLElement>('body *')) {
      // Data, code and values of settings are in no language.
      if (element.closest('pre, code, .mono, textarea, style, script, noscript, [data-untranslated]') !== null)
        continue;
      if (!element.checkVisibility()) continue;
      for (const node of element.childNodes) if (node.nodeType === Node.TEXT_NODE) shown.push(node.textContent ?? '');
      for (const name of ['aria-label', 'title', 'placeholder', 'alt']) shown.push(element.getAttribute(name) ?? '');
    }
    return shown;
  });
  return texts.filter((text) =>
    /[a-zA-Z]{2}/.test([...NO_TEXT, ...WRITTEN].reduce((rest, one) => rest.replace(one, ' '), text)),
  );
}
