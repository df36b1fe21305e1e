import type { ScriptJob, VerifyBatch, VerifyScripts } from '../types.ts';

/** Turns a check of one transaction into a check of many. */
export function oneByOne(verify: VerifyScripts): VerifyBatch {
  return (jobs) => Promise.all(jobs.map(({ tx, spent, rules }) => verify(tx, [...spent], rules)));
}

/** @returns the first transaction whose scripts fail, and why; undefined if all succeed */
export async function firstFailure<T extends ScriptJob>(
  verify: VerifyBatch,
  jobs: readonly T[],
): Promise<{ transaction: T; reason: string } | undefined> {
  for (const [index, verdict] of (await verify(jobs)).entries()) {
    if (!verdict.ok) return { transaction: jobs[index] as T, reason: verdict.reason };
  }
  return undefined;
}
