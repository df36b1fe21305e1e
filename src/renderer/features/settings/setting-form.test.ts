import { describe, expect, it } from 'vitest';
import { settingRows } from '../../../contract/index.ts';
import catalogue from './en.json' with { type: 'json' };
import { isChanged, optionsOf, readDraft } from './setting-form.ts';
import { entry } from './test-support.ts';

describe('the form of the settings', () => {
  it('has texts for every key', () => {
    const unexplained = [...settingRows.keys()].filter((key) => {
      const found = key
        .split('.')
        .reduce<unknown>((tree, part) => (tree as Record<string, unknown> | undefined)?.[part], catalogue.keys);
      return typeof (found as { help?: unknown } | undefined)?.help !== 'string';
    });
    expect(unexplained).toEqual([]);
  });

  it('parses text as the type of the key', () => {
    expect(readDraft(entry('maxTokenBytes', 4_000_000), ' 5000 ')).toEqual({ value: 5_000 });
    expect(readDraft(entry('maxTokenBytes', 4_000_000), '5 MB')).toEqual({
      problem: { key: 'rule.whole-number', values: { least: 1, most: 1_000_000_000 } },
    });
    expect(readDraft(entry('maxTokenBytes', 4_000_000), '0')).toHaveProperty('problem');
    expect(readDraft(entry('currency.rate', 0), '43210.5')).toEqual({ value: 43_210.5 });
    expect(readDraft(entry('sandbox.mineInterval', '10s'), '1m30s')).toEqual({ value: '1m30s' });
    expect(readDraft(entry('sandbox.mineInterval', '10s'), 'soon')).toHaveProperty('problem');
    expect(readDraft(entry('rpcBind', ':8332'), ':99999')).toHaveProperty('problem');
  });

  it.each<[string, string[], string[]]>([
    [
      'bitcoinRpcUrl',
      ['', 'http://me:p%40ss@127.0.0.1:8332/rpc', 'http://me:•••@[::1]:1, https://node.example/'],
      ['http://[half', 'http://host:99999', 'http://me:%zz@host', 'ftp://host', 'http://a,', 'node.example:8332'],
    ],
    [
      'bitcoinZmqUrl',
      ['', 'tcp://node.example:28332', 'tcp://[::1]:28332'],
      ['tcp://[half:1', 'tcp://host:99999', 'tcp://:1', 'tcp://host', 'http://host:1'],
    ],
    ['mapiUrl', ['', 'https://host/mapi'], ['https://', 'https://host:0x', 'mapi']],
  ])('accepts for %s only addresses that can be connected to', (key, right, wrong) => {
    for (const text of right) expect([text, readDraft(entry(key, ''), text)]).toEqual([text, { value: text }]);
    for (const text of wrong) expect([text, readDraft(entry(key, ''), text)]).toHaveProperty('1.problem');
  });

  it('handles lists, units and changes', () => {
    expect(optionsOf('network')).toEqual(['sandbox', 'private', 'test', 'main']);
    expect(optionsOf('sandbox.mapiVersion')).toEqual(['1.2.0', '1.5.0']);
    expect(optionsOf('rpcBind')).toBeUndefined();
    expect(settingRows.get('gatewayCacheBytes')?.unit).toBe('bytes');
    expect(settingRows.get('maxFeeSatoshis')?.unit).toBe('satoshis');
    expect(isChanged(entry('rpcBind', ':8332'), ':8332')).toBe(false);
    expect(isChanged(entry('rpcBind', ':8332'), ':8333')).toBe(true);
    expect(isChanged(entry('apiKey', '', true), '')).toBe(false);
    expect(isChanged(entry('apiKey', '', true), 'k')).toBe(true);
  });
});
