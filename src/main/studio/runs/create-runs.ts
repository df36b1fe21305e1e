import type { Store } from '../../ports/store.ts';
import type { StudioTables } from '../tables.ts';
import { type RunLimits, runLimits } from './plan.ts';
import { Planner, type PlannerOptions } from './planner.ts';
import { RunStore } from './run-store.ts';
import { MintRuns, type RunsOptions } from './runs.ts';

type CreateRunsOptions = Omit<PlannerOptions, 'store' | 'limits'> &
  Omit<RunsOptions, 'store' | 'planner' | 'crash'> & {
    store: Store<StudioTables>;
    runLimits?: RunLimits;
    crashPoint?: (where: string) => void;
  };

/** Builds the mint runs over a studio's parts. */
export function createRuns(options: CreateRunsOptions): MintRuns {
  const store = new RunStore(options);
  const planner = new Planner({ ...options, store, limits: options.runLimits ?? runLimits });
  return new MintRuns({ ...options, store, planner, crash: (where) => options.crashPoint?.(where) });
}
