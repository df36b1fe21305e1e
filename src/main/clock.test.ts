import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { endsWithin } from './clock.ts';

const never = new Promise<void>(() => {});

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

it('waits for work no longer than its limit', async () => {
  const waited = endsWithin(never, 1_000);
  await vi.advanceTimersByTimeAsync(999);
  expect(vi.getTimerCount()).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(await waited).toBe(false);
});

it('leaves no timer behind where the work ended or failed in time', async () => {
  expect(await endsWithin(Promise.resolve('done'), 1_000)).toBe(true);
  await expect(endsWithin(Promise.reject(new Error('the disk is full')), 1_000)).rejects.toThrow('the disk is full');
  expect(vi.getTimerCount()).toBe(0);
});
