import { describe, expect, it } from 'vitest';
import type { ParameterField } from './command-help.ts';
import { addSeen, complete, type SeenHash } from './completion.ts';
import { readTyped } from './parameter-types.ts';

const field = (name: string, kind: ParameterField['kind'], required = true): ParameterField => ({
  name,
  kind,
  required,
  description: '',
});
const getblock = [field('blockhash', 'text'), field('verbosity', 'any', false)];
const hash = 'ab'.repeat(32);
const txid = 'cd'.repeat(32);
const seen: SeenHash[] = [
  { hash: txid, of: 'transaction' },
  { hash, of: 'block' },
];
const commands = ['getblock', 'getblockcount', 'help'];

describe('the completion of a console line', () => {
  const of = (line: string, fields: readonly ParameterField[] | undefined) =>
    complete(line, { commands, fields, seen });

  it('completes commands, and names the parameters of a complete one with their types', () => {
    expect(of('getbl', undefined)).toMatchObject({ choices: ['getblock', 'getblockcount'], typed: 5 });
    expect(of('getblock', getblock)).toEqual({ choices: ['getblockcount'], typed: 8, hint: 'blockhash [verbosity]' });
    expect(of('', undefined).choices).toEqual([]);
  });

  it('offers recently seen hashes for a parameter of that kind', () => {
    expect(of('getblock ', getblock)).toMatchObject({ choices: [hash], typed: 0 });
    expect(of('getblock aba', getblock)).toMatchObject({ choices: [hash], typed: 3, hint: '[verbosity]' });
    expect(of('getblock cd', getblock).choices).toEqual([]);
    expect(of('getmempoolentry ', [field('txid', 'text')]).choices).toEqual([txid]);
    expect(of(`getblock ${hash} `, getblock)).toMatchObject({ choices: [], hint: '[verbosity]' });
    expect(of('getrawmempool t', [field('verbose', 'any', false)]).choices).toEqual(['true']);
    expect(of('help getb', [field('command', 'text', false)]).choices).toEqual(['getblock', 'getblockcount']);
  });

  it('collects hashes from replies, newest first, each once and 50 at most', () => {
    const kindOf = (_: string, name: string): SeenHash['of'] | 'none' =>
      name === 'merkleroot' ? 'none' : name === 'tx' ? 'transaction' : 'block';
    const found = addSeen(seen, { hash, merkleroot: 'ef'.repeat(32), tx: [txid] }, 'getblock', kindOf);
    expect(found).toEqual([
      { hash, of: 'block' },
      { hash: txid, of: 'transaction' },
    ]);
    const many = Array.from({ length: 600 }, (_, n) => n.toString(16).padStart(64, '0'));
    expect(addSeen(seen, many, 'getrawmempool', kindOf)).toHaveLength(50);
  });
});

describe('the parameters of a console line', () => {
  it('keep text that looks like a number if text is expected', () => {
    expect(readTyped(' 51', [field('constructor', 'text')])).toEqual({ parameters: ['51'], problem: undefined });
    expect(readTyped(' 51', [field('hexstring', 'text')])).toEqual({ parameters: ['51'], problem: undefined });
    expect(readTyped(' 51', undefined).parameters).toEqual([51]);
    expect(readTyped(' null ab', [field('nblocks', 'any', false), field('x', 'text', false)])).toEqual({
      parameters: [null, 'ab'],
      problem: undefined,
    });
  });

  it.each([
    ['', getblock, { kind: 'missing', name: 'blockhash' }],
    [' ab', getblock, { kind: 'type', name: 'blockhash', type: 'blockhash' }],
    [` ${hash} 1 2`, getblock, { kind: 'tooMany', most: 2 }],
    [' x', [field('height', 'any')], { kind: 'type', name: 'height', type: 'number' }],
    [' -1', [field('height', 'any')], { kind: 'type', name: 'height', type: 'number' }],
    [' maybe', [field('verbose', 'any')], { kind: 'type', name: 'verbose', type: 'boolean' }],
    [' abc', [field('hexstring', 'text')], { kind: 'type', name: 'hexstring', type: 'hex' }],
    [' word', [field('txids', 'json')], { kind: 'type', name: 'txids', type: 'json' }],
    [' {x}', [field('txids', 'json')], { kind: 'open' }],
    [' "open', getblock, { kind: 'open' }],
    [` ${hash} 2`, getblock, undefined],
    [` ${hash} DECODE_HEADER`, getblock, undefined],
  ])('are checked%s', (line, fields, problem) => {
    expect(readTyped(line, fields).problem).toEqual(problem);
  });
});
