import { MessageChannel } from 'node:worker_threads';
import { expect, it, onTestFinished } from 'vitest';
import { PlanchetError } from '../../contract/index.ts';
import { portCalls } from './port-calls.ts';

/** Two ends of a channel, of which the second answers. */
// biome-ignore lint/suspicious/noExplicitAny: as the handlers themselves
function open(handlers: Record<string, (input: any) => unknown>) {
  const { port1, port2 } = new MessageChannel();
  onTestFinished(() => port1.close());
  const defects: unknown[] = [];
  const theirs = portCalls(port2, handlers, (error) => defects.push(error));
  const told: string[] = [];
  const ours = portCalls<typeof handlers>(port1, { tell: (text: string) => told.push(text) }, () => {});
  return { ours, theirs, told, defects };
}

it('a call over a port gets the answer of its own handler, also where others answer first', async () => {
  const first = Promise.withResolvers<string>();
  const { ours } = open({ slow: () => first.promise, double: (n: number) => 2 * n });
  const slow = ours.call('slow', undefined);
  expect(await ours.call('double', 21)).toBe(42);
  first.resolve('late');
  expect(await slow).toBe('late');
});

it('a call over a port fails with the error of the handler, and a defect is reported and told as internal', async () => {
  const { ours, defects } = open({
    refuse: () => {
      throw new PlanchetError('sandbox.not-running');
    },
    fail: async () => {
      throw new Error('a defect');
    },
  });
  await expect(ours.call('refuse', undefined)).rejects.toMatchObject({
    name: 'PlanchetError',
    id: 'sandbox.not-running',
  });
  expect(defects).toEqual([]);
  await expect(ours.call('fail', undefined)).rejects.toMatchObject({ code: 'internal' });
  expect(defects).toEqual([new Error('a defect')]);
});

it('the cause of a failure is told over a port in words, whatever else it holds', async () => {
  const { ours } = open({
    refuse: () => {
      const cause = Object.assign(new Error('the disk is gone', { cause: () => {} }), { retry: () => {} });
      throw new PlanchetError('sandbox.not-running', {}, { cause });
    },
  });
  await expect(ours.call('refuse', undefined)).rejects.toMatchObject({
    id: 'sandbox.not-running',
    cause: { message: 'the disk is gone', stack: expect.stringContaining('port-calls.test') },
  });
});

it('an answer that cannot be sent over a port is a defect of its handler', async () => {
  const { ours, defects } = open({ make: () => () => {} });
  await expect(ours.call('make', undefined)).rejects.toMatchObject({ code: 'internal' });
  expect(defects).toEqual([expect.objectContaining({ name: 'DataCloneError' })]);
});

it('what is sent over a port before an answer is handled before it', async () => {
  const { ours, theirs, told } = open({
    work: () => {
      void theirs.call('tell', 'first');
    },
  });
  await ours.call('work', undefined);
  expect(told).toEqual(['first']);
});

it('a buffer of a call over a port is moved if it is named, else copied', async () => {
  const { ours } = open({ length: (bytes: Uint8Array) => bytes.length });
  const bytes = new Uint8Array(8);
  expect(await ours.call('length', bytes)).toBe(8);
  expect(bytes.length).toBe(8);
  expect(await ours.call('length', bytes, [bytes.buffer])).toBe(8);
  expect(bytes.length).toBe(0);
});

it('a call over a port that waits when the port is closed fails with cancelled, as does one after it', async () => {
  const { ours } = open({ never: () => new Promise(() => {}) });
  const waiting = ours.call('never', undefined);
  ours.close();
  await expect(waiting).rejects.toMatchObject({ code: 'cancelled' });
  await expect(ours.call('never', undefined)).rejects.toMatchObject({ code: 'cancelled' });
});
