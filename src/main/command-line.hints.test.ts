import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command, CommanderError } from 'commander';
import { describe, expect, it } from 'vitest';
import { root } from '../../scripts/paths.ts';
import { codeTexts, errorEntries, settingRows } from '../contract/index.ts';
import catalogue from '../contract/languages/de/catalogue.ts';
import { commandLine } from './command-line.ts';

/** What stands for placeholders where a number is asked for. */
const numbers: Readonly<Record<string, string>> = { missing: '1000', port: '8332', next: '8333', example: '8334' };
/** And for the names of arguments. */
const samples: Readonly<Record<string, string>> = {
  BLOCKS: '1',
  SATOSHIS: '1000',
  KEY: 'theme',
  TOKEN: `${'a'.repeat(64)}_0`,
};

/** The commands that a text names, as they would be typed. */
function commandsIn(text: string): string[] {
  const marked = [...text.matchAll(/["`“„]planchet ([^"`“”]+)["`“”]/g)].map(([, command]) => command as string);
  const rest = text.replace(/["`“„]planchet [^"`“”]+["`“”]/g, '');
  const bare = [
    ...rest.matchAll(
      /(?:: |command |Befehl |with |mit |over |or |oder )planchet ((?:(?!, | or | oder | does | tut |[.;] |[.;]$).)+)/g,
    ),
  ];
  return [...marked, ...bare.map(([, command]) => command as string)];
}

function words(command: string): string[] {
  return command
    .replace(/\{(\w+)\}/g, (_, name: string) => numbers[name] ?? 'value')
    .trim()
    .split(/\s+/)
    .map((word) => samples[word] ?? word);
}

/** What the program's own parser says of a command line; undefined where it would run. */
async function whyWrong(args: readonly string[]): Promise<string | undefined> {
  const program = commandLine(true);
  let ran = false;
  const replace = (command: Command): void => {
    command.action(() => {
      ran = true;
    });
    for (const one of command.commands) replace(one);
  };
  for (const one of program.commands) replace(one);
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    // The help is what such a command is for.
    return (error as CommanderError).code === 'commander.helpDisplayed' ? undefined : (error as Error).message;
  }
  const [first, second, key = ''] = args;
  if (first === 'settings' && second === 'set' && key !== 'value' && !settingRows.has(key))
    return `there is no setting ${key}`;
  return ran ? undefined : 'it is a group of commands';
}

type Texts = { readonly [key: string]: string | Texts };
const allTexts = (texts: Texts): string[] =>
  Object.values(texts).flatMap((text) => (typeof text === 'string' ? [text] : allTexts(text)));

const catalogues = globSync(['src/renderer/**/{en,de}.json', 'src/renderer/i18n/{en,de}/*.json'], { cwd: root });
const sources: readonly (readonly [name: string, texts: () => string[]])[] = [
  ['an error message', () => Object.values<Texts>(errorEntries as never).flatMap(allTexts)],
  ['a German error message', () => Object.values<Texts>(catalogue.errors as never).flatMap(allTexts)],
  ['the hint of a code', () => [...allTexts(codeTexts), ...allTexts(catalogue.codes)]],
  [
    'a text of the page',
    () => catalogues.flatMap((file) => allTexts(JSON.parse(readFileSync(join(root, file), 'utf8')) as Texts)),
  ],
  ['the list of errors', () => readFileSync(join(root, 'docs/errors.md'), 'utf8').split(/[|\n]/)],
  [
    'a sentence of the host',
    () =>
      globSync('src/main/{host,console,infrastructure}/**/*.ts', { cwd: root }).flatMap((file) =>
        [...readFileSync(join(root, file), 'utf8').matchAll(/'([^'\n]*planchet [^'\n]*)'/g)].map(
          ([, text]) => text as string,
        ),
      ),
  ],
];

describe('the check of commands that texts name', () => {
  it.each(sources)('finds only commands of the program in %s', async (_, texts) => {
    const commands = [...new Set(texts().flatMap(commandsIn))];
    expect(commands.length).toBeGreaterThan(0);
    const wrong: string[] = [];
    for (const command of commands) {
      const why = await whyWrong(words(command));
      if (why !== undefined) wrong.push(`${command}: ${why}`);
    }
    expect(wrong).toEqual([]);
  });

  it('reports a command that does not exist', async () => {
    expect(commandsIn('Turn it off: planchet sandbox fault clear. Or wait.')).toEqual(['sandbox fault clear']);
    expect(await whyWrong(['sandbox', 'fault', 'clear'])).toMatch(/clear/);
    expect(await whyWrong(['sandbox', 'fault', 'off'])).toBeUndefined();
    expect(await whyWrong(['settings', 'set', 'nothing', '1'])).toMatch(/no setting/);
  });
});
