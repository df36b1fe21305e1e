import type { Store } from '../../ports/store.ts';
import type { ProjectStore } from '../projects/projects.ts';
import type { StudioTables } from '../tables.ts';
import { type RunLimits, runLimits } from './plan.ts';
import { Planner, type PlannerOptions } from './planner.ts';
import { RunStore } from './run-store.ts';
import { MintRuns, type RunsOptions } from './runs.ts';

type CreateRunsOptions = Omit<PlannerOptions, 'store' | 'limits'> &
  Omit<RunsOptions, 'store' | 'planner' | 'projectName' | 'crash'> & {
    store: Store<StudioTables>;
    projects: Pick<ProjectStore, 'get'>;
    runLimits?: RunLimits;
    crashPoint?: (where: string) => void;
  };

/** Builds the mint runs over a studio's parts. */
export function createRuns(options: CreateRunsOptions): MintRuns {
  const store = new RunStore(options);
  const projectName = async (uid: string): Promise<string> =>
    (await options.projects.get({ uid }).catch(() => undefined))?.name ?? uid;
  const planner = new Planner({ ...options, store, limits: options.runLimits ?? runLimits });
  return new MintRuns({ ...options, store, planner, projectName, crash: (where) => options.crashPoint?.(where) });
}
