import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { startBefore } from '../test-support/gateway.ts';
import type { Answer, Upstream, UpstreamRequest } from '../test-support/upstream.ts';

const open: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const part of open.splice(0).reverse()) await part.stop();
});

interface Call {
  method: string;
  params: [string, number];
  id: unknown;
}

/** A text that looks like the end of an answer and is not ASCII. */
const nasty = '"},"error":null,"id":"planchet-0","größe":[{';

/** The answer to one call; the transaction `missing` is an error. */
function itemOf({ params, id }: Call): string {
  const [txid] = params;
  if (txid === 'missing')
    return `{"result":null,"error":{"code":-5,"message":"no ${txid}"},"id":${JSON.stringify(id)}}`;
  return `{"result":${JSON.stringify({ txid, nasty })},"error":null,"id":${JSON.stringify(id)}}`;
}

const expected = (txid: string, id: number): { status: number; text: string } => ({
  status: txid === 'missing' ? 500 : 200,
  text: `${itemOf({ method: 'gettxout', params: [txid, 0], id })}\n`,
});

type ListAnswer = (calls: Call[], response: ServerResponse, items: string[]) => void;

const usual: ListAnswer = (_, response, items) => void response.end(`[${items.join(',')}]\n`);

interface Scene {
  upstream: Upstream;
  /** Sends this many calls at a time, the first of them `missing`, and checks each answer. */
  crowd(count: number): Promise<void>;
  lists(): UpstreamRequest[];
  /** No call is answered from now on. */
  fallSilent(): void;
  ask(txid: string, id: number): Promise<{ status: number; text: string }>;
}

/**
 * A gateway that has called `gettxout` once, and an upstream that answers only after the expected number of calls has arrived, so that some
 * calls have to wait and are batched.
 */
async function scene(answerList: ListAnswer, bitcoinTimeout = '5s', batching = true): Promise<Scene> {
  let missing = 1;
  let held: (() => void)[] = [];
  const answer: Answer = ({ text }, response) => {
    const body = JSON.parse(text) as Call | Call[];
    const calls = [body].flat();
    held.push(() => {
      if (Array.isArray(body)) answerList(calls, response, calls.map(itemOf));
      else {
        response.writeHead(calls[0]?.params[0] === 'missing' ? 500 : 200);
        response.end(`${itemOf(calls[0] as Call)}\n`);
      }
    });
    missing -= calls.length;
    if (missing > 0) return;
    const now = held;
    held = [];
    for (const release of now) release();
  };
  const { upstream, rpc } = await startBefore(open, answer, { settings: { bitcoinTimeout }, options: { batching } });
  const ask = async (txid: string, id: number): Promise<{ status: number; text: string }> => {
    const { status, text } = await rpc({ method: 'gettxout', params: [txid, 0], id });
    return { status, text };
  };
  // the first call may wait for the probe, and is sent another way then
  for (const txid of ['first', 'second']) expect(await ask(txid, 1)).toEqual(expected(txid, 1));
  let id = 10;
  return {
    upstream,
    ask,
    fallSilent: () => {
      missing = Number.POSITIVE_INFINITY;
    },
    lists: () => upstream.requests.filter(({ text }) => text.startsWith('[')),
    crowd: async (count) => {
      missing = count;
      const calls = Array.from({ length: count }, (_, n) => [n === 0 ? 'missing' : `tx${n}`, ++id] as const);
      const answered = await Promise.all(calls.map(([txid, number]) => ask(txid, number)));
      expect(answered).toEqual(calls.map(([txid, number]) => expected(txid, number)));
    },
  };
}

describe('quick calls that wait at the same time', () => {
  it('are sent in one batch and answered like single calls', async () => {
    const { crowd, lists, upstream } = await scene(usual);
    for (let round = 0; round < 5; round++) await crowd(20);
    expect(lists().length).toBeGreaterThan(0);
    expect(upstream.requests.length).toBeLessThan(80);
    for (const { text } of lists()) expect((JSON.parse(text) as Call[]).length).toBeLessThanOrEqual(8);
  });

  it('are sent one by one if batching is off', async () => {
    const { crowd, lists, upstream } = await scene(usual, '5s', false);
    await crowd(12);
    expect(lists()).toEqual([]);
    expect(upstream.requests).toHaveLength(14);
  });

  it('are sent one by one if there are few, or if their command was never answered alone', async () => {
    const { crowd, lists, upstream, ask } = await scene(usual);
    await crowd(2);
    await ask('third', 2);
    expect(lists()).toEqual([]);
    expect(upstream.requests).toHaveLength(5);
  });

  const faults: [string, ListAnswer][] = [
    ['an object', (_, response) => void response.writeHead(400).end('{"error":"no batches here"}')],
    ['a page', (_, response) => void response.writeHead(502).end('<html>')],
    ['fewer answers', (_, response, items) => void response.end(`[${items.slice(1).join(',')}]`)],
    ['more answers', (_, response, items) => void response.end(`[${[...items, items[0]].join(',')}]`)],
    ['answers in another order', (_, response, items) => void response.end(`[${items.reverse().join(',')}]`)],
    ['half an answer', (_, response, items) => void response.end(`[${items.join(',').slice(0, -5)}`)],
    ['a refusal of everything', (_, response, items) => void response.writeHead(500).end(`[${items.join(',')}]`)],
    ['a broken connection', (_, response) => void response.destroy()],
    [
      'a connection that breaks in the middle',
      (_, response, items) => {
        response.writeHead(200, { 'content-length': 10_000 });
        response.write(`[${items[0]},`, () => response.destroy());
      },
    ],
    ['too much', (_, response, items) => void response.end(`[${items.join(',')}${' '.repeat(400_000)}]`)],
  ];
  it.each(faults)('are sent again one by one if the upstream answers with %s', async (_, answerList) => {
    const { crowd, lists, upstream } = await scene(answerList);
    // the repeated calls are answered at once, because all calls have arrived
    await crowd(12);
    const before = lists().length;
    expect(before).toBeGreaterThan(0);
    await crowd(12);
    expect(lists()).toHaveLength(before);
    const alone = upstream.requests.filter(({ text }) => !text.startsWith('['));
    expect(alone).toHaveLength(2 + 12 + 12);
  });

  it('are answered even if one answer has an unusual form; that call is sent again', async () => {
    const odd: ListAnswer = (_, response, items) =>
      void response.end(
        `[${items.map((item) => item.replace('{"result":{"txid":"tx11"', '{ "result":{"txid":"tx11"')).join(',')}]`,
      );
    const { crowd, lists } = await scene(odd);
    await crowd(12);
    const before = lists().length;
    await crowd(12);
    expect(lists().length).toBeGreaterThan(before);
  });

  it('fail together if the batch times out, and are not sent again', async () => {
    const { upstream, ask, lists, fallSilent } = await scene(usual, '300ms');
    fallSilent();
    const answered = await Promise.all(Array.from({ length: 12 }, (_, n) => ask(`late${n}`, n)));
    for (const { status, text } of answered) {
      expect(status).toBe(500);
      expect(text).toContain('did not answer within 0.3 s');
    }
    const asked = upstream.requests.flatMap(({ text }) => [JSON.parse(text) as Call | Call[]].flat());
    expect(lists().length).toBeGreaterThan(0);
    expect(new Set(asked.map(({ params }) => params[0])).size).toBe(asked.length);
  });
});
