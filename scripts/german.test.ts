import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { germanCodes, germanErrors } from '../src/contract/errors/de/index.ts';
import { codeTexts, errorCodes, errorEntries, phraseTexts } from '../src/contract/index.ts';
import { root } from './paths.ts';

type Texts = { readonly [key: string]: string | Texts };

/** The texts of a catalogue by their whole key. */
function flat(texts: Texts, before = ''): Map<string, string> {
  const found = new Map<string, string>();
  for (const [key, value] of Object.entries(texts)) {
    if (typeof value === 'string') found.set(before + key, value);
    else for (const [inner, text] of flat(value, `${before}${key}.`)) found.set(inner, text);
  }
  return found;
}

const read = (path: string): Map<string, string> =>
  flat(JSON.parse(readFileSync(join(root, path), 'utf8').replace(/^\uFEFF/, '')) as Texts);

/** `count` may be left out of a form that says it in words: "one token". */
const placeholdersOf = (text: string): string[] =>
  [...new Set([...text.matchAll(/\{\{(\w+)[^}]*\}\}|\{(\w+)\}|<\/?\w+>/g)].map(([whole, name]) => name ?? whole))]
    .filter((name) => name !== 'count')
    .sort();

const pairs = globSync(['src/renderer/**/en.json', 'src/renderer/i18n/en/*.json'], { cwd: root }).map((en) => ({
  en,
  de: en.replace('/i18n/en/', '/i18n/de/').replace(/\/en\.json$/, '/de.json'),
}));

describe('the German texts', () => {
  it('stand beside every English catalogue', () => {
    expect(pairs.length).toBeGreaterThan(20);
    expect(pairs.filter(({ de }) => !existsSync(join(root, de)))).toEqual([]);
  });

  it.each(pairs)('$de has every key of the English one, and no other', ({ en, de }) => {
    expect([...read(de).keys()].sort()).toEqual([...read(en).keys()].sort());
  });

  it.each(pairs)('$de has the placeholders of the English one', ({ en, de }) => {
    const german = read(de);
    const differing = [...read(en)].filter(
      ([key, text]) => `${placeholdersOf(text)}` !== `${placeholdersOf(german.get(key) ?? '')}`,
    );
    expect(differing).toEqual([]);
  });

  it('say coin and wallet as the glossary does', () => {
    const catalogues = [...pairs.map(({ de }) => de), ...globSync('src/contract/**/{de,*.de}.json', { cwd: root })];
    const errors = globSync('src/contract/errors/de/*.json', { cwd: root });
    const wrong = [...catalogues, ...errors].flatMap((file) =>
      [...read(file)]
        .filter(([, text]) => /Münze|\b(?:das|ein|kein|dem|einem|keinem|des) Wallet\b/i.test(text))
        .map(([key]) => `${file} ${key}`),
    );
    expect(errors.length).toBeGreaterThan(3);
    expect(wrong).toEqual([]);
  });

  it('address the reader formally and write quotation marks and dashes as German does', () => {
    const wrong = pairs.flatMap(({ de }) =>
      [...read(de)]
        .filter(([, text]) => /\b(?:du|dein\w*|dir|dich)\b|“[^“„]*”|\w…/i.test(text))
        .map(([key]) => `${de} ${key}`),
    );
    expect(wrong).toEqual([]);
  });
});

it('the German phrases of the host are all there, with the placeholders of the English ones', () => {
  const german = read('src/contract/phrases/de.json');
  expect([...german.keys()].sort()).toEqual(Object.keys(phraseTexts).sort());
  const differing = Object.entries(phraseTexts).filter(
    ([key, text]) => `${placeholdersOf(text)}` !== `${placeholdersOf(german.get(key) ?? '')}`,
  );
  expect(differing).toEqual([]);
});

it('every check of a review is made of phrases, so that it is said in German', () => {
  const files = globSync('src/main/**/*.ts', { cwd: root, exclude: ['**/*.test.ts', '**/test-support/**'] });
  expect(files.length).toBeGreaterThan(500);
  const made = files.filter((file) => /\bpassed(?:,|:)[^;]{0,80}\btext:/.test(readFileSync(join(root, file), 'utf8')));
  expect(made).toEqual([]);
});

describe('what the host says', () => {
  const translators = /i18n\/(?:errors|phrases|reason)\.ts'|api\/failure\.ts'|callouts\/failure-note\.tsx'/;
  const said = /\b(?:failure|problem|notice|warning|degraded|cause|reason)\??\.(?:message|hint)\b/;

  it('is shown by nothing that cannot translate it', () => {
    const files = globSync('src/renderer/**/*.{ts,tsx}', { cwd: root, exclude: ['**/*.test.*', '**/test-support/**'] });
    expect(files.length).toBeGreaterThan(300);
    const strays = files.filter((file) => {
      const text = readFileSync(join(root, file), 'utf8');
      return said.test(text) && !translators.test(text);
    });
    expect(strays).toEqual([]);
  });
});

describe('the German error messages', () => {
  /** Only programs and the command line meet these. */
  const ofPrograms = /^(?:cli|rest|sandbox-api|usage|write-api)\./;
  const braces = (text = ''): string => `${[...text.matchAll(/\{\w+\}/g)].map(([match]) => match).sort()}`;

  it('are there for every message that a person can meet, with its placeholders', () => {
    const wrong = Object.entries<{ message: string; hint?: string }>(errorEntries).filter(([id, { message, hint }]) => {
      const german = germanErrors[id as keyof typeof germanErrors];
      if (german === undefined) return !ofPrograms.test(id);
      return braces(german.message) !== braces(message) || braces(german.hint) !== braces(hint);
    });
    expect(wrong.map(([id]) => id)).toEqual([]);
    expect(Object.keys(germanErrors).filter((id) => !(id in errorEntries))).toEqual([]);
  });

  it('tell for every code what it means and what to do', () => {
    expect(Object.keys(germanCodes).sort()).toEqual([...errorCodes].sort());
    for (const code of errorCodes) {
      expect(germanCodes[code].meaning, code).not.toBe(codeTexts[code].meaning);
      expect(germanCodes[code].hint, code).not.toBe(codeTexts[code].hint);
    }
  });
});
