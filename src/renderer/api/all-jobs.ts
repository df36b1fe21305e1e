import type { MintJobSummary } from '../../contract/index.ts';
import { client } from './client.ts';

/** All mint jobs, kept current by live events. */
export const allJobsKey = ['mint', 'jobs'] as const;

/** Fetches the list page by page to keep each reply small. */
export async function fetchAllJobs(): Promise<MintJobSummary[]> {
  const all: MintJobSummary[] = [];
  for (let after: string | undefined; ; ) {
    const { jobs, next } = await client.mint.list(after === undefined ? {} : { after });
    all.push(...jobs);
    if (next === null) return all;
    after = next;
  }
}
