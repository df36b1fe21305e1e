import { describe, expect, it } from 'vitest';
import { fieldsOf } from './command-help.ts';

const named = (...names: string[]) => ({
  parameters: names.map((name) => ({ name: name.split('|')[0] as string, names: name.split('|') })),
});

describe('the fields read from the help of a command', () => {
  it('state which parameters are required, and which are text', () => {
    const fields = fieldsOf(
      named('blockhash', 'verbosity|verbose'),
      'getblock "blockhash" ( verbosity )\n\nA block.\n',
    );
    expect(fields).toEqual([
      { name: 'blockhash', required: true, kind: 'text', description: '' },
      { name: 'verbosity', required: false, kind: 'any', description: '' },
    ]);
  });

  it('include nested options, lists and the names of the arguments', () => {
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

  it('have the names of the synopsis, whatever the table of arguments calls them', () => {
    const names = (command: string, ...parameters: string[]): string[] =>
      fieldsOf(named(...parameters), command).map(({ name }) => name);
    // The argument tables of these two commands differ in order or meaning from what a node reads.
    const usage = 'getmerkleproof2 "blockhash" "txid" ( includeFullTx "targetType" "format" )';
    expect(names(usage, 'txid', 'blockhash', 'includeFullTx', 'targetType', 'format')).toEqual([
      'blockhash',
      'txid',
      'includeFullTx',
      'targetType',
      'format',
    ]);
    expect(names('getblockbyheight height ( verbosity )', 'blockhash', 'verbosity')).toEqual(['height', 'verbosity']);
  });

  it('show the notation of JSON, nested or not', () => {
    const proof = '{"index":n,"target":{"merkleroot":"hash"},"nodes":["hash",...]}';
    expect(fieldsOf(named('proof'), `verifymerkleproof ${proof}`)).toEqual([
      { name: 'proof', required: true, kind: 'json', description: proof },
    ]);
    const usage = 'gettxouts [{"txid":"id","n":n},...] ["field",...] ( include_mempool )';
    expect(fieldsOf(named('txids_vouts', 'return_fields', 'include_mempool'), usage)).toEqual([
      { name: 'txids_vouts', required: true, kind: 'json', description: '[{"txid":"id","n":n},...]' },
      { name: 'return_fields', required: true, kind: 'json', description: '["field",...]' },
      { name: 'include_mempool', required: false, kind: 'any', description: '' },
    ]);
  });

  it('exist for each parameter even without help', () => {
    expect(fieldsOf(named('height'), '')).toEqual([{ name: 'height', required: true, kind: 'any', description: '' }]);
    expect(fieldsOf(named(), 'getblockcount')).toEqual([]);
  });
});
