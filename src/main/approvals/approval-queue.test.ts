import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Approval, DecodedTransaction } from '../../contract/index.ts';
import { broadcastRequest } from './test-support/approval-store.ts';
import { QueueWorld } from './test-support/queue-world.ts';

let world: QueueWorld;

beforeEach(async () => {
  world = await QueueWorld.open();
});

afterEach(() => world.close());

describe('a request of another program', () => {
  it('names the transactions that were approved, also after a restart, and none that were denied', async () => {
    const txid = 'ab'.repeat(32);
    const more = { transactions: [{ txid } as DecodedTransaction], transactionCount: 1 };
    const approved = world.asked(more);
    const first = await world.shown();
    await world.queue.approve({ id: first.id, digest: first.digest });
    expect(await approved).toBe('approved');
    const denied = world.asked(more);
    const second = await world.shown();
    await world.queue.deny(second);
    await denied;
    for (const list of [world.queue.list(), (await world.openQueue()).list()]) {
      expect(list.records.find(({ id }) => id === first.id)?.txids).toEqual([txid]);
      expect(list.records.find(({ id }) => id === second.id)?.txids).toBeUndefined();
    }
  });

  it('is written down, shown, and approved by its id and the digest of what was shown', async () => {
    const outcome = world.asked();
    const approval = await world.shown();
    expect(approval).toMatchObject({ program: 'shop', method: 'sendrawtransaction', amount: 1_000 });
    await expect.poll(() => world.changes).toEqual([1]);
    await world.queue.approve({ id: approval.id, digest: approval.digest });
    expect(world.changes).toEqual([1, 0]);
    expect(await outcome).toBe('approved');
    expect(world.queue.list()).toMatchObject({ waiting: [], records: [{ outcome: 'approved', reason: 'person' }] });
    expect(await world.store.db.selectFrom('approvals').selectAll().execute()).toMatchObject([
      { outcome: 'approved', reason: 'person', digest: approval.digest },
    ]);
  });

  it('is denied by default, whatever ends it', async () => {
    let left = new AbortController();
    const ends: [string, (approval: Approval) => unknown, RegExp][] = [
      ['person', (approval) => world.queue.deny(approval), /denied it/],
      ['timeout', () => world.clock.advance(120_000), /in time/],
      [
        'closed',
        () => {
          world.queue.pagesOpen(0);
          world.clock.advance(10_000);
        },
        /page was closed/,
      ],
      ['left', () => left.abort(), /left before/],
      ['locked', () => world.queue.denyAll('locked'), /locked/],
      ['stopped', () => world.queue.denyAll('stopped'), /stopped/],
    ];
    for (const [reason, end, message] of ends) {
      // A program of its own each, since a denied one may not ask again at once.
      const program = { id: reason, name: reason };
      left = new AbortController();
      const outcome = world.asked({ program, signal: left.signal });
      const approval = await world.shown();
      await end(approval);
      expect(await outcome).toMatch(message);
      expect(world.queue.list().waiting).toEqual([]);
      await expect.poll(() => world.changes.at(-1)).toBe(0);
      world.changes = [];
      expect(world.queue.list().records[0]).toMatchObject({ program: reason, outcome: 'denied', reason });
      await expect(world.queue.approve({ id: approval.id, digest: approval.digest })).rejects.toMatchObject({
        code: 'not-found',
      });
    }
  });

  it('is denied where the process ended before the decision', async () => {
    const outcome = world.asked();
    const approval = await world.shown();
    const later = await world.openQueue();
    expect(later.list()).toMatchObject({ waiting: [], records: [{ id: approval.id, reason: 'stopped' }] });
    await expect(later.approve(approval)).rejects.toMatchObject({ code: 'not-found' });
    await world.queue.denyAll('stopped');
    await outcome;
  });

  it('is not shown, and denied, where it cannot be written down', async () => {
    await world.store.close();
    await expect(world.queue.ask(broadcastRequest())).rejects.not.toMatchObject({ id: 'approvals.withdrawn' });
    expect(world.queue.list().waiting).toEqual([]);
  });

  it.each<[string, (left: AbortController) => unknown, RegExp]>([
    ['timeout', () => world.clock.advance(120_000), /in time/],
    ['left', (left) => left.abort(), /left before/],
    ['locked', () => world.queue.denyAll('locked'), /locked/],
    ['stopped', () => world.queue.denyAll('stopped'), /stopped/],
  ])('is denied where it ended (%s) while an approval of it could not be written down', async (_, end, message) => {
    const left = new AbortController();
    const outcome = world.asked({ signal: left.signal });
    const { id, digest } = await world.shown();
    await sql`create trigger full before update on approvals begin select raise(abort, 'full'); end`.execute(
      world.store.db,
    );
    const approved = world.queue.approve({ id, digest });
    end(left);
    await expect(approved).rejects.toThrow('full');
    expect(await outcome).toMatch(message);
    expect(world.queue.list().waiting).toEqual([]);
  });

  it('waits on where an approval of it could not be written down', async () => {
    const outcome = world.asked();
    const approval = await world.shown();
    await sql`create trigger full before update on approvals begin select raise(abort, 'full'); end`.execute(
      world.store.db,
    );
    await expect(world.queue.approve(approval)).rejects.toThrow('full');
    await sql`drop trigger full`.execute(world.store.db);
    await world.queue.approve(approval);
    expect(await outcome).toBe('approved');
  });

  it('cannot be approved by the digest of another one, by a made-up one, or twice', async () => {
    const outcomes = [world.asked(), world.asked({ amount: 2_000 })];
    const second = await world.shown(2);
    const [first] = world.queue.list().waiting as [Approval];
    for (const digest of [second.digest, 'ab'.repeat(32)])
      await expect(world.queue.approve({ id: first.id, digest })).rejects.toMatchObject({ code: 'conflict' });
    const both = await Promise.allSettled([world.queue.approve(first), world.queue.approve(first)]);
    expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    await world.queue.deny(second);
    expect(await Promise.all(outcomes)).toEqual(['approved', expect.stringMatching(/denied/)]);
    world.clock.advance(30_000);
    const request = { ...broadcastRequest() };
    const changed = world.queue.ask(request).catch((error: Error) => error.message);
    const third = await world.shown();
    request.amount = 9_000;
    await expect(world.queue.approve(third)).rejects.toMatchObject({ id: 'approvals.changed' });
    await world.queue.deny(third);
    expect(await changed).toMatch(/denied/);
  });

  it('stays while the page is loaded again', async () => {
    const outcome = world.asked();
    const approval = await world.shown();
    world.queue.pagesOpen(0);
    world.clock.advance(9_000);
    world.queue.pagesOpen(1);
    world.clock.advance(60_000);
    await world.queue.approve(approval);
    expect(await outcome).toBe('approved');
  });

  it('is refused at once while the wallet is locked, and cannot be approved then', async () => {
    const outcome = world.asked();
    const approval = await world.shown();
    world.locked = true;
    await expect(world.queue.approve(approval)).rejects.toMatchObject({ code: 'vault-locked' });
    expect(await world.asked({ program: { id: 'b', name: 'b' } })).toMatch(/locked/);
    await world.queue.deny(approval);
    await outcome;
  });

  it('is not even shown where its program has left, also where a permission covers it', async () => {
    const remembered = world.asked();
    const { id, digest } = await world.shown();
    await world.queue.approve({ id, digest, remember: world.week(1_000, 10_000) });
    await remembered;
    const journalled = world.queue.list().records.length;
    for (const amount of [1_000, 5_000]) {
      const outcome = world.asked({ amount, signal: AbortSignal.abort() });
      await world.store.db.selectFrom('approvals').selectAll().execute();
      expect(world.queue.list().waiting).toEqual([]);
      expect(await outcome).toMatch(/withdr|gone|left/i);
    }
    expect(world.queue.list().records).toHaveLength(journalled);
  });

  it('ends with the credential of its program', async () => {
    let valid = true;
    const outcome = world.asked({ program: { id: 'k', name: 'k', stillValid: () => valid } });
    const approval = await world.shown();
    valid = false;
    await expect(world.queue.approve(approval)).rejects.toMatchObject({ code: 'not-found' });
    expect(await outcome).toMatch(/left/);
  });

  it('cannot be repeated at will: three at once for each program, eight in all, and longer waits after denials', async () => {
    const outcomes = [1, 2, 3].map(() => world.asked());
    await world.shown(3);
    expect(await world.asked()).toMatch(/wait for an approval already/);
    for (const id of ['b', 'c', 'd', 'e', 'f']) outcomes.push(world.asked({ program: { id, name: id } }));
    await world.shown(8);
    expect(await world.asked({ program: { id: 'g', name: 'g' } })).toMatch(/8 requests wait/);
    await world.queue.denyAll('locked');
    await Promise.all(outcomes);
    for (const wait of [30, 60, 120]) {
      const outcome = world.asked();
      await world.queue.deny(await world.shown());
      await outcome;
      expect(await world.asked()).toContain(`in ${wait} seconds`);
      world.clock.advance(wait * 1_000);
    }
    // Once a person approves, the waits begin anew.
    const approved = world.asked();
    await world.queue.approve(await world.shown());
    await approved;
    const outcome = world.asked();
    await world.queue.deny(await world.shown());
    await outcome;
    expect(await world.asked()).toContain('in 30 seconds');
  });

  it('is denied once, and not while it is approved', async () => {
    await expect(world.queue.deny({ id: 'none' })).rejects.toMatchObject({ code: 'not-found' });
    const outcome = world.asked();
    const approval = await world.shown();
    const approved = world.queue.approve(approval);
    await expect(world.queue.deny(approval)).rejects.toMatchObject({ code: 'not-found' });
    await approved;
    expect(await outcome).toBe('approved');
    const denied = world.asked();
    const again = await world.shown();
    await Promise.all([world.queue.deny(again), world.queue.denyAll('locked')]);
    expect(await denied).toMatch(/denied/);
    expect(world.queue.list().records.filter(({ id }) => id === again.id)).toHaveLength(1);
  });

  it('cannot be approved where it could not be written down, however fast a person is', async () => {
    await sql`create trigger full before insert on approvals begin select raise(abort, 'full'); end`.execute(
      world.store.db,
    );
    const outcome = world.asked();
    while (world.queue.list().waiting.length === 0) await Promise.resolve();
    const [approval] = world.queue.list().waiting as [Approval];
    await expect(world.queue.approve(approval)).rejects.toThrow('full');
    expect(await outcome).toMatch(/full/);
  });
});
