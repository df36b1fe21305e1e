import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { root } from '../../scripts/paths.ts';
import { contract, sandboxFaultNames, settingRows } from '../contract/index.ts';
import { commandLine } from './command-line.ts';

const pages = globSync(['*.md', 'deploy/*.md', 'docs/**/*.md'], { cwd: root, exclude: ['docs/openapi/**'] });
const program = commandLine(true);
const groups = new Set(program.commands.map((command) => command.name()));
/** Options of the program that take a value, which is no command. */
const valued = new Set(program.options.flatMap(({ long, required }) => (required && long ? [long] : [])));

/** The command lines that a page shows, in blocks and as code in a line, without `planchet`. */
function commandsOf(text: string): string[] {
  const inLine = [...text.replaceAll(/```[\s\S]*?```/g, '').matchAll(/`([^`\n]+)`/g)].map(([, code]) => code as string);
  const blocks = [...text.matchAll(/```(?:sh|powershell)?\n([\s\S]*?)```/g)].map(([, block]) => block as string);
  const typed = blocks.flatMap((block) =>
    [...block.matchAll(/^\s*(?:sudo )?(?:planchet|npm run (?:--silent )?planchet --|server|fleet [ab]) (.+)$/gm)].map(
      ([, rest]) => rest as string,
    ),
  );
  const named = inLine.flatMap((code) =>
    code.startsWith('planchet ')
      ? [code.slice('planchet '.length)]
      : /^[a-z-]+ [-a-z<[](?!.*: )/.test(code) && groups.has(code.split(' ', 1)[0] as string)
        ? [code]
        : [],
  );
  return [...typed, ...named];
}

const words = (command: string): string[] =>
  command
    .replace(/ #.*$/, '')
    .replaceAll(/[“”"'[\]]/g, '')
    .split(/(?:\\?\||[\s,])+/)
    .filter((word) => word !== '');

/** Why the program does not know a command line: no such command, option, setting or fault; undefined where it does. */
function whyUnknown(line: string): string | undefined {
  let command: Command = program;
  const options = new Set(['--help', ...program.options.map(({ long }) => long)]);
  const rest: string[] = [];
  const all = words(line);
  for (const [at, word] of all.entries()) {
    if (word.startsWith('-') || valued.has(all[at - 1] ?? '')) continue;
    const next = rest.length === 0 ? command.commands.find((one) => one.name() === word) : undefined;
    if (next === undefined) rest.push(word);
    else command = next;
    for (const { long } of next?.options ?? []) options.add(long);
  }
  const option = all
    .map((word) => word.split('=', 1)[0] as string)
    .find((word) => /^--\w/.test(word) && !options.has(word));
  if (option !== undefined) return `${line}: no option ${option}`;
  const first = rest[0];
  if (first === undefined || !/^[a-z]/.test(first)) return undefined;
  if (command.commands.length > 0) return `${line}: no command ${first}`;
  const isSetting = command.parent?.name() === 'settings' && ['set', 'get'].includes(command.name());
  if (isSetting && !settingRows.has(first)) return `${line}: no setting ${first}`;
  const isFault = command.name() === 'fault' && first !== 'off';
  return isFault && !(sandboxFaultNames as readonly string[]).includes(first)
    ? `${line}: no fault ${first}`
    : undefined;
}

/** The procedures of the contract and the groups that hold them, by their names with points between. */
function proceduresOf(node: object, path: readonly string[] = []): string[] {
  if ('~orpc' in node) return [path.join('.')];
  return [
    path.join('.'),
    ...Object.entries(node).flatMap(([name, inner]) => proceduresOf(inner as object, [...path, name])),
  ];
}
const procedures = new Set(proceduresOf(contract));

/** Files and members of other things whose first word is a group of the contract, too. */
const others = /\.(?:ts|json|db|csv)$|^app\.enableSandbox$|^sandbox\.key$|^miners\.kind$/;

describe.each(pages)('%s', (page) => {
  const text = readFileSync(join(root, page), 'utf8');

  it('shows only commands, options, settings and faults that there are', () => {
    expect(commandsOf(text).flatMap((line) => whyUnknown(line) ?? [])).toEqual([]);
  });

  it.skipIf(page === 'CHANGELOG.md')('names only procedures that there are', () => {
    const named = [...text.matchAll(/`([a-z]\w*(?:\.[a-zA-Z]+)+)`/g)].map(([, name]) => name as string);
    const ours = named.filter((name) => Object.hasOwn(contract, name.split('.', 1)[0] as string) && !others.test(name));
    expect(ours.filter((name) => !procedures.has(name) && !settingRows.has(name))).toEqual([]);
  });
});

it.each([
  ['wallet send ADDRESS 1 --accept KEY', 'no option --accept'],
  ['wallet sendmany ADDRESS', 'no command sendmany'],
  ['settings set rpcbind :8332', 'no setting rpcbind'],
  ['sandbox fault pruned', 'no fault pruned'],
])('the check of pages reports "%s"', (line, why) => {
  expect(whyUnknown(line)).toContain(why);
});

it('the check of pages finds the commands of all of them', () => {
  const found = pages.flatMap((page) => commandsOf(readFileSync(join(root, page), 'utf8')));
  expect(found.length).toBeGreaterThan(300);
});
