import { expect, it } from 'vitest';
import type { RpcCall } from '../messages/message.ts';
import { findMethod } from '../methods/method-registry.ts';
import { basisOf, type Source, whole } from '../rpc/reply.ts';
import { RestByRpc } from './rest-by-rpc.ts';

const options = { range: undefined, signal: new AbortController().signal };

const results: Readonly<Record<string, unknown>> = {
  getbestblockhash: 'ab'.repeat(32),
  getblockheader: { height: 5 },
  gettxout: null,
};

it('the REST answer of public services says of outputs what their own answers rest on, not the header', async () => {
  const rest = new RestByRpc({
    call: ({ method }: RpcCall) => {
      const basis = findMethod(method)?.withoutNode as Source;
      return whole(200, JSON.stringify({ result: results[method], error: null, id: null }), basis);
    },
  });
  const query = {
    kind: 'utxos',
    outpoints: [{ txid: 'cd'.repeat(32), vout: 0 }],
    checkMempool: true,
    extension: 'json',
  } as const;
  const { source } = await rest.answer(query, options);
  expect(source).toBe('agreed');
});

it.each(['json', 'hex'] as const)('the REST answer of cached headers says what they rest on: %s', async (extension) => {
  const hash = 'ef'.repeat(32);
  const rest = new RestByRpc({
    call: ({ method, paramsText }: RpcCall) => {
      const isText = paramsText.endsWith('false]');
      const header = isText ? '00'.repeat(80) : { height: 5, confirmations: 1 };
      const result = method === 'getblockheader' ? header : hash;
      return { ...whole(200, JSON.stringify({ result, error: null, id: null }), 'cache'), basis: 'proven' };
    },
  });
  const answer = await rest.answer({ kind: 'headers', count: 1, hash, extended: false, extension }, options);
  expect([answer.source, basisOf(answer)]).toEqual(['cache', 'proven']);
});
