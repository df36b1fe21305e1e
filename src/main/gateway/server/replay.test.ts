import { afterEach, expect, it } from 'vitest';
import { basic, startBefore } from '../test-support/gateway.ts';
import { result } from '../test-support/upstream.ts';
import { replay } from './replay.ts';

const open: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const part of open.splice(0).reverse()) await part.stop();
});

const authorization = basic('planchet:secret');

it('a replay sends a command and a REST path again, as another program would', async () => {
  const { gateway, upstream } = await startBefore(open, result('{"size":1}'));
  const address = `http://127.0.0.1:${gateway.port}`;
  const command = { address, authorization, method: 'getmempoolinfo', params: '[]' };
  const again = await replay(command, undefined);
  expect(again).toMatchObject({ status: 200, answerCut: false });
  expect(JSON.parse(again.answer)).toMatchObject({ result: { size: 1 }, error: null });
  expect(upstream.requests.some(({ method }) => method === 'getmempoolinfo')).toBe(true);
  const rest = await replay({ ...command, method: 'REST', params: '/rest/nothing.json' }, undefined);
  expect(rest.status).toBe(404);
  const refused = await replay({ ...command, authorization: basic('planchet:wrong') }, undefined);
  expect(refused.status).toBe(401);
});

it('a replay reads the beginning of a long answer', async () => {
  const { gateway } = await startBefore(open, result(JSON.stringify('x'.repeat(100_000))));
  const address = `http://127.0.0.1:${gateway.port}`;
  const { answer, answerCut } = await replay(
    { address, authorization, method: 'getmempoolinfo', params: '' },
    undefined,
  );
  expect(answer).toHaveLength(65_536);
  expect(answerCut).toBe(true);
});
