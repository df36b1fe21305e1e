import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { Deadline, reasonOfState, waitUntil, withTimeout } from './waiting.ts';

/** Time that passes only while somebody sleeps. */
function timeOfTest() {
  let now = 1_000;
  const slept: number[] = [];
  return {
    slept,
    now: () => now,
    sleep: async (ms: number) => {
      slept.push(ms);
      now += ms;
    },
  };
}

/** Waits for a value that changes at each look. */
function waitFor(reasons: readonly string[], options: { timeout?: number; every?: number } = {}) {
  const time = timeOfTest();
  const notes: string[] = [];
  let looks = 0;
  const done = waitUntil(0, {
    what: 'The document 1a2b',
    every: 1_000,
    look: async () => ++looks,
    isOver: (value) => value >= reasons.length,
    reason: (value) => reasons[value] ?? null,
    note: (text) => notes.push(text),
    time,
    ...options,
  });
  return { done, notes, time };
}

describe('a command that waits', () => {
  it('says after 3 seconds what it waits for, and again only when that is something else', async () => {
    const { done, notes } = waitFor(['early', 'early', 'early', 'no node', 'no node', 'no money', 'no money']);
    await expect(done).resolves.toBe(7);
    expect(notes).toEqual(['  no node', '  no money']);
  });

  it('says nothing of what is over soon', async () => {
    const { done, notes } = waitFor(['a', 'b', 'c']);
    await expect(done).resolves.toBe(3);
    expect(notes).toEqual([]);
  });

  it('stops at its limit with what it waited for, and not later', async () => {
    const { done, time } = waitFor(Array(100).fill('The node does not answer.'), { timeout: 4_500 });
    await expect(done).rejects.toMatchObject({
      id: 'cli.wait-over',
      code: 'timeout',
      message: 'The document 1a2b did not come as far as asked within 4.5 s. The node does not answer.',
    });
    expect(time.now()).toBe(5_500);
  });

  it('waits on where there is no limit, and looks as often as it is asked to', async () => {
    const { done, time } = waitFor(Array(10_000).fill('x'), { every: 250 });
    await done;
    expect(new Set(time.slept)).toEqual(new Set([250]));
  });

  it('takes what was reached at the last moment', async () => {
    await expect(waitFor(['a', 'b'], { timeout: 2_000 }).done).resolves.toBe(2);
  });
});

describe('a deadline', () => {
  it('ends with the option, and never without it', () => {
    let now = 0;
    const time = { now: () => now, sleep: async () => {} };
    const some = new Deadline({ timeout: 10 }, time);
    const none = new Deadline({}, time);
    now = 9;
    some.check('It', null);
    now = 10;
    expect(() => some.check('It', null)).toThrow(/^It did not come as far as asked within 0.01 s/);
    none.check('It', null);
  });
});

describe('--timeout', () => {
  it.each([
    ['90s', 90_000],
    ['1m30s', 90_000],
    ['250ms', 250],
  ])('reads %s', (text, ms) => {
    const command = withTimeout(new Command().exitOverride());
    expect(command.parse(['--timeout', text], { from: 'user' }).opts()).toEqual({ timeout: ms });
  });

  it.each(['0', '90', 'soon', '-1s'])('refuses %s', (text) => {
    const command = withTimeout(new Command().exitOverride().configureOutput({ writeErr: () => {} }));
    expect(() => command.parse([`--timeout=${text}`], { from: 'user' })).toThrow(/duration above 0/);
  });
});

it('a command that waits says of a state whether a miner or a block is waited for', () => {
  expect(reasonOfState('The payment', 'signed')).toBe('The payment waits for a miner that takes it.');
  expect(reasonOfState('The payment', 'seen')).toBe('The payment is at the miners and waits for a block.');
});
