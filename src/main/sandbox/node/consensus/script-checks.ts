import type { ScriptJob, VerifyBatch, VerifyScripts } from '../types.ts';

/** A check of many transactions made of one for a single one. */
export function oneByOne(verify: VerifyScripts): VerifyBatch {
  return (jobs) => Promise.all(jobs.map(({ tx, spent, rules }) => verify(tx, [...spent], rules)));
}

/** @returns the first of the transactions whose scripts fail, and why; undefined where none do */
export async function firstFailure<T extends ScriptJob>(
  verify: VerifyBatch,
  jobs: readonly T[],
): Promise<{ transaction: T; reason: string } | undefined> {
  for (const [index, verdict] of (await verify(jobs)).entries()) {
    if (!verdict.ok) return { transaction: jobs[index] as T, reason: verdict.reason };
  }
  return undefined;
}
