import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { codeTexts, errorCodes, errorEntries, languages, phraseTexts } from '../src/contract/index.ts';
import type { Catalogue } from '../src/contract/languages/catalogue.ts';
import german from '../src/contract/languages/de/catalogue.ts';
import { en } from '../src/main/shell/texts/en.ts';
import { textsIn } from '../src/main/shell/texts/texts.ts';
import { root } from './paths.ts';
import { englishPage, libraryTexts, pseudoLanguage } from './pseudo-language.ts';

type Texts = { readonly [key: string]: string | Texts };

/** The texts of a catalogue by their complete key. */
function flat(texts: Texts, before = ''): Map<string, string> {
  const found = new Map<string, string>();
  for (const [key, value] of Object.entries(texts)) {
    if (typeof value === 'string') found.set(before + key, value);
    else for (const [inner, text] of flat(value, `${before}${key}.`)) found.set(inner, text);
  }
  return found;
}

/** `count` may be left out of a form that says it in words: "one token". */
const placeholdersOf = (text: string): string[] =>
  [...new Set([...text.matchAll(/\{\{(\w+)[^}]*\}\}|\{(\w+)\}|<\/?\w+>/g)].map(([whole, name]) => name ?? whole))]
    .filter((name) => name !== 'count')
    .sort();

const folder = 'src/contract/languages';
const read = (file: string): Map<string, string> => flat(JSON.parse(readFileSync(join(root, file), 'utf8')) as Texts);
const germanFiles = globSync(`${folder}/de/**/*.json`, { cwd: root });
const english = flat(englishPage() as Texts);

/** Only programs and the command line show these. */
const ofPrograms = /^(?:cli|rest|sandbox-api|usage|write-api)\./;

it('each language has a folder and one line with its name', () => {
  const folders = readdirSync(join(root, folder), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(folders.map(({ name }) => name)).toEqual(languages.filter((language) => language !== 'en'));
});

const catalogues: [string, Catalogue][] = [
  ['pseudo', pseudoLanguage()],
  ...Object.entries(
    import.meta.glob<Catalogue>('../src/contract/languages/*/catalogue.ts', { eager: true, import: 'default' }),
  ),
];

describe.each(catalogues)('the texts of %s', (_, { page, errors, codes, phrases }) => {
  /** Texts whose placeholders differ from those of the English one, or that are missing. */
  const differing = (texts: ReadonlyMap<string, string>, given: ReadonlyMap<string, string>): string[] =>
    [...texts]
      .filter(([key, text]) => `${placeholdersOf(text)}` !== `${placeholdersOf(given.get(key) ?? '{}{{none}}')}`)
      .map(([key]) => key);

  it('are complete for the page, with the placeholders of the English ones', () => {
    const texts = flat(page as Texts);
    expect(english.size).toBeGreaterThan(2_000);
    expect([...texts.keys()].sort()).toEqual([...english.keys()].sort());
    expect(differing(english, texts)).toEqual([]);
  });

  it('are complete for the host, with the placeholders of the English ones', () => {
    const texts = new Map(Object.entries(phrases as Texts)) as Map<string, string>;
    const ofHost = new Map([...Object.entries(phraseTexts), ...libraryTexts().map((text) => [text, text] as const)]);
    expect([...texts.keys()].sort()).toEqual([...ofHost.keys()].sort());
    expect(differing(ofHost, texts)).toEqual([]);
  });

  it('are complete for every error that a person can meet, with its placeholders', () => {
    const braces = (text = ''): string => `${[...text.matchAll(/\{\w+\}/g)].map(([match]) => match).sort()}`;
    const wrong = Object.entries(errorEntries).filter(([id, { message, hint }]) => {
      const own = errors[id as keyof typeof errors];
      if (own === undefined) return !ofPrograms.test(id);
      return braces(own.message) !== braces(message) || braces(own.hint) !== braces(hint);
    });
    expect(wrong.map(([id]) => id)).toEqual([]);
    expect(Object.keys(errors).filter((id) => !(id in errorEntries))).toEqual([]);
  });

  it('explain every code and its fix', () => {
    expect(Object.keys(codes).sort()).toEqual([...errorCodes].sort());
    for (const code of errorCodes) {
      expect(codes[code].meaning, code).not.toBe(codeTexts[code].meaning);
      expect(codes[code].hint, code).not.toBe(codeTexts[code].hint);
    }
  });
});

it.each(languages)('the texts of the desktop shell are complete in %s, with the English placeholders', (language) => {
  const texts = textsIn(language);
  expect(Object.keys(texts)).toEqual(Object.keys(en));
  for (const key of Object.keys(en) as (keyof typeof en)[])
    expect([key, placeholdersOf(texts[key])]).toEqual([key, placeholdersOf(en[key])]);
});

describe('the German texts', () => {
  it('use the words for coin and wallet of the glossary', () => {
    const wrong = germanFiles.flatMap((file) =>
      [...read(file)]
        // Text that a person may type is not translated.
        .filter(([key]) => !file.endsWith('/intents.json') || !key.endsWith('.words'))
        .filter(([, text]) => /Münze|\b(?:das|ein|kein|dem|einem|keinem|des) Wallet\b/i.test(text))
        .map(([key]) => `${file} ${key}`),
    );
    expect(germanFiles.length).toBeGreaterThan(30);
    expect(wrong).toEqual([]);
  });

  it('address the reader formally and write quotation marks and dashes as German does', () => {
    const wrong = [...flat(german.page as Texts)].filter(([, text]) =>
      /\b(?:du|dein\w*|dir|dich)\b|“[^“„]*”|\w…/i.test(text),
    );
    expect(wrong).toEqual([]);
  });
});

it('every check of a review is made of phrases, so that it can be translated', () => {
  const files = globSync('src/main/**/*.ts', { cwd: root, exclude: ['**/*.test.ts', '**/test-support/**'] });
  expect(files.length).toBeGreaterThan(500);
  const made = files.filter((file) => /\bpassed(?:,|:)[^;]{0,80}\btext:/.test(readFileSync(join(root, file), 'utf8')));
  expect(made).toEqual([]);
});

describe('a text of the host', () => {
  const translators = /i18n\/(?:errors|phrases|reason)\.ts'|api\/failure\.ts'|callouts\/failure-note\.tsx'/;
  const said = /\b(?:failure|problem|notice|warning|degraded|cause|reason)\??\.(?:message|hint)\b/;

  it('is shown only by code that can translate it', () => {
    const files = globSync('src/renderer/**/*.{ts,tsx}', { cwd: root, exclude: ['**/*.test.*', '**/test-support/**'] });
    expect(files.length).toBeGreaterThan(300);
    const strays = files.filter((file) => {
      const text = readFileSync(join(root, file), 'utf8');
      return said.test(text) && !translators.test(text);
    });
    expect(strays).toEqual([]);
  });
});
