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

/** Runs of the same work until one has no long turn. */
const RUNS = 3;

/**
 * The longest turn of the best of up to three runs. Work that holds the event loop up does so in each run; the collection of garbage that
 * others left, and a processor that is shared, lengthen a turn now and then.
 * @param bound milliseconds of processor; a run that stays below it is the last
 */
export async function longestTurnOfRuns(bound: number, work: () => Promise<unknown>): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < RUNS && best >= bound; run++) best = Math.min(best, await longestTurn(work));
  return best;
}
