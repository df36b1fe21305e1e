import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { MAX_RUN_ITEMS_A_PAGE, type Run } from '../../../../contract/index.ts';
import { api, client } from '../../../api/client.ts';
import { fetchPages } from './fetch-pages.ts';
import { isMoving } from './run-states.ts';

/** How often the map of a run is read again while it works, for each thousand tokens. */
const MAP_MS = 1_000;

/** Every token of a run. Events tell only counts, so the list is read again at an even pace while the run works. */
export function useRunItems(run: Run) {
  const moving = isMoving(run);
  return useQuery({
    queryKey: ['runs', 'map', run.id, moving ? 'moving' : `${run.state} ${JSON.stringify(run.byState)} ${run.failed}`],
    queryFn: () => fetchPages((page) => client.runs.items({ id: run.id, ...page })),
    placeholderData: keepPreviousData,
    staleTime: 0,
    refetchInterval: moving ? MAP_MS * Math.max(1, run.items / MAX_RUN_ITEMS_A_PAGE) : false,
  });
}

/** What a person can do with a run; each answer is the run as it stands after it. */
export function useRunActions(id: string) {
  const queries = useQueryClient();
  const onSuccess = (): Promise<void> => queries.invalidateQueries({ queryKey: api.runs.get.key({ input: { id } }) });
  return {
    approve: useMutation(api.runs.approve.mutationOptions({ onSuccess })),
    pause: useMutation(api.runs.pause.mutationOptions({ onSuccess })),
    resume: useMutation(api.runs.resume.mutationOptions({ onSuccess })),
    cancel: useMutation(api.runs.cancel.mutationOptions({ onSuccess })),
    retry: useMutation(api.runs.retry.mutationOptions({ onSuccess })),
  };
}

export type RunActions = ReturnType<typeof useRunActions>;
