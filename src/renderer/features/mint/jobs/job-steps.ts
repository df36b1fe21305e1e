import { type MintJob, type MintState, mintStates } from '../../../../contract/index.ts';
import type { WorkStep } from '../../../components/status/long-work.tsx';

/** The states a job passes, without `cancelled`. */
export const mintPath: readonly MintState[] = mintStates.names.filter((state) => state !== 'cancelled');

/**
 * Where a job stands on its path. A state of the job is what has been reached, so the step after it is the one being worked on;
 * a failure that stopped the job stands at the step that could not be reached.
 */
export function stepsOf(
  job: Pick<MintJob, 'state' | 'history' | 'failure' | 'active'>,
  label: (state: MintState) => string,
): WorkStep[] {
  const reachedAt = new Map(job.history.map(({ state, at }) => [state, at]));
  const cancelled = job.state === 'cancelled';
  const last = cancelled
    ? mintPath.reduce((furthest, state, index) => (reachedAt.has(state) ? index : furthest), 0)
    : mintPath.indexOf(job.state);
  return mintPath.map((state, index) => {
    const at = reachedAt.get(state);
    const before = index === 0 ? undefined : reachedAt.get(mintPath[index - 1] as MintState);
    const times = {
      ...(at === undefined ? {} : { at }),
      ...(at === undefined || before === undefined ? {} : { took: Math.max(0, at - before) }),
    };
    if (index <= last) return { key: state, label: label(state), state: 'done', ...times };
    if (index === last + 1 && !cancelled) {
      return { key: state, label: label(state), state: job.failure === null || job.active ? 'now' : 'failed' };
    }
    return { key: state, label: label(state), state: 'next' };
  });
}

/** When the job came to its end, if it did. */
export function endOf(job: Pick<MintJob, 'state' | 'failure' | 'updatedAt' | 'active'>): number | undefined {
  const over = mintStates.is(job.state, 'final') || (job.failure !== null && !job.active);
  return over ? job.updatedAt : undefined;
}

/** No transaction that could spend anything exists yet. */
export function isUnsigned(job: Pick<MintJob, 'state'>): boolean {
  return !mintStates.is(job.state, 'signed') && !mintStates.is(job.state, 'final');
}

/** Which step of the wizard shows this job: the review until it is signed, then the progress. */
export function wizardStepOf(job: Pick<MintJob, 'state'>): 2 | 3 {
  return isUnsigned(job) ? 2 : 3;
}
