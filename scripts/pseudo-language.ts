import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { codeTexts, errorEntries, phraseTexts } from '../src/contract/index.ts';
import type { Catalogue } from '../src/contract/languages/catalogue.ts';
import { root } from './paths.ts';

const PLAIN = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
const ACCENTED = 'åƀçđéƒĝĥîĵķļɱñöþɋŕšţûṽŵẋýžÅƁÇĐÉƑĜĤÎĴĶĻṀÑÖÞɊŔŠŢÛṼŴẊÝŽ';

/** A text with an accent on every letter: readable, but in no language. Placeholders and the names of tags are not changed. */
export function accented(text: string): string {
  return text.replace(/(\{+[^}]*\}+|<\/?\w+>)|[a-zA-Z]/g, (letter, kept) => kept ?? ACCENTED[PLAIN.indexOf(letter)]);
}

function allAccented<T>(texts: T): T {
  if (typeof texts === 'string') return accented(texts) as T;
  return Object.fromEntries(Object.entries(texts as object).map(([key, text]) => [key, allAccented(text)])) as T;
}

/** The English texts of the page by their first key, as its manifests name them. */
export function englishPage(): Record<string, object> {
  const manifests = [
    'src/renderer/features/*/index.ts',
    'src/renderer/features/**/texts.ts',
    'src/renderer/components/**/texts.ts',
    'src/renderer/app/**/texts.ts',
    'src/renderer/i18n/index.ts',
  ];
  const texts = globSync(manifests, { cwd: root }).flatMap((manifest) => {
    const source = readFileSync(join(root, manifest), 'utf8');
    return [...source.matchAll(/import (\w+) from '([^']+\.json)'/g)].map(([, name = '', file = '']) => {
      const key = new RegExp(`(\\w+): ${name}\\b`).exec(source)?.[1] ?? name;
      return [key, JSON.parse(readFileSync(join(root, dirname(manifest), file), 'utf8'))] as const;
    });
  });
  return Object.fromEntries(texts);
}

/** Messages that only programs and the command line show. They stay in English. */
const OF_PROGRAMS = [
  'src/{chain,token}/**/{test-support,page}/**',
  'src/chain/bundle/{format,page}.ts',
  'src/chain/{test-support,verification}/**',
  'src/token/{covenant/{covenant,assembler},chain-functions}.ts',
  'src/token/network/**',
];

/** The sentences among the string literals of a source, without its comments. */
function sentencesIn(source: string): string[] {
  const code = source.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  return [...code.matchAll(/'((?:[^'\\\n]|\\.)*)'/g)]
    .map(([, text = '']) => text.replaceAll("\\'", "'"))
    .filter((text) => /[a-z}“”"’,:] [a-z{“"]/.test(text) && !text.startsWith('.'));
}

/** The sentences of `src/chain`, `src/token` and `src/main/zmtp`, and the host's refusals of blocks and proofs: each is its own id. */
export function libraryTexts(): string[] {
  const libraries = globSync('src/{chain,token}/**/*.ts', { cwd: root, exclude: ['**/*.test.ts', ...OF_PROGRAMS] });
  const ofHost = globSync('src/main/{chain-data,merchant,zmtp}/**/*.ts', { cwd: root, exclude: ['**/*.test.ts'] });
  const sources = libraries.map((file) => readFileSync(join(root, file), 'utf8'));
  const refusals = ofHost.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/new (?:Chain|Zmtp)Error\([^;]*;/g)].map(([call]) => call),
  );
  return [...new Set([...sources, ...refusals].flatMap(sentencesIn))].sort();
}

/** A language made from English, in which a text without an id is recognised by its letters without an accent. */
export function pseudoLanguage(): Catalogue {
  const errors = Object.entries(errorEntries).map(([id, { message, hint }]) => [
    id,
    allAccented({ message, ...(hint !== undefined && { hint }) }),
  ]);
  return {
    page: allAccented(englishPage()),
    errors: Object.fromEntries(errors),
    codes: allAccented(codeTexts),
    phrases: allAccented({ ...phraseTexts, ...Object.fromEntries(libraryTexts().map((text) => [text, text])) }),
  };
}
