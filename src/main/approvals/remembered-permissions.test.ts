import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Permission, Remember } from '../../contract/index.ts';
import type { ApprovalRequest } from '../ports/approvals.ts';
import { DAY, QueueWorld, START } from './test-support/queue-world.ts';

let world: QueueWorld;

beforeEach(async () => {
  world = await QueueWorld.open();
});

afterEach(() => world.close());

async function remember(limits: Remember): Promise<void> {
  const outcome = world.asked({ amount: 100 });
  await world.queue.approve({ ...(await world.shown()), remember: limits });
  expect(await outcome).toBe('approved');
  await expect.poll(() => world.queue.list().permissions).toHaveLength(1);
}

describe('a remembered permission', () => {
  it('changes what a person sees when it is given, used and revoked', async () => {
    const seen = async (change: Promise<unknown>): Promise<number[]> => {
      world.changes = [];
      await change;
      return world.changes;
    };
    const outcome = world.asked();
    const approval = await world.shown();
    expect(await seen(world.queue.approve({ ...approval, remember: world.week(1_000, 5_000) }))).toEqual([0]);
    await outcome;
    expect(await seen(world.asked())).toEqual([0]);
    expect(await seen(world.queue.revoke(world.queue.list().permissions[0] as Permission))).toEqual([0]);
  });

  it('lets the same program and command pass up to its limits, each day anew, and after a restart', async () => {
    await remember(world.week(1_000, 2_000));
    expect(await world.asked({ amount: 1_000 })).toBe('approved');
    expect(world.queue.list().permissions).toMatchObject([{ program: 'shop', usedToday: 1_100, lastUsedAt: START }]);
    world.queue = await world.openQueue();
    expect(await world.asked({ amount: 900 })).toBe('approved');
    const over = world.asked({ amount: 1 });
    await world.queue.deny(await world.shown());
    expect(await over).toMatch(/denied/);
    world.clock.advance(DAY);
    expect(world.queue.list().permissions[0]?.usedToday).toBe(0);
    expect(await world.asked({ amount: 1_000 })).toBe('approved');
    expect(world.queue.list().records[0]).toMatchObject({ outcome: 'approved', reason: 'remembered' });
  });

  it.each<[string, Partial<ApprovalRequest>]>([
    ['another program', { program: { id: 'key-2', name: 'shop' } }],
    ['another command', { method: 'sendrawtransactions' }],
    ['more than one request may move', { amount: 1_001 }],
    ['a budget', { kind: 'budget' }],
    ['a transaction of unknown fee', { feeUnknown: true }],
  ])('does not cover %s', async (_, more) => {
    await remember(world.week(1_000, 10_000));
    const outcome = world.asked({ amount: 500, ...more });
    await world.queue.deny(await world.shown());
    expect(await outcome).toMatch(/denied/);
  });

  it('that is revoked while its use is written down approves nothing', async () => {
    const outcome = world.asked();
    const { id, digest } = await world.shown();
    await world.queue.approve({ id, digest, remember: world.week(1_000, 5_000) });
    expect(await outcome).toBe('approved');
    const used = world.asked();
    await world.queue.revoke(world.queue.list().permissions[0] as Permission);
    const again = await world.shown();
    await world.queue.deny(again);
    expect(await used).not.toBe('approved');
    expect(world.queue.list().records.filter(({ reason }) => reason === 'remembered')).toEqual([]);
  });

  it('is not used twice for the same rest', async () => {
    await remember(world.week(1_000, 1_100));
    const outcomes = [world.asked({ amount: 1_000 }), world.asked({ amount: 1_000 })];
    await world.queue.deny(await world.shown());
    expect((await Promise.all(outcomes)).filter((one) => one === 'approved')).toHaveLength(1);
  });

  it('is one, however many are given for the same command at the same moment', async () => {
    const outcomes = [world.asked(), world.asked()];
    await world.shown(2);
    await Promise.all(
      world.queue.list().waiting.map((one) => world.queue.approve({ ...one, remember: world.week(1_000, 2_000) })),
    );
    expect(await Promise.all(outcomes)).toEqual(['approved', 'approved']);
    expect(world.queue.list().permissions).toMatchObject([{ mostPerDay: 2_000, usedToday: 1_000 }]);
    expect(await world.store.db.selectFrom('approval_permissions').select('id').execute()).toHaveLength(1);
  });

  it('ends with its time, when it is revoked, and at once when another takes its place', async () => {
    await remember(world.week(1_000, 10_000));
    world.clock.advance(7 * DAY);
    const late = world.asked({ amount: 10 });
    const approval = await world.shown();
    await expect(world.queue.approve({ ...approval, remember: { ...world.week(10, 5) } })).rejects.toMatchObject({
      code: 'invalid-input',
    });
    await expect(
      world.queue.approve({ ...approval, remember: { ...world.week(10, 50), expiresAt: world.clock.now() } }),
    ).rejects.toMatchObject({ code: 'invalid-input' });
    await world.queue.approve({ ...approval, remember: world.week(10, 50) });
    expect(await late).toBe('approved');
    await expect.poll(() => world.queue.list().permissions).toMatchObject([{ mostEach: 10 }]);
    await world.queue.revoke(world.queue.list().permissions[0] as Permission);
    expect(world.queue.list().permissions).toEqual([]);
    const asks = world.asked({ amount: 10 });
    await world.queue.deny(await world.shown());
    expect(await asks).toMatch(/denied/);
    await expect(world.queue.revoke({ id: 'none' })).rejects.toMatchObject({ code: 'not-found' });
  });
});

describe('a permission while the database cannot be written', () => {
  const setReadOnly = (so: boolean): void => void world.store.sqlite.pragma(`query_only = ${so}`);

  it('stays where it could not be revoked, and is revoked once it can be', async () => {
    await remember(world.week(1_000, 5_000));
    const [permission] = world.queue.list().permissions as [Permission];
    setReadOnly(true);
    await expect(world.queue.revoke(permission)).rejects.toMatchObject({ code: 'SQLITE_READONLY' });
    expect(world.queue.list().permissions).toEqual([permission]);
    setReadOnly(false);
    await world.queue.revoke(permission);
    expect((await world.openQueue()).list().permissions).toEqual([]);
  });

  it('that could not be stored is told of, and what it was given with is approved and waits no more', async () => {
    const outcome = world.asked();
    const approval = await world.shown();
    await sql`create trigger full before insert on approval_permissions begin select raise(abort, 'full'); end`.execute(
      world.store.db,
    );
    world.changes = [];
    await expect(world.queue.approve({ ...approval, remember: world.week(1_000, 5_000) })).rejects.toThrow('full');
    expect(await outcome).toBe('approved');
    expect(world.changes).toEqual([0]);
    expect(world.queue.list().permissions).toEqual([]);
  });
});

describe('what is granted to the writer', () => {
  it('counts for the day of its approval, also after a restart', async () => {
    const outcome = world.asked({ kind: 'budget', amount: 5_000, cap: 5_000 });
    await world.queue.approve(await world.shown());
    await outcome;
    expect(world.queue.grantedToday()).toBe(5_000);
    world.queue = await world.openQueue();
    expect(world.queue.grantedToday()).toBe(5_000);
    world.clock.advance(DAY);
    expect(world.queue.grantedToday()).toBe(0);
  });

  it('counts once where two people approve it at the same moment', async () => {
    const outcome = world.asked({ kind: 'budget', amount: 5_000, cap: 5_000 });
    const approval = await world.shown();
    const both = await Promise.allSettled([world.queue.approve(approval), world.queue.approve(approval)]);
    expect(both).toMatchObject([{ status: 'fulfilled' }, { reason: { id: 'approvals.gone' } }]);
    expect(await outcome).toBe('approved');
    for (const queue of [world.queue, await world.openQueue()]) expect(queue.grantedToday()).toBe(5_000);
  });

  it('counts on no other day where the clock is put back, also after a restart', async () => {
    const grant = async (amount: number): Promise<void> => {
      const outcome = world.asked({ kind: 'budget', amount, cap: 5_000 });
      await world.queue.approve(await world.shown());
      await outcome;
    };
    world.clock.advance(DAY);
    await grant(5_000);
    world.clock.advance(-DAY);
    await grant(100);
    for (const _ of ['in memory', 'from the journal']) {
      expect(world.queue.grantedToday()).toBe(100);
      world.clock.advance(DAY);
      expect(world.queue.grantedToday()).toBe(5_000);
      world.clock.advance(-DAY);
      world.queue = await world.openQueue();
    }
  });
});
