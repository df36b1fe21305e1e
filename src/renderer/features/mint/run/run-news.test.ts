import { describe, expect, it } from 'vitest';
import { runNewsOf } from './run-news.ts';

const failure = { code: 'quota-exceeded' as const, message: 'The quota is used up.' };
const minting = { state: 'minting' as const, waits: false, failure: null, failed: 0, cancelled: 0 };

describe('a run', () => {
  it('causes a notification when it ends, with and without failed tokens', () => {
    expect(runNewsOf(minting, { ...minting, state: 'done' })).toBe('minted');
    expect(runNewsOf(minting, { ...minting, state: 'done', failed: 2 })).toBe('partly');
    expect(runNewsOf(minting, { ...minting, state: 'done', cancelled: 2 })).toBe('partlyCancelled');
  });

  it('causes a notification when it stops by itself, not when a person pauses it', () => {
    expect(runNewsOf(minting, { ...minting, state: 'paused', failure })).toBe('stopped');
    expect(runNewsOf(minting, { ...minting, state: 'paused' })).toBeNull();
  });

  it('causes no notification while it waits for what passes by itself', () => {
    const waiting = { ...minting, state: 'paused' as const, waits: true, failure };
    expect(runNewsOf(minting, waiting)).toBeNull();
    expect(runNewsOf(waiting, minting)).toBeNull();
    expect(runNewsOf(waiting, { ...waiting, waits: false })).toBe('stopped');
  });

  it('causes no notification when it is first seen, nor while it goes on', () => {
    expect(runNewsOf(undefined, { ...minting, state: 'done' })).toBeNull();
    expect(runNewsOf(minting, { ...minting, failed: 1 })).toBeNull();
    expect(runNewsOf({ ...minting, state: 'done' }, { ...minting, state: 'done', failed: 1 })).toBeNull();
  });
});
