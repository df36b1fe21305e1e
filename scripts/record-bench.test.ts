import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { recordFigures } from '../bench/support/record.ts';
import { root } from './paths.ts';

const table = [
  '# Proofs',
  '',
  '| claim | target | result | date | command |',
  '|---|---|---|---|---|',
  '| a | 1 | 2 | 2026-01-01 | `npm run bench -- token` |',
  '| b | 1 | 2 | 2026-01-01 | `npm run bench -- startup` |',
  '| c | 1 | 2 | 2026-01-01 | `npm run test:long` |',
  '',
  'After.',
].join('\n');

it('recording a benchmark replaces the rows of one benchmark and leaves the others', () => {
  const figures = [
    { name: 'b', target: 'at most 3 s', result: '2.10 s' },
    { name: 'new | odd', target: 'at least 4', result: '5.00 x' },
  ];
  const lines = recordFigures(table, 'startup', figures, '2026-11-22').split('\n');
  expect(lines.slice(4, 8)).toEqual([
    '| a | 1 | 2 | 2026-01-01 | `npm run bench -- token` |',
    '| b | at most 3 s | 2.10 s | 2026-11-22 | `npm run bench -- startup` |',
    '| new \\| odd | at least 4 | 5.00 x | 2026-11-22 | `npm run bench -- startup` |',
    '| c | 1 | 2 | 2026-01-01 | `npm run test:long` |',
  ]);
  expect(lines.at(-1)).toBe('After.');
});

it('recording a benchmark appends the rows of one that has none yet', () => {
  const page = recordFigures(table, 'gateway', [{ name: 'd', target: '1', result: '2' }], '2026-11-22');
  expect(page.split('\n')[7]).toBe('| d | 1 | 2 | 2026-11-22 | `npm run bench -- gateway` |');
});

it('recording a benchmark leaves the rows of a benchmark without targets, which are written by hand', () => {
  expect(recordFigures(table, 'token', [], '2026-11-22')).toBe(table);
});

it('recording a benchmark refuses a page without the table', () => {
  expect(() => recordFigures('# Proofs', 'gateway', [], '2026-11-22')).toThrow('no table');
});

it('recording a benchmark finds its table in docs/proofs.md', () => {
  const page = readFileSync(join(root, 'docs', 'proofs.md'), 'utf8');
  expect(recordFigures(page, 'nothing', [], '2026-11-22')).toBe(page);
});
