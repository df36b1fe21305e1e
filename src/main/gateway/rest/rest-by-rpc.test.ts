import { expect, it } from 'vitest';
import type { RpcCall } from '../messages/message.ts';
import { findMethod } from '../methods/method-registry.ts';
import { type Source, whole } from '../rpc/reply.ts';
import { RestByRpc } from './rest-by-rpc.ts';

const results: Readonly<Record<string, unknown>> = {
  getbestblockhash: 'ab'.repeat(32),
  getblockheader: { height: 5 },
  gettxout: null,
};

it('says of outputs what their own answers rest on, not the header', async () => {
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
  const { source } = await rest.answer(query, { range: undefined, signal: new AbortController().signal });
  expect(source).toBe('agreed');
});
