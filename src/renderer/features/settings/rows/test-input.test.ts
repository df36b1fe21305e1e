import { describe, expect, it } from 'vitest';
import { entry } from '../test-support.ts';
import { testInput } from './test-input.ts';

const entries = [
  entry('bitcoinRpcUrl', 'http://node.example:8332'),
  entry('apiKey', '', true),
  entry('apiKeyHeader', 'Authorization'),
  entry('ignoreCertificate', false),
  entry('bitcoinTimeout', '10s'),
];

describe('the input for a test of the upstream', () => {
  it('contains the typed values only', () => {
    expect(testInput(entries, {})).toEqual({});
    expect(
      testInput(entries, {
        bitcoinRpcUrl: ' http://127.0.0.1:1 ',
        apiKey: 'k',
        apiKeyHeader: 'Authorization',
        ignoreCertificate: true,
        bitcoinTimeout: '1s',
      }),
    ).toEqual({ bitcoinRpcUrl: 'http://127.0.0.1:1', apiKey: 'k', ignoreCertificate: true });
    expect(testInput(entries, { bitcoinRpcUrl: '' })).toEqual({ bitcoinRpcUrl: '' });
  });
});
