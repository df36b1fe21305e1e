import { setImmediate } from 'node:timers/promises';

/**
 * Runs work and watches the event loop meanwhile.
 * @returns milliseconds of processor between two turns of the event loop, at most: what other programs take does not count
 */
export async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let going = true;
  const done = work().finally(() => {
    going = false;
  });
  while (going) {
    const before = process.threadCpuUsage();
    await setImmediate();
    const { user, system } = process.threadCpuUsage(before);
    longest = Math.max(longest, (user + system) / 1_000);
  }
  await done;
  return longest;
}
