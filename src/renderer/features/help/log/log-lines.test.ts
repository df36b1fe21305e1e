import { expect, it } from 'vitest';
import type { LogLine } from '../../../../contract/index.ts';
import { filterLines, partsOf, textOf } from './log-lines.ts';

const line = (number: number, changes: Partial<LogLine> = {}): LogLine => ({
  number,
  at: Date.UTC(2026, 0, 1) + number,
  level: 'info',
  part: 'wallet',
  message: `line ${number}`,
  detail: '',
  ...changes,
});

const newestFirst = [
  line(4, { level: 'error', part: 'gateway', message: 'Refused', detail: '{"code":"E1"}' }),
  line(3, { level: 'warn' }),
  line(2, { level: 'debug', part: '' }),
  line(1),
];
const numbers = (filter: Partial<Parameters<typeof filterLines>[1]>): number[] =>
  filterLines(newestFirst, { level: 'trace', part: '', text: '', ...filter }).map(({ number }) => number);

it('the log is filtered by level, part and text, in the order of its lines', () => {
  expect(numbers({})).toEqual([1, 2, 3, 4]);
  expect(numbers({ level: 'warn' })).toEqual([3, 4]);
  expect(numbers({ part: 'wallet' })).toEqual([1, 3]);
  expect(numbers({ text: ' e1 ' })).toEqual([4]);
  expect(numbers({ text: 'REFUSED', part: 'wallet' })).toEqual([]);
  expect(partsOf(newestFirst)).toEqual(['gateway', 'wallet']);
  expect(textOf(newestFirst[0] as LogLine)).toBe('2026-01-01T00:00:00.004Z error gateway Refused {"code":"E1"}');
});
