import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readEvents, type StreamEvent } from './event-stream.ts';

async function* pieces(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(text: string, size = 1_000): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  for await (const event of readEvents(pieces(text, size))) events.push(event);
  return events;
}

it('the reader of an event stream reads id, kind and data, and leaves out what is no event', async () => {
  const text =
    ': alive\n\nid: 7\nevent: status\ndata: {"a":\ndata:1}\n\nevent: gap\n\ndata\n\ndata: x\r\n\r\ndata: cut';
  expect(await read(text)).toEqual([
    { id: '7', event: 'status', data: '{"a":\n1}' },
    { id: '7', event: 'message', data: '' },
    { id: '7', event: 'message', data: 'x' },
  ]);
});

it('the reader of an event stream reads the same however the stream is divided', async () => {
  const text = 'id: 1\ndata: é😀\n\nid: 2\nevent: b\ndata: 2\n\n';
  const whole = await read(text);
  expect(whole).toHaveLength(2);
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 50 }), async (size) => {
      expect(await read(text, size)).toEqual(whole);
    }),
  );
});

it('the reader of an event stream refuses a line and an event without end', async () => {
  await expect(read(`data: ${'a'.repeat(70_000)}`)).rejects.toThrow('bytes');
  await expect(read(`data: ${'a'.repeat(70_000)}\n\n`, 100_000)).rejects.toThrow('bytes');
  await expect(read(`data: ${'a'.repeat(60_000)}\n`.repeat(5))).rejects.toThrow('bytes');
});
