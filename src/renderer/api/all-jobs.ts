import type { MintJobSummary } from '../../contract/index.ts';
import { client } from './client.ts';

/** The list of every mint job, kept current by live events. */
export const allJobsKey = ['mint', 'jobs'] as const;

/** Fetches the list page by page, so that no answer is long. */
export async function fetchAllJobs(): Promise<MintJobSummary[]> {
  const all: MintJobSummary[] = [];
  for (let after: string | undefined; ; ) {
    const { jobs, next } = await client.mint.list(after === undefined ? {} : { after });
    all.push(...jobs);
    if (next === null) return all;
    after = next;
  }
}
