import { type Network, PlanchetError, type RunPlan, toFailure } from '../../../contract/index.ts';
import type { MinerPolicy } from '../../ports/merchant/merchant.ts';
import type { MintWallet } from '../../ports/wallet.ts';
import { minerTerms } from '../../transaction-jobs/miner-limits.ts';
import { coinsFor, type Estimator, mayBeBase64, royaltiesIn } from '../minting/estimate.ts';
import type { StepContext } from '../minting/steps/step-context.ts';
import { checkRoyalties } from '../projects/metadata.ts';
import type { ProjectStore } from '../projects/projects.ts';
import type { FindRepeats } from '../projects/repeats.ts';
import type { ItemRow } from '../tables.ts';
import { type Batch, divide, planOf, priced, type RunLimits } from './plan.ts';
import { policyProblems, shownPolicy, withinPolicy } from './policy.ts';
import type { RunStore } from './run-store.ts';

export interface PlannerOptions extends Pick<StepContext, 'network' | 'settings' | 'items' | 'merchant' | 'logger'> {
  estimator: Estimator;
  store: RunStore;
  limits: RunLimits;
  wallet: Pick<MintWallet, 'inputsFor' | 'worth' | 'setAside'>;
  projects: Pick<ProjectStore, 'isDirect'>;
  repeats: FindRepeats;
}

export interface Planned {
  plan: RunPlan;
  batches: Batch[];
}

export interface RunTarget {
  projectUid: string;
  destination: string;
  /** Planchet builds and submits the transactions itself, without the token service; it always does where that does not have the project. */
  direct?: boolean | undefined;
}

/** Makes the plans of runs from a project's drafts, the live quote and the quota. */
export class Planner {
  readonly #options: PlannerOptions;

  constructor(options: PlannerOptions) {
    this.#options = options;
  }

  /** Bounds of a mint transaction on this network. */
  async limits(): Promise<RunLimits> {
    return withinPolicy(this.#options.limits, await this.#policy());
  }

  /** An unknown policy sets no limits: the usual bounds are below those of miners. */
  async #policy(): Promise<MinerPolicy> {
    const { merchant, logger } = this.#options;
    try {
      return (await merchant.feeQuote()).policy ?? {};
    } catch (error) {
      logger.debug({ err: error }, 'the miner did not tell its policy');
      return {};
    }
  }

  /** Whether a service may inscribe the base64 text of files in place of them. @param direct whether the tokens are minted without it */
  mayBeBase64(direct: boolean): boolean {
    return mayBeBase64(this.#options.settings, direct);
  }

  /** Whether a run is direct: it was asked for, or there is no other way. @throws PlanchetError `not-found` */
  async isDirect({ projectUid, direct = false }: Pick<RunTarget, 'projectUid' | 'direct'>): Promise<boolean> {
    return direct || (await this.#options.projects.isDirect(projectUid));
  }

  /** A plan for all drafts of a project. What is in the way is in its `problems`. @throws PlanchetError `invalid-input` without drafts */
  async plan(target: RunTarget): Promise<Planned> {
    const rows = await this.#options.store.drafts(target.projectUid);
    if (rows.length === 0) throw new PlanchetError('run.nothing-to-mint');
    const direct = await this.isDirect(target);
    const hasItems = rows.some(({ sub_type }) => sub_type === 'collectionItem');
    const hasCollection =
      rows.some(({ sub_type }) => sub_type === 'collection') ||
      (await this.#options.items.collectionId(target.projectUid)) !== undefined;
    const problems = [
      ...(hasItems && !hasCollection ? [new PlanchetError('run.no-collection-token').toFailure()] : []),
      ...(await this.#options.items.sharedNumbers(target.projectUid))
        .slice(0, 1)
        .map((number) => new PlanchetError('mint.number-taken', { number }).toFailure()),
      ...royaltyProblems(rows, this.#options.network),
    ];
    const batches = divide(rows, await this.limits(), this.mayBeBase64(direct));
    return this.#planned(
      { ...target, direct },
      batches,
      batches.length > 1,
      problems,
      await this.#options.repeats({ projectUid: target.projectUid }),
    );
  }

  /** The plan for what is left of a run, at today's quote. @param splits whether the money is to be divided once more */
  replan(target: RunTarget, batches: readonly (readonly ItemRow[])[], splits: boolean): Promise<Planned> {
    return this.#planned(target, batches, splits, [], []);
  }

  async #planned(
    { projectUid, destination, direct = false }: RunTarget,
    divided: readonly (readonly ItemRow[])[],
    splits: boolean,
    problems: RunPlan['problems'],
    repeats: RunPlan['repeats'],
  ): Promise<Planned> {
    const { network, settings, estimator, wallet } = this.#options;
    const inputsFor: MintWallet['inputsFor'] = (total, fee, from) => wallet.inputsFor(total, fee, from);
    const ofOne: MintWallet['inputsFor'] = (total, fee) => inputsFor(total, fee, coinsFor(direct));
    const tokens = divided.reduce((sum, rows) => sum + rows.length, 0);
    const circumstances = await estimator.circumstances(destination, direct ? 0 : tokens);
    const { maxFeeSatoshis } = settings.current();
    const inBase64 = this.mayBeBase64(direct);
    const batches = priced(divided, circumstances.rate, splits ? () => 1 : ofOne, inBase64);
    const policy = await this.#policy();
    const others = (await minerTerms(this.#options.merchant)).map((miner) => miner.policy);
    const input = {
      network,
      projectUid,
      destination,
      batches,
      splits,
      inputsFor,
      worth: (...of: Parameters<MintWallet['worth']>) => wallet.worth(...of),
      setAside: () => wallet.setAside(),
      direct,
      circumstances,
      policy: shownPolicy(policy),
      maxFeeSatoshis,
      repeats,
      problems: [...problems, ...policyProblems(batches, splits, policy, others)],
    };
    return { plan: planOf(input), batches };
  }
}

/** Problems of invalid royalty receivers, each once: drafts of earlier versions may have some. */
function royaltyProblems(rows: readonly ItemRow[], network: Network): RunPlan['problems'] {
  const byReceiver = new Map(royaltiesIn(rows).map((royalty) => [royalty.destination, royalty]));
  return [...byReceiver.values()].flatMap((royalty) => {
    try {
      checkRoyalties([royalty], network);
      return [];
    } catch (error) {
      return [toFailure(error)];
    }
  });
}
