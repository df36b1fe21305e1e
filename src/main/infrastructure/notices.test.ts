import { expect, it } from 'vitest';
import { PlanchetError } from '../../contract/index.ts';
import { NoticeBoard } from './notices.ts';

it('keeps what was dismissed or replaced to be read again, the newest first, and no more than a hundred', () => {
  let now = 0;
  const clock = { now: () => now } as never;
  const board = new NoticeBoard({ clock, events: { publish: () => undefined } as never });
  const failure = new PlanchetError('gateway.key-missing').toFailure();
  const add = (id: string): void => {
    now += 1;
    board.add({ id, level: 'info', failure });
  };
  add('a');
  add('b');
  add('a');
  board.dismiss('b');
  board.dismiss('none');
  expect(board.list().map(({ id, at }) => [id, at])).toEqual([['a', 3]]);
  expect(board.past().map(({ id, at }) => [id, at])).toEqual([
    ['b', 2],
    ['a', 1],
  ]);
  for (let n = 0; n < 200; n++) add('a');
  expect(board.past()).toHaveLength(100);
  expect(board.past()[0]?.at).toBe(now - 1);
});
