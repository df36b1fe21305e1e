import { describe, expect, it } from 'vitest';
import { fieldsOf } from './command-help.ts';

const named = (...names: string[]) => ({
  parameters: names.map((name) => ({ name: name.split('|')[0] as string, names: name.split('|') })),
});

describe('fields from the help of a command', () => {
  it('tells what must be given, and what is text', () => {
    const fields = fieldsOf(
      named('blockhash', 'verbosity|verbose'),
      'getblock "blockhash" ( verbosity )\n\nA block.\n',
    );
    expect(fields).toEqual([
      { name: 'blockhash', required: true, kind: 'text', description: '' },
      { name: 'verbosity', required: false, kind: 'any', description: '' },
    ]);
  });

  it('reads nested options, lists and the words of the arguments', () => {
    const help = [
      'gettxoutproof ["txid",...] ( "blockhash" ( more ) )',
      '',
      'Proves transactions.',
      '',
      'Arguments:',
      '1. "txids"       (string) A list of ids',
      '                 to look for',
      '2. "blockhash"   (string, optional) Where to look',
      '',
      'Result:',
      '1. "data"  not an argument',
    ].join('\n');
    expect(fieldsOf(named('txids', 'blockhash', 'more'), help)).toEqual([
      { name: 'txids', required: true, kind: 'json', description: '(string) A list of ids to look for' },
      { name: 'blockhash', required: false, kind: 'text', description: '(string, optional) Where to look' },
      { name: 'more', required: false, kind: 'any', description: '' },
    ]);
  });

  it('still has a field for each parameter where there is no help', () => {
    expect(fieldsOf(named('height'), '')).toEqual([{ name: 'height', required: true, kind: 'any', description: '' }]);
    expect(fieldsOf(named(), 'getblockcount')).toEqual([]);
  });
});
