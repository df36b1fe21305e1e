import { afterEach, expect, it } from 'vitest';
import { startBefore } from '../test-support/gateway.ts';
import { type Answer, result } from '../test-support/upstream.ts';

/** A node's `rpcworkqueue`. */
const QUEUE = 16;
const TURNS = 20;

const open: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const part of open.splice(0).reverse()) await part.stop();
});

it('batches in parallel do not overrun the work queue of a node', async () => {
  let queued = 0;
  let longest = 0;
  const answer: Answer = async (request, response, raw) => {
    if (queued >= QUEUE) return void response.writeHead(500).end('Work queue depth exceeded');
    queued += 1;
    longest = Math.max(longest, queued);
    for (let turn = 0; turn < TURNS; turn++) await new Promise((resolve) => setImmediate(resolve));
    queued -= 1;
    result('1')(request, response, raw);
  };
  const { rpc } = await startBefore(open, answer);
  const batchOf = (from: number) =>
    Array.from({ length: 40 }, (_, n) => ({ id: n, method: 'getblockhash', params: [from + n] }));
  const answers = await Promise.all([0, 100, 200].map((from) => rpc(batchOf(from))));
  for (const { text } of answers) {
    expect(JSON.parse(text)).toEqual(Array.from({ length: 40 }, (_, id) => ({ result: 1, error: null, id })));
  }
  expect(longest).toBe(QUEUE);
});
