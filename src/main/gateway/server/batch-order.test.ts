import { setImmediate } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { startBefore } from '../test-support/gateway.ts';
import { result } from '../test-support/upstream.ts';

const open: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const part of open.splice(0).reverse()) await part.stop();
});

it('a transaction of a batch is sent once the calls before it are answered, as by a node', async () => {
  const order: string[] = [];
  const broadcast = {
    isOn: () => true,
    send: async (_method: string, [hex]: readonly unknown[]) => {
      order.push(`sends ${String(hex)}`);
      return { result: String(hex).repeat(32) };
    },
  };
  const { rpc } = await startBefore(
    open,
    async (request, response, raw) => {
      const name = `${request.method} ${JSON.stringify(request.params)}`;
      order.push(`asks ${name}`);
      // a send that does not wait is sent in these turns
      for (let turn = 0; turn < 20; turn++) await setImmediate();
      order.push(`answers ${name}`);
      result('1')(request, response, raw);
    },
    { options: { broadcast } },
  );
  const ask = { id: 1, method: 'gettxout', params: ['aa'.repeat(32), 0] };
  const again = { ...ask, params: ['aa'.repeat(32), 1] };
  const send = { id: 2, method: 'sendrawtransaction', params: ['aa'] };
  const { text } = await rpc([ask, again, send, ask]);
  expect((JSON.parse(text) as { id: unknown }[]).map(({ id }) => id)).toEqual([1, 1, 2, 1]);
  const name = ({ method, params }: typeof ask): string => `${method} ${JSON.stringify(params)}`;
  expect(order.slice(0, 2)).toEqual([`asks ${name(ask)}`, `asks ${name(again)}`]);
  expect(order.slice(2, 4).toSorted()).toEqual([`answers ${name(ask)}`, `answers ${name(again)}`]);
  expect(order.slice(4)).toEqual(['sends aa', `asks ${name(ask)}`, `answers ${name(ask)}`]);
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
