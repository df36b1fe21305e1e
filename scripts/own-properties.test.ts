import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'vite';
import { describe, expect, it } from 'vitest';
import { root } from './paths.ts';

/*
 * An untrusted string may be `constructor` or `__proto__`, which every object has. So `in` is used only with a literal name, and a
 * table indexed by a variable is a Map, or `Object.hasOwn` is called first.
 */

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [name: string]: unknown;
}

const sources = globSync('src/**/*.{ts,tsx}', { cwd: root })
  .filter((path) => !/\.test\.tsx?$|[\\/]test-support[\\/]/.test(path))
  .map((path) => {
    const text = readFileSync(join(root, path), 'utf8');
    return { path, text, program: parseSync(path, text).program as unknown as Node };
  });

function nodesIn(value: unknown, found: Node[] = []): Node[] {
  if (typeof value !== 'object' || value === null) return found;
  if (typeof (value as Node).type === 'string') found.push(value as Node);
  for (const part of Object.values(value)) nodesIn(part, found);
  return found;
}

const line = (text: string, at: number): number => text.slice(0, at).split('\n').length;
const isWritten = (key: Node): boolean => key.type === 'Literal' || key.type === 'PrivateIdentifier';

/** Names of the constants of a module that are declared as a `Record<string, …>`. */
function tablesOf({ text, program }: (typeof sources)[number]): { name: string; exported: boolean }[] {
  return (program.body as Node[]).flatMap((statement) => {
    const exported = statement.type === 'ExportNamedDeclaration';
    const declaration = exported ? (statement.declaration as Node | null) : statement;
    if (declaration?.type !== 'VariableDeclaration') return [];
    return (declaration.declarations as Node[]).flatMap(({ id }) => {
      const { start, end, name } = id as Node;
      return /:\s*(?:(?:Readonly|Partial)<)*Record<string,/.test(text.slice(start, end))
        ? [{ name: String(name), exported }]
        : [];
    });
  });
}

const exportedTables = new Set(sources.flatMap(tablesOf).flatMap(({ name, exported }) => (exported ? [name] : [])));

function faultsOf(source: (typeof sources)[number]): string[] {
  const { path, text, program } = source;
  const own = new Set(tablesOf(source).map(({ name }) => name));
  const nodes = nodesIn(program);
  const imported = new Set(nodes.flatMap((n) => (n.type === 'ImportSpecifier' ? [nameOf(n.local)] : [])));
  const isTable = (name: string): boolean => own.has(name) || (exportedTables.has(name) && imported.has(name));
  return nodes
    .filter((node) => {
      if (node.type === 'BinaryExpression') return node.operator === 'in' && !isWritten(node.left as Node);
      if (node.type !== 'MemberExpression' || node.computed !== true || isWritten(node.property as Node)) return false;
      const name = nameOf(node.object);
      return isTable(name) && !text.includes(`Object.hasOwn(${name}, `);
    })
    .map(({ start, end }) => `${path}:${line(text, start)} ${text.slice(start, end)}`);
}

function nameOf(node: unknown): string {
  return (node as Node).type === 'Identifier' ? String((node as Node).name) : '';
}

describe('an object indexed by an untrusted string', () => {
  it('is read only after a check for own properties', () => {
    expect(sources.length).toBeGreaterThan(900);
    expect(sources.flatMap(faultsOf)).toEqual([]);
  });

  it.each([
    ['const table: Readonly<Record<string, number>> = {};\ntable[word];', ['t.ts:2 table[word]']],
    ['const table: Record<string, number> = {};\nObject.hasOwn(table, word) && table[word];', []],
    ['const table = new Map<string, number>();\ntable.get(word);', []],
    ['if (word in answer) stop();', ['t.ts:1 word in answer']],
    ["if ('list' in answer || #own in answer) stop();", []],
    ['for (const key in answer) stop();', []],
  ])('is found or accepted in %s', (text, faults) => {
    expect(faultsOf({ path: 't.ts', text, program: parseSync('t.ts', text).program as unknown as Node })).toEqual(
      faults,
    );
  });
});
