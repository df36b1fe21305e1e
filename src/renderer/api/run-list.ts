import { useQuery } from '@tanstack/react-query';
import type { Run } from '../../contract/index.ts';
import { api } from './client.ts';

/** Number of runs that lists show, the newest first. */
const SHOWN = 20;
const none: readonly Run[] = [];

/** The newest mint runs, kept current by live events. */
export const newestRuns = () => api.runs.list.queryOptions({ input: { limit: SHOWN } });

/** See {@link newestRuns}; none until they are read. */
export function useRuns(): readonly Run[] {
  return useQuery(newestRuns()).data?.runs ?? none;
}
