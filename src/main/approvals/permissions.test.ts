import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LONGEST_PERMISSION_MS, type Permission, type Remember } from '../../contract/index.ts';
import type { ApprovalRequest } from '../ports/approvals.ts';
import type { SqliteStore } from '../store/store.ts';
import { StillClock } from '../test-support/still-clock.ts';
import { Permissions } from './permissions.ts';
import type { ApprovalTables } from './tables.ts';
import { broadcastRequest, openApprovalStore } from './test-support/approval-store.ts';

const DAY = 86_400_000;
const START = 20_000 * DAY;

let remove: () => Promise<void>;
let store: SqliteStore<ApprovalTables>;
let clock: StillClock;
let permissions: Permissions;

const reopen = async (): Promise<void> => {
  permissions = await Permissions.open(store.db, clock);
};

beforeEach(async () => {
  ({ store, remove } = await openApprovalStore());
  clock = new StillClock(START);
  await reopen();
});

afterEach(async () => {
  await remove();
});

const request = (more: Partial<ApprovalRequest> = {}): ApprovalRequest => broadcastRequest({ amount: 100, ...more });
const limits = (more: Partial<Remember> = {}): Remember => ({
  mostEach: 1_000,
  mostPerDay: 1_000,
  expiresAt: START + 7 * DAY,
  ...more,
});

describe('permissions', () => {
  it('cover up to their limits, each amount once, also after a restart', async () => {
    await permissions.remember(request(), limits({ mostPerDay: 2_000 }));
    clock.advance(1);
    const both = [1_000, 1_000].map((amount) => permissions.use(request({ amount })));
    expect(await Promise.all(both)).toEqual([true, false]);
    await reopen();
    expect(permissions.list()).toMatchObject([{ usedToday: 1_100, createdAt: START, lastUsedAt: START + 1 }]);
    expect(await permissions.use(request({ feeUnknown: true }))).toBe(false);
    for (const amount of [901, 900, 1]) expect(await permissions.use(request({ amount }))).toBe(amount === 900);
    clock.advance(DAY);
    for (const amount of [1_001, 1_000]) expect(await permissions.use(request({ amount }))).toBe(amount === 1_000);
  });

  it('take the place of one for the same kind, program and command alone', async () => {
    const others = [
      request({ kind: 'budget' }),
      request({ program: { id: 'key-2', name: 'b' } }),
      request({ method: 'm' }),
    ];
    for (const one of [request(), ...others]) await permissions.remember(one, limits());
    expect(permissions.list()).toHaveLength(4);
    await permissions.use(request({ method: 'm', amount: 200 }));
    expect(permissions.list().map(({ usedToday }) => usedToday)).toEqual([100, 100, 100, 300]);
    await permissions.remember(request(), limits({ mostPerDay: 2_000 }));
    for (const _ of ['now', 'after a restart']) {
      expect(
        permissions
          .list()
          .map(({ mostPerDay }) => mostPerDay)
          .sort(),
      ).toEqual([1_000, 1_000, 1_000, 2_000]);
      await reopen();
    }
  });

  it('are one, with the use of both, where an earlier version wrote two', async () => {
    await permissions.remember(request(), limits({ mostPerDay: 2_000 }));
    const row = await store.db.selectFrom('approval_permissions').selectAll().executeTakeFirstOrThrow();
    const second = { ...row, id: 'second', most_per_day: 1_500, used: 600, created_at: row.created_at + 1 };
    const other = { ...row, id: 'other', program_id: 'key-2' };
    await store.db.insertInto('approval_permissions').values([second, other]).execute();
    for (const _ of ['once', 'and again']) {
      await reopen();
      const listed = permissions.list().map(({ id, mostPerDay, usedToday }) => [id, mostPerDay, usedToday]);
      expect(listed.sort()).toEqual([
        ['other', 2_000, 100],
        ['second', 1_500, 700],
      ]);
    }
    for (const amount of [801, 800]) expect(await permissions.use(request({ amount }))).toBe(amount === 800);
  });

  it('stay revoked after a restart', async () => {
    await permissions.remember(request(), limits());
    await permissions.revoke((permissions.list()[0] as Permission).id);
    await reopen();
    expect(permissions.list()).toEqual([]);
    expect(await permissions.use(request())).toBe(false);
    await expect(permissions.revoke('none')).rejects.toMatchObject({ id: 'approvals.permission-missing' });
  });

  it('count what is used until the day ends in UTC', async () => {
    await permissions.remember(request(), limits());
    clock.advance(DAY - 1);
    expect(permissions.list()[0]?.usedToday).toBe(100);
    expect(await permissions.use(request({ amount: 901 }))).toBe(false);
    clock.advance(1);
    expect(permissions.list()[0]?.usedToday).toBe(0);
    expect(await permissions.use(request({ amount: 901 }))).toBe(true);
  });

  it('give no day its limit anew where the clock is put back, also after a restart', async () => {
    await permissions.remember(request(), limits());
    clock.advance(DAY);
    expect(await permissions.use(request({ amount: 900 }))).toBe(true);
    clock.advance(-DAY);
    expect(await permissions.use(request({ amount: 101 }))).toBe(false);
    expect(await permissions.use(request({ amount: 100 }))).toBe(true);
    await reopen();
    clock.advance(DAY);
    expect(permissions.list()[0]?.usedToday).toBe(1_000);
  });

  it('are listed for seven days after their end, though they cover nothing any more', async () => {
    await permissions.remember(request(), limits({ expiresAt: START + 1 }));
    clock.advance(1);
    expect(await permissions.use(request())).toBe(false);
    clock.advance(7 * DAY);
    await reopen();
    expect(permissions.list()).toHaveLength(1);
    clock.advance(1);
    await reopen();
    expect(permissions.list()).toEqual([]);
  });

  it('are given for a time to come, no longer than the longest, and for no less each day than each time', async () => {
    const longest = START + LONGEST_PERMISSION_MS;
    for (const right of [{ expiresAt: START + 1 }, { expiresAt: longest }]) {
      permissions.check(limits(right));
      await permissions.remember(request(), limits(right));
    }
    for (const [wrong, id] of [
      [{ expiresAt: START }, 'approvals.end-invalid'],
      [{ expiresAt: longest + 1 }, 'approvals.end-invalid'],
      [{ mostPerDay: 999 }, 'approvals.limits-crossed'],
    ] as const) {
      expect(() => permissions.check(limits(wrong))).toThrow(expect.objectContaining({ id }));
      // The end may have passed while the approval itself was written down.
      await expect(permissions.remember(request(), limits(wrong))).rejects.toMatchObject({ id });
    }
    expect(permissions.list()).toMatchObject([{ expiresAt: longest }]);
  });
});
