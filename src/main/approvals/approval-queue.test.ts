import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Approval, DecodedTransaction, Permission, Remember } from '../../contract/index.ts';
import type { ApprovalRequest } from '../ports/approvals.ts';
import type { SqliteStore } from '../store/store.ts';
import { StillClock } from '../test-support/still-clock.ts';
import { ApprovalQueue } from './approval-queue.ts';
import type { ApprovalTables } from './tables.ts';
import { broadcastRequest, openApprovalStore } from './test-support/approval-store.ts';

const DAY = 86_400_000;
const START = 20_000 * DAY;

let remove: () => Promise<void>;
let store: SqliteStore<ApprovalTables>;
let clock: StillClock;
let locked: boolean;
let queue: ApprovalQueue;
/** How many requests waited at each change. */
let changes: number[];

const openQueue = (): Promise<ApprovalQueue> =>
  ApprovalQueue.open({
    db: store.db,
    clock,
    isLocked: () => locked,
    onChange: (waiting) => void changes.push(waiting.length),
  });

beforeEach(async () => {
  ({ store, remove } = await openApprovalStore());
  clock = new StillClock(START);
  locked = false;
  changes = [];
  queue = await openQueue();
});

afterEach(async () => {
  await queue.denyAll('stopped');
  await remove();
});

/** What an ask came to, as soon as it is known. */
function asked(more: Partial<ApprovalRequest> = {}): Promise<string> {
  return queue.ask(broadcastRequest(more)).then(
    () => 'approved',
    (error: { id?: string; message: string }) => error.message,
  );
}

async function shown(count = 1): Promise<Approval> {
  await vi.waitFor(() => expect(queue.list().waiting).toHaveLength(count), { interval: 2, timeout: 30_000 });
  // Shown before it is journalled would be too soon.
  await vi.waitFor(async () => expect((await open()).length).toBe(count), { interval: 2, timeout: 30_000 });
  return queue.list().waiting.at(-1) as Approval;
}

const open = (): Promise<unknown[]> =>
  store.db.selectFrom('approvals').select('id').where('outcome', 'is', null).execute();

const day = (mostEach: number, mostPerDay: number): Remember => ({
  mostEach,
  mostPerDay,
  expiresAt: clock.now() + 7 * DAY,
});

describe('a request of another program', () => {
  it('names the transactions that were approved, also after a restart, and none that were denied', async () => {
    const txid = 'ab'.repeat(32);
    const more = { transactions: [{ txid } as DecodedTransaction], transactionCount: 1 };
    const approved = asked(more);
    const first = await shown();
    await queue.approve({ id: first.id, digest: first.digest });
    expect(await approved).toBe('approved');
    const denied = asked(more);
    const second = await shown();
    await queue.deny(second);
    await denied;
    for (const list of [queue.list(), (await openQueue()).list()]) {
      expect(list.records.find(({ id }) => id === first.id)?.txids).toEqual([txid]);
      expect(list.records.find(({ id }) => id === second.id)?.txids).toBeUndefined();
    }
  });

  it('is written down, shown, and approved by its id and the digest of what was shown', async () => {
    const outcome = asked();
    const approval = await shown();
    expect(approval).toMatchObject({ program: 'shop', method: 'sendrawtransaction', amount: 1_000 });
    await expect.poll(() => changes).toEqual([1]);
    await queue.approve({ id: approval.id, digest: approval.digest });
    expect(changes).toEqual([1, 0]);
    expect(await outcome).toBe('approved');
    expect(queue.list()).toMatchObject({ waiting: [], records: [{ outcome: 'approved', reason: 'person' }] });
    expect(await store.db.selectFrom('approvals').selectAll().execute()).toMatchObject([
      { outcome: 'approved', reason: 'person', digest: approval.digest },
    ]);
  });

  it('is denied by default, whatever ends it', async () => {
    let left = new AbortController();
    const ends: [string, (approval: Approval) => unknown, RegExp][] = [
      ['person', (approval) => queue.deny(approval), /denied it/],
      ['timeout', () => clock.advance(120_000), /in time/],
      [
        'closed',
        () => {
          queue.pagesOpen(0);
          clock.advance(10_000);
        },
        /page was closed/,
      ],
      ['left', () => left.abort(), /left before/],
      ['locked', () => queue.denyAll('locked'), /locked/],
      ['stopped', () => queue.denyAll('stopped'), /stopped/],
    ];
    for (const [reason, end, message] of ends) {
      // A program of its own each, since a denied one may not ask again at once.
      const program = { id: reason, name: reason };
      left = new AbortController();
      const outcome = asked({ program, signal: left.signal });
      const approval = await shown();
      await end(approval);
      expect(await outcome).toMatch(message);
      expect(queue.list().waiting).toEqual([]);
      await expect.poll(() => changes.at(-1)).toBe(0);
      changes = [];
      expect(queue.list().records[0]).toMatchObject({ program: reason, outcome: 'denied', reason });
      await expect(queue.approve({ id: approval.id, digest: approval.digest })).rejects.toMatchObject({
        code: 'not-found',
      });
    }
  });

  it('is denied where the process ended before the decision', async () => {
    const outcome = asked();
    const approval = await shown();
    const later = await openQueue();
    expect(later.list()).toMatchObject({ waiting: [], records: [{ id: approval.id, reason: 'stopped' }] });
    await expect(later.approve(approval)).rejects.toMatchObject({ code: 'not-found' });
    await queue.denyAll('stopped');
    await outcome;
  });

  it('is not shown, and denied, where it cannot be written down', async () => {
    await store.close();
    await expect(queue.ask(broadcastRequest())).rejects.not.toMatchObject({ id: 'approvals.withdrawn' });
    expect(queue.list().waiting).toEqual([]);
  });

  it.each<[string, (left: AbortController) => unknown, RegExp]>([
    ['timeout', () => clock.advance(120_000), /in time/],
    ['left', (left) => left.abort(), /left before/],
    ['locked', () => queue.denyAll('locked'), /locked/],
    ['stopped', () => queue.denyAll('stopped'), /stopped/],
  ])('is denied where it ended (%s) while an approval of it could not be written down', async (_, end, message) => {
    const left = new AbortController();
    const outcome = asked({ signal: left.signal });
    const { id, digest } = await shown();
    await sql`create trigger full before update on approvals begin select raise(abort, 'full'); end`.execute(store.db);
    const approved = queue.approve({ id, digest });
    end(left);
    await expect(approved).rejects.toThrow('full');
    expect(await outcome).toMatch(message);
    expect(queue.list().waiting).toEqual([]);
  });

  it('waits on where an approval of it could not be written down', async () => {
    const outcome = asked();
    const approval = await shown();
    await sql`create trigger full before update on approvals begin select raise(abort, 'full'); end`.execute(store.db);
    await expect(queue.approve(approval)).rejects.toThrow('full');
    await sql`drop trigger full`.execute(store.db);
    await queue.approve(approval);
    expect(await outcome).toBe('approved');
  });

  it('cannot be approved by the digest of another one, by a made-up one, or twice', async () => {
    const outcomes = [asked(), asked({ amount: 2_000 })];
    const second = await shown(2);
    const [first] = queue.list().waiting as [Approval];
    for (const digest of [second.digest, 'ab'.repeat(32)])
      await expect(queue.approve({ id: first.id, digest })).rejects.toMatchObject({ code: 'conflict' });
    const both = await Promise.allSettled([queue.approve(first), queue.approve(first)]);
    expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    await queue.deny(second);
    expect(await Promise.all(outcomes)).toEqual(['approved', expect.stringMatching(/denied/)]);
    clock.advance(30_000);
    const request = { ...broadcastRequest() };
    const changed = queue.ask(request).catch((error: Error) => error.message);
    const third = await shown();
    request.amount = 9_000;
    await expect(queue.approve(third)).rejects.toMatchObject({ id: 'approvals.changed' });
    await queue.deny(third);
    expect(await changed).toMatch(/denied/);
  });

  it('stays while the page is loaded again', async () => {
    const outcome = asked();
    const approval = await shown();
    queue.pagesOpen(0);
    clock.advance(9_000);
    queue.pagesOpen(1);
    clock.advance(60_000);
    await queue.approve(approval);
    expect(await outcome).toBe('approved');
  });

  it('is refused at once while the wallet is locked, and cannot be approved then', async () => {
    const outcome = asked();
    const approval = await shown();
    locked = true;
    await expect(queue.approve(approval)).rejects.toMatchObject({ code: 'vault-locked' });
    expect(await asked({ program: { id: 'b', name: 'b' } })).toMatch(/locked/);
    await queue.deny(approval);
    await outcome;
  });

  it('is not even shown where its program has left, also where a permission covers it', async () => {
    const remembered = asked();
    const { id, digest } = await shown();
    await queue.approve({ id, digest, remember: day(1_000, 10_000) });
    await remembered;
    const journalled = queue.list().records.length;
    for (const amount of [1_000, 5_000]) {
      const outcome = asked({ amount, signal: AbortSignal.abort() });
      await store.db.selectFrom('approvals').selectAll().execute();
      expect(queue.list().waiting).toEqual([]);
      expect(await outcome).toMatch(/withdr|gone|left/i);
    }
    expect(queue.list().records).toHaveLength(journalled);
  });

  it('ends with the credential of its program', async () => {
    let valid = true;
    const outcome = asked({ program: { id: 'k', name: 'k', stillValid: () => valid } });
    const approval = await shown();
    valid = false;
    await expect(queue.approve(approval)).rejects.toMatchObject({ code: 'not-found' });
    expect(await outcome).toMatch(/left/);
  });

  it('cannot be repeated at will: three at once for each program, eight in all, and longer waits after denials', async () => {
    const outcomes = [1, 2, 3].map(() => asked());
    await shown(3);
    expect(await asked()).toMatch(/wait for an approval already/);
    for (const id of ['b', 'c', 'd', 'e', 'f']) outcomes.push(asked({ program: { id, name: id } }));
    await shown(8);
    expect(await asked({ program: { id: 'g', name: 'g' } })).toMatch(/8 requests wait/);
    await queue.denyAll('locked');
    await Promise.all(outcomes);
    for (const wait of [30, 60, 120]) {
      const outcome = asked();
      await queue.deny(await shown());
      await outcome;
      expect(await asked()).toContain(`in ${wait} seconds`);
      clock.advance(wait * 1_000);
    }
    // Once a person approves, the waits begin anew.
    const approved = asked();
    await queue.approve(await shown());
    await approved;
    const outcome = asked();
    await queue.deny(await shown());
    await outcome;
    expect(await asked()).toContain('in 30 seconds');
  });

  it('is denied once, and not while it is approved', async () => {
    await expect(queue.deny({ id: 'none' })).rejects.toMatchObject({ code: 'not-found' });
    const outcome = asked();
    const approval = await shown();
    const approved = queue.approve(approval);
    await expect(queue.deny(approval)).rejects.toMatchObject({ code: 'not-found' });
    await approved;
    expect(await outcome).toBe('approved');
    const denied = asked();
    const again = await shown();
    await Promise.all([queue.deny(again), queue.denyAll('locked')]);
    expect(await denied).toMatch(/denied/);
    expect(queue.list().records.filter(({ id }) => id === again.id)).toHaveLength(1);
  });

  it('cannot be approved where it could not be written down, however fast a person is', async () => {
    await sql`create trigger full before insert on approvals begin select raise(abort, 'full'); end`.execute(store.db);
    const outcome = asked();
    while (queue.list().waiting.length === 0) await Promise.resolve();
    const [approval] = queue.list().waiting as [Approval];
    await expect(queue.approve(approval)).rejects.toThrow('full');
    expect(await outcome).toMatch(/full/);
  });
});

describe('a remembered permission', () => {
  async function remember(limits: Remember): Promise<void> {
    const outcome = asked({ amount: 100 });
    await queue.approve({ ...(await shown()), remember: limits });
    expect(await outcome).toBe('approved');
    await expect.poll(() => queue.list().permissions).toHaveLength(1);
  }

  it('changes what a person sees when it is given, used and revoked', async () => {
    const seen = async (change: Promise<unknown>): Promise<number[]> => {
      changes = [];
      await change;
      return changes;
    };
    const outcome = asked();
    const approval = await shown();
    expect(await seen(queue.approve({ ...approval, remember: day(1_000, 5_000) }))).toEqual([0]);
    await outcome;
    expect(await seen(asked())).toEqual([0]);
    expect(await seen(queue.revoke(queue.list().permissions[0] as Permission))).toEqual([0]);
  });

  it('lets the same program and command pass up to its limits, each day anew, and after a restart', async () => {
    await remember(day(1_000, 2_000));
    expect(await asked({ amount: 1_000 })).toBe('approved');
    expect(queue.list().permissions).toMatchObject([{ program: 'shop', usedToday: 1_100, lastUsedAt: START }]);
    queue = await openQueue();
    expect(await asked({ amount: 900 })).toBe('approved');
    const over = asked({ amount: 1 });
    await queue.deny(await shown());
    expect(await over).toMatch(/denied/);
    clock.advance(DAY);
    expect(queue.list().permissions[0]?.usedToday).toBe(0);
    expect(await asked({ amount: 1_000 })).toBe('approved');
    expect(queue.list().records[0]).toMatchObject({ outcome: 'approved', reason: 'remembered' });
  });

  it.each<[string, Partial<ApprovalRequest>]>([
    ['another program', { program: { id: 'key-2', name: 'shop' } }],
    ['another command', { method: 'sendrawtransactions' }],
    ['more than one request may move', { amount: 1_001 }],
    ['a budget', { kind: 'budget' }],
    ['a transaction of unknown fee', { feeUnknown: true }],
  ])('does not cover %s', async (_, more) => {
    await remember(day(1_000, 10_000));
    const outcome = asked({ amount: 500, ...more });
    await queue.deny(await shown());
    expect(await outcome).toMatch(/denied/);
  });

  it('that is revoked while its use is written down approves nothing', async () => {
    const outcome = asked();
    const { id, digest } = await shown();
    await queue.approve({ id, digest, remember: day(1_000, 5_000) });
    expect(await outcome).toBe('approved');
    const used = asked();
    await queue.revoke(queue.list().permissions[0] as Permission);
    const again = await shown();
    await queue.deny(again);
    expect(await used).not.toBe('approved');
    expect(queue.list().records.filter(({ reason }) => reason === 'remembered')).toEqual([]);
  });

  it('is not used twice for the same rest', async () => {
    await remember(day(1_000, 1_100));
    const outcomes = [asked({ amount: 1_000 }), asked({ amount: 1_000 })];
    await queue.deny(await shown());
    expect((await Promise.all(outcomes)).filter((one) => one === 'approved')).toHaveLength(1);
  });

  it('is one, however many are given for the same command at the same moment', async () => {
    const outcomes = [asked(), asked()];
    await shown(2);
    await Promise.all(queue.list().waiting.map((one) => queue.approve({ ...one, remember: day(1_000, 2_000) })));
    expect(await Promise.all(outcomes)).toEqual(['approved', 'approved']);
    expect(queue.list().permissions).toMatchObject([{ mostPerDay: 2_000, usedToday: 1_000 }]);
    expect(await store.db.selectFrom('approval_permissions').select('id').execute()).toHaveLength(1);
  });

  it('ends with its time, when it is revoked, and at once when another takes its place', async () => {
    await remember(day(1_000, 10_000));
    clock.advance(7 * DAY);
    const late = asked({ amount: 10 });
    const approval = await shown();
    await expect(queue.approve({ ...approval, remember: { ...day(10, 5) } })).rejects.toMatchObject({
      code: 'invalid-input',
    });
    await expect(
      queue.approve({ ...approval, remember: { ...day(10, 50), expiresAt: clock.now() } }),
    ).rejects.toMatchObject({ code: 'invalid-input' });
    await queue.approve({ ...approval, remember: day(10, 50) });
    expect(await late).toBe('approved');
    await expect.poll(() => queue.list().permissions).toMatchObject([{ mostEach: 10 }]);
    await queue.revoke(queue.list().permissions[0] as Permission);
    expect(queue.list().permissions).toEqual([]);
    const asks = asked({ amount: 10 });
    await queue.deny(await shown());
    expect(await asks).toMatch(/denied/);
    await expect(queue.revoke({ id: 'none' })).rejects.toMatchObject({ code: 'not-found' });
  });
});

describe('what is granted to the writer', () => {
  it('counts for the day of its approval, also after a restart', async () => {
    const outcome = asked({ kind: 'budget', amount: 5_000, cap: 5_000 });
    await queue.approve(await shown());
    await outcome;
    expect(queue.grantedToday()).toBe(5_000);
    queue = await openQueue();
    expect(queue.grantedToday()).toBe(5_000);
    clock.advance(DAY);
    expect(queue.grantedToday()).toBe(0);
  });
});
