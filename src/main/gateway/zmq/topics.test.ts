import { describe, expect, it } from 'vitest';
import { Memory, Message } from '../../zmtp/index.ts';
import { TopicBoard } from './topics.ts';

describe('the live feed of a board', () => {
  it('shows the messages published while it is watched, with gaps, and counts those that came too fast', async () => {
    const board = new TopicBoard();
    board.publish('hashtx', Buffer.from('00', 'hex'));
    const feed = board.watch(undefined);
    expect((await feed.next()).value).toEqual({ messages: [], skipped: 0 });
    const topic = board.stateAt(Buffer.from('of hashblock'), 3, 12);
    if (topic === undefined) throw new Error('there is no such topic');
    const head = Buffer.alloc(80, 0xab);
    const memory = new Memory(Buffer.alloc(4));
    const parts = { topic, bodyLength: 100, head, earlier: [], memory, start: 0, end: 4, hasBody: true };
    board.relay(new Message({ ...parts, sequenceAt: 0, afterBody: 6 }), 3);
    for (let n = 0; n < 120; n++) board.publish('hashtx', Buffer.from([n]));
    const { value } = await feed.next();
    expect(value?.messages[0]).toEqual({
      number: 2,
      at: 0,
      topic: 'hashblock',
      sequence: 0,
      bytes: 100,
      body: 'ab'.repeat(64),
      gap: 3,
    });
    expect(value?.messages).toHaveLength(100);
    expect(value?.messages[1]).toMatchObject({ topic: 'hashtx', sequence: 1, body: '00' });
    expect(value?.skipped).toBe(21);
    await board.close();
    expect((await feed.next()).done).toBe(true);
  });
});
