import { useQuery } from '@tanstack/react-query';
import type { Run } from '../../contract/index.ts';
import { api } from './client.ts';

/** Number of runs that lists show, the newest first. */
const SHOWN = 20;
const none: readonly Run[] = [];

/** The newest mint runs, kept current by live events. */
export function useRuns(): readonly Run[] {
  return useQuery(api.runs.list.queryOptions({ input: { limit: SHOWN } })).data?.runs ?? none;
}
