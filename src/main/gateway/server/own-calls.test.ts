import { afterEach, expect, it } from 'vitest';
import { startBefore } from '../test-support/gateway.ts';
import { failure, result } from '../test-support/upstream.ts';

const open: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.stop();
});

it('calls of the application itself follow the rules of the port', async () => {
  const { gateway, upstream } = await startBefore(open, result('5'));
  expect(await gateway.service.call('getblockcount', [])).toEqual({ result: 5, error: null });
  expect(await gateway.service.call('sendrawtransaction', ['00'])).toMatchObject({
    result: null,
    error: { code: -32601, message: expect.stringContaining('merchant API') },
  });
  upstream.answer = failure(-5, 'Block not found');
  expect(await gateway.service.call('getblock', ['00'])).toEqual({
    result: null,
    error: { code: -5, message: 'Block not found' },
  });
  await upstream.stop();
  await expect(gateway.service.call('getinfo', [])).rejects.toMatchObject({ name: 'PlanchetError' });
});
