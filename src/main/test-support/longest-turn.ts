import { setImmediate } from 'node:timers/promises';

/** Work that takes less than this (milliseconds of processor) in all is too short to tell one long turn from several. */
const LEAST_TOTAL_MS = 200;
/** Work that gives way to others has no turn with so large a part of it. */
export const HALF = 0.5;

/**
 * The part of its processor time that work spends in its longest turn of the event loop. Work done in one piece comes near 1, however fast
 * the machine is and whatever else runs on it. Work shorter than 200 ms counts as 200 ms.
 * @param runs how often the work may be done until it stays below a half: the collection of garbage that others left may lengthen a turn
 */
export async function longestShare(work: () => Promise<unknown>, runs = 3): Promise<number> {
  let best = 1;
  for (let run = 0; run < runs && best >= HALF; run++) best = Math.min(best, await shareOf(work));
  return best;
}

async function shareOf(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let total = 0;
  let going = true;
  const done = work().finally(() => {
    going = false;
  });
  let before = process.threadCpuUsage();
  while (going) {
    await setImmediate();
    const { user, system } = process.threadCpuUsage(before);
    before = process.threadCpuUsage();
    const turn = (user + system) / 1_000;
    longest = Math.max(longest, turn);
    total += turn;
  }
  await done;
  return longest / Math.max(total, LEAST_TOTAL_MS);
}
