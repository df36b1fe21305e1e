import { setImmediate } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { startBefore } from '../test-support/gateway.ts';
import { result } from '../test-support/upstream.ts';

const open: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const part of open.splice(0).reverse()) await part.stop();
});

it('a batch begins what follows a transaction that it sends once that is answered, as a node does', async () => {
  const order: string[] = [];
  const broadcast = {
    isOn: () => true,
    send: async (_method: string, [hex]: readonly unknown[]) => {
      order.push(`begins ${String(hex)}`);
      // calls that begin together all begin before the first of them goes on
      await setImmediate();
      order.push(`ends ${String(hex)}`);
      return { result: String(hex).repeat(32) };
    },
  };
  const { rpc } = await startBefore(
    open,
    (request, response, raw) => {
      order.push(request.method);
      result('1')(request, response, raw);
    },
    { options: { broadcast } },
  );
  const one = (hex: string): string => `{"id":"${hex}","method":"sendrawtransaction","params":["${hex}"]}`;
  const { text } = await rpc(`[${one('aa')},${one('bb')},${one('cc')},{"id":1,"method":"getinfo"}]`);
  expect((JSON.parse(text) as { id: unknown }[]).map(({ id }) => id)).toEqual(['aa', 'bb', 'cc', 1]);
  expect(order).toEqual([...['aa', 'bb', 'cc'].flatMap((hex) => [`begins ${hex}`, `ends ${hex}`]), 'getinfo']);
});
