import { describe, expect, it } from 'vitest';
import { readLine, readParameters, wordOf, writeLine, writeParameter } from './command-line.ts';

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

describe('a line made of fields', () => {
  it('is read back as the same parameters', () => {
    const values = ['word', 'two words', '12', 'true', '', '[1]', 'say "hi"', 7, false, null, ['a b', 1], { x: 1 }];
    const line = writeLine('command', values.map(writeParameter));
    expect(readLine(line)).toEqual({ command: 'command', parameters: values });
  });

  it('quotes text that looks like something else, and keeps the rest as typed', () => {
    expect(wordOf(' 12 ', 'text')).toBe('"12"');
    expect(wordOf('12', 'any')).toBe('12');
    expect(wordOf('["a"]', 'json')).toBe('["a"]');
    expect(wordOf('  ', 'text')).toBeUndefined();
  });

  it('leaves out what is empty at the end', () => {
    expect(writeLine('getblock', ['ab', undefined])).toBe('getblock ab');
    expect(writeLine('getchaintxstats', [undefined, 'ab'])).toBe('getchaintxstats null ab');
    expect(readLine('  getblockcount')).toEqual({ command: 'getblockcount', parameters: [] });
    expect(readLine('getblock [')).toEqual({ command: 'getblock', parameters: undefined });
  });
});
