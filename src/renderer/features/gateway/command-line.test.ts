import { describe, expect, it } from 'vitest';
import { readParameters } from './command-line.ts';

describe('parameters of a command', () => {
  it.each<[string, unknown[] | undefined]>([
    ['', []],
    ['  5 true null -1.5 ', [5, true, null, -1.5]],
    [`${'1'.repeat(64)} 1`, ['1'.repeat(64), 1]],
    ['"two words" word', ['two words', 'word']],
    ['["a b", 1] {"x": [2]}', [['a b', 1], { x: [2] }]],
    ['"a \\" b"', ['a " b']],
    ['"open', undefined],
    ['[1', undefined],
    ['1]', undefined],
    ['{x}', undefined],
  ])('%s', (line, parameters) => {
    expect(readParameters(line)).toEqual(parameters);
  });
});
