import { describe, expect, it } from 'vitest';
import { plainValue, readLine, splitWords, wordOf, writeLine, writeParameter } from './command-line.ts';
import { readTyped } from './parameter-types.ts';

describe('the words of a console line', () => {
  it.each<[string, string[] | undefined]>([
    ['', []],
    ['  5 true null -1.5 ', ['5', 'true', 'null', '-1.5']],
    ['"two words" word', ['"two words"', 'word']],
    ['["a b", 1] {"x": [2]}', ['["a b", 1]', '{"x": [2]}']],
    ['"a \\" b"', ['"a \\" b"']],
    ['"open', undefined],
    ['[1', undefined],
    ['1]', undefined],
  ])('are read from %s', (line, words) => {
    expect(splitWords(line)).toEqual(words);
  });

  it('are numbers, true, false, null or text', () => {
    const words = ['5', 'true', 'null', '-1.5', '1'.repeat(64), 'word'];
    expect(words.map(plainValue)).toEqual([5, true, null, -1.5, '1'.repeat(64), 'word']);
  });
});

describe('a console line made from fields', () => {
  it('is parsed as the same parameters', () => {
    const values = ['word', 'two words', '12', 'true', '', '[1]', 'say "hi"', 7, false, null, ['a b', 1], { x: 1 }];
    const line = writeLine('command', values.map(writeParameter));
    const { command, behind } = readLine(line);
    expect(command).toBe('command');
    expect(readTyped(behind, undefined)).toEqual({ parameters: values, problem: undefined });
  });

  it('quotes text that would be parsed as something else, and keeps the rest as typed', () => {
    expect(wordOf(' 12 ', 'text')).toBe('"12"');
    expect(wordOf('12', 'any')).toBe('12');
    expect(wordOf('["a"]', 'json')).toBe('["a"]');
    expect(wordOf('  ', 'text')).toBeUndefined();
  });

  it('leaves out empty fields at the end', () => {
    expect(writeLine('getblock', ['ab', undefined])).toBe('getblock ab');
    expect(writeLine('getchaintxstats', [undefined, 'ab'])).toBe('getchaintxstats null ab');
    expect(readLine('  getblockcount')).toEqual({ command: 'getblockcount', behind: '' });
    expect(readTyped(readLine('getblock [').behind, undefined).problem).toEqual({ kind: 'open' });
  });
});
