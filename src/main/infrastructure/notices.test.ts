import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { PlanchetError } from '../../contract/index.ts';
import { openStore, type SqliteStore } from '../store/store.ts';
import { NoticeBoard, noticeMigrations } from './notices.ts';

const failure = new PlanchetError('gateway.key-missing').toFailure();
const warn = vi.fn();
let now = 0;
let folder: string;
// biome-ignore lint/suspicious/noExplicitAny: the board knows its tables
let store: SqliteStore<any>;

const open = async () => {
  store = await openStore({ file: join(folder, 'planchet.db'), migrations: noticeMigrations });
  return openBoard();
};
const openBoard = () =>
  NoticeBoard.open({
    clock: { now: () => now } as never,
    events: { publish: () => undefined } as never,
    db: store.db,
    logger: { warn } as never,
  });
const add = (board: NoticeBoard, id: string): void => {
  now += 1;
  board.add({ id, level: 'info', failure });
};

beforeEach(() => {
  now = 0;
  warn.mockReset();
  folder = mkdtempSync(join(tmpdir(), 'planchet-notices-'));
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

it('the list of notices keeps what was dismissed or replaced to be read again, the newest first, and no more than 200', async () => {
  const board = await open();
  add(board, 'a');
  add(board, 'b');
  add(board, 'a');
  board.dismiss('b');
  board.dismiss('none');
  expect(board.list().map(({ id, at }) => [id, at])).toEqual([['a', 3]]);
  expect(board.past().map(({ id, at }) => [id, at])).toEqual([
    ['b', 2],
    ['a', 1],
  ]);
  for (let n = 0; n < 300; n++) add(board, 'a');
  expect(board.past()).toHaveLength(200);
  expect(board.past()[0]?.at).toBe(now - 1);
  await board.settled();
  expect(await store.db.selectFrom('notices').selectAll().execute()).toHaveLength(200);
});

it('the list of notices has all that was told over a restart as past, with its time', async () => {
  const board = await open();
  for (const id of ['a', 'b', 'c']) add(board, id);
  board.dismiss('a');
  await board.settled();
  const [first] = board.past();
  await store.close();
  const later = await open();
  expect(later.list()).toEqual([]);
  expect(later.past().map(({ id, at }) => [id, at])).toEqual([
    ['c', 3],
    ['b', 2],
    ['a', 1],
  ]);
  expect(later.past()[2]).toEqual(first);
});

it('the list of notices leaves out what it cannot read, and tells also what cannot be written', async () => {
  const board = await open();
  add(board, 'a');
  await board.settled();
  await store.db.insertInto('notices').values({ notice: '{"level":"loud"}' }).execute();
  expect((await openBoard()).past().map(({ id }) => id)).toEqual(['a']);
  await store.db.schema.dropTable('notices').execute();
  add(board, 'b');
  await board.settled();
  expect(board.list().map(({ id }) => id)).toEqual(['a', 'b']);
  expect(warn).toHaveBeenCalledOnce();
});
