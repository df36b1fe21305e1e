import { describe, expect, it } from 'vitest';
import { headerHash, toHex } from '../../../chain/index.ts';
import { rulesOf } from '../../chain-data/headers/chain-rules.ts';
import { systemClock } from '../../clock.ts';
import type { ChainData } from '../../ports/chain-data.ts';
import { ResponseCache } from '../cache/response-cache.ts';
import type { RpcCall } from '../messages/message.ts';
import type { PublicAnswer } from '../public/public-answers.ts';
import { publicAnswers } from '../test-support/followed-chain.ts';
import { quiet } from '../test-support/upstream.ts';
import { PublicReplies } from './public-replies.ts';
import { publicReply } from './reply.ts';

const header = rulesOf('sandbox', 'regtest')?.genesis as Uint8Array;
const first = { hash: headerHash(header), height: 0, header };

function parts({ isAgreed = true } = {}) {
  const cache = new ResponseCache({
    memoryBytes: 1_000_000,
    diskBytes: 0,
    file: undefined,
    clock: systemClock,
    logger: quiet,
  });
  const headers = {
    tip: first,
    isAgreed,
    isSilent: false,
    at: (height: number) => (height === 0 ? first : undefined),
    header: (hash: string) => (hash === headers.tip.hash ? headers.tip : undefined),
    refresh: async () => undefined,
    workAt: async () => 2n,
  };
  const answers = publicAnswers({ headers, chainData: { until: () => ({}) } as unknown as ChainData });
  const replies = new PublicReplies(answers, cache);
  const atOnce = (method: string, paramsText: string) =>
    replies.lookUp({ method, paramsText, idText: '7' } as never, method + paramsText);
  return { cache, replies, answers, atOnce, headers };
}

describe('what the header file alone answers', () => {
  const calls: [string, string, string][] = [
    ['getblockhash', '[0]', first.hash],
    ['getblockheader', `["${first.hash}",false]`, toHex(header)],
  ];

  it.each(calls)('is answered at once, in the same form, and not kept: %s %s', async (method, params, result) => {
    const { cache, replies, answers, atOnce } = parts();
    const reply = atOnce(method, params);
    expect(reply).toMatchObject({ kind: 'whole', status: 200, source: 'proven' });
    expect(JSON.parse((reply as { text: string }).text)).toEqual({ result, error: null, id: 7 });
    expect(publicReply(await answers.answer(method, JSON.parse(params)), '7')).toEqual(reply);
    expect(cache.figures().entries).toBe(0);
    expect(replies.figures()).toMatchObject({ hits: 0, stored: 1, started: 0 });
  });

  it.each(calls)('waits until operators agree: %s %s', (method, params) => {
    expect(parts({ isAgreed: false }).atOnce(method, params)).toBeUndefined();
  });

  it.each([
    ['getblockhash', '[1]'],
    ['getblockhash', '["0"]'],
    ['getblockhash', '[0,0]'],
    ['getblockheader', `["${first.hash}"]`],
    ['getblockheader', `["${first.hash}",2]`],
    ['getblockheader', `["${'ab'.repeat(32)}",false]`],
  ])('includes no other form of a call: %s %s', (method, params) => {
    expect(parts().atOnce(method, params)).toBeUndefined();
  });
});

it('the verified chain forgets the place of a block once it has another tip', () => {
  const { answers, headers } = parts();
  expect(answers.chain.heightOf(first.hash)).toBe(0);
  expect(answers.chain.heightOf('ab'.repeat(32))).toBeUndefined();
  headers.tip = { ...first, hash: 'ab'.repeat(32) };
  expect(answers.chain.heightOf(first.hash)).toBeUndefined();
  expect(answers.chain.heightOf('ab'.repeat(32))).toBe(0);
});

it('an answer that nobody waits for any more is given up, also where one of its clients had left before it was asked', async () => {
  let given: AbortSignal | undefined;
  const asked = Promise.withResolvers<PublicAnswer>();
  const { answers, cache } = parts();
  answers.answer = (_method, _params, signal) => {
    given = signal;
    return asked.promise;
  };
  const replies = new PublicReplies(answers, cache);
  const call = { method: 'getinfo', paramsText: '[]', idText: '7' } as RpcCall;
  const reply = (signal: AbortSignal) => replies.reply(call, undefined, signal, { id: 'a', name: 'A' });
  const client = new AbortController();
  const all = [reply(client.signal), reply(AbortSignal.abort())];
  expect(given?.aborted).toBe(false);
  client.abort();
  expect(given?.aborted).toBe(true);
  asked.resolve({ result: '1', streamed: false, basis: 'proven' });
  await Promise.all(all);
});
