import type { Run } from '../../../../contract/index.ts';

/** The state of a run for the catalogue of texts: one that is over with failed or cancelled tokens is not done. */
export function stateOf({
  state,
  failed,
  cancelled,
}: Pick<Run, 'state' | 'failed' | 'cancelled'>): Run['state'] | 'partly' | 'partlyCancelled' {
  if (state !== 'done') return state;
  if (failed > 0) return 'partly';
  return cancelled > 0 ? 'partlyCancelled' : 'done';
}
