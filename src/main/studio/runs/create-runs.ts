import type { Logger } from 'pino';
import type { Network } from '../../../contract/index.ts';
import type { ChainData } from '../../ports/chain-data.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Events } from '../../ports/events.ts';
import type { Merchant } from '../../ports/merchant/merchant.ts';
import type { SettingsView } from '../../ports/settings.ts';
import type { Store } from '../../ports/store.ts';
import type { MintWallet } from '../../ports/wallet.ts';
import type { Estimator } from '../minting/estimate.ts';
import type { Journal } from '../minting/journal.ts';
import type { MintPipeline } from '../minting/mint.ts';
import type { ItemStore } from '../projects/items.ts';
import type { ProjectStore } from '../projects/projects.ts';
import type { Repeats } from '../projects/repeats.ts';
import type { StudioTables } from '../tables.ts';
import { type RunLimits, runLimits } from './plan.ts';
import { Planner } from './planner.ts';
import { RunStore } from './run-store.ts';
import { MintRuns } from './runs.ts';

export interface CreateRunsOptions {
  network: Network;
  store: Store<StudioTables>;
  settings: SettingsView;
  wallet: MintWallet;
  chainData: ChainData;
  merchant: Merchant;
  events: Events;
  clock: Clock;
  logger: Logger;
  items: ItemStore;
  journal: Journal;
  estimator: Estimator;
  pipeline: MintPipeline;
  projects: Pick<ProjectStore, 'get' | 'isDirect'>;
  repeats: Repeats;
  runLimits?: RunLimits;
  crashPoint?: (where: string) => void;
}

/** Builds the mint runs over a studio's parts. */
export function createRuns(options: CreateRunsOptions): MintRuns {
  const { network, settings, estimator, items, wallet, chainData, merchant, journal, pipeline, events, clock, logger } =
    options;
  const { projects } = options;
  const store = new RunStore({ store: options.store, network });
  const projectName = async (uid: string): Promise<string> =>
    (await projects.get({ uid }).catch(() => undefined))?.name ?? uid;
  const planner = new Planner({
    network,
    settings,
    estimator,
    items,
    store,
    limits: options.runLimits ?? runLimits,
    merchant,
    wallet,
    projects,
    repeats: options.repeats,
    logger,
  });
  return new MintRuns({
    store,
    planner,
    wallet,
    chainData,
    merchant,
    journal,
    pipeline,
    events,
    clock,
    logger,
    projectName,
    crash: (where) => options.crashPoint?.(where),
  });
}
