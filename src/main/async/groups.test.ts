import { expect, it } from 'vitest';
import { Groups } from './groups.ts';

/** Groups whose writing each test ends itself. */
function heldGroups() {
  const written: (readonly number[])[] = [];
  const ends: PromiseWithResolvers<void>[] = [];
  const begun: (() => void)[] = [];
  const groups = new Groups<number, string>({
    write: async (group) => {
      written.push(group);
      const end = Promise.withResolvers<void>();
      ends.push(end);
      begun.shift()?.();
      await end.promise;
      return group.map((item) => `${item}`);
    },
    most: 3,
    maxSize: 10,
    sizeOf: (item) => item,
  });
  const next = () => new Promise<void>((resolve) => begun.push(resolve));
  return { groups, written, ends, next };
}

it('What comes while a group is written makes the next group', async () => {
  const { groups, written, ends, next } = heldGroups();
  const first = next();
  const one = groups.add(1);
  await first;
  const rest = [groups.add(2), groups.add(3)];
  const second = next();
  ends[0]?.resolve();
  expect(await one).toBe('1');
  await second;
  ends[1]?.resolve();
  expect(await Promise.all(rest)).toEqual(['2', '3']);
  await groups.idle();
  expect(written).toEqual([[1], [2, 3]]);
});

it('A group ends at its most items and its largest size, and holds at least one item', async () => {
  const written: (readonly number[])[] = [];
  const groups = new Groups<number, number>({
    write: (group) => {
      written.push(group);
      return group;
    },
    most: 3,
    maxSize: 10,
    sizeOf: (item) => item,
  });
  const items = [1, 1, 1, 1, 9, 2, 50, 1];
  expect(await Promise.all(items.map((item) => groups.add(item)))).toEqual(items);
  expect(written).toEqual([[1, 1, 1], [1, 9], [2], [50], [1]]);
});

it('A group that fails is refused whole, and the next one is written', async () => {
  const { groups, ends, next } = heldGroups();
  const first = next();
  const failing = [groups.add(1), groups.add(2)];
  await first;
  const second = next();
  const later = groups.add(3);
  ends[0]?.reject(new Error('full'));
  expect((await Promise.allSettled(failing)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await second;
  ends[1]?.resolve();
  expect(await later).toBe('3');
});

it('idle waits for what is being written and for what waits', async () => {
  const { groups, ends, next } = heldGroups();
  const first = next();
  const added = groups.add(1);
  await first;
  let isIdle = false;
  const idle = groups.idle().then(() => {
    isIdle = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(isIdle).toBe(false);
  ends[0]?.resolve();
  await added;
  await idle;
  expect(isIdle).toBe(true);
});
