import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { endsWithin, systemClock } from './clock.ts';

const never = new Promise<void>(() => {});

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

it('a wait with a limit ends with its work, or at the limit', async () => {
  const waited = endsWithin(never, 1_000);
  await vi.advanceTimersByTimeAsync(999);
  expect(vi.getTimerCount()).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(await waited).toBe(false);
});

it('a wait with a limit leaves no timer behind where the work ended or failed in time', async () => {
  expect(await endsWithin(Promise.resolve('done'), 1_000)).toBe(true);
  await expect(endsWithin(Promise.reject(new Error('the disk is full')), 1_000)).rejects.toThrow('the disk is full');
  expect(vi.getTimerCount()).toBe(0);
});

it('the clock runs nothing at once that is to run in a month or a year', async () => {
  const ran = vi.fn();
  systemClock.after(30 * 86_400_000, ran);
  systemClock.after(365 * 86_400_000, ran);
  await vi.advanceTimersByTimeAsync(86_400_000);
  expect(ran).not.toHaveBeenCalled();
});
