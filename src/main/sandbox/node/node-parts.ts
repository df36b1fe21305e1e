import { buildFirstChain, type RunScripts } from './chainstate/chainstate.ts';
import { defaultLimits } from './consensus/consensus.ts';
import { RuleSets } from './consensus/rule-sets.ts';
import { ScriptCheck } from './consensus/script-check.ts';
import { firstFailure, oneByOne } from './consensus/script-checks.ts';
import { Ledger, storedTip } from './ledger.ts';
import { Acceptance } from './mempool/acceptance.ts';
import { loadMempool, loadNonFinal } from './mempool/load-pools.ts';
import type { Mempool } from './mempool/mempool.ts';
import type { NonFinalPool } from './mempool/nonfinal-pool.ts';
import { OrphanPool } from './mempool/orphan-pool.ts';
import { Faucet } from './mining/faucet.ts';
import type { SandboxNodeOptions } from './node-options.ts';
import { FrozenOutputs } from './storage/frozen-outputs.ts';
import type { MempoolLimits } from './types.ts';

export interface NodeParts {
  readonly faucet: Faucet;
  readonly mempool: Mempool;
  readonly nonFinal: NonFinalPool;
  readonly orphans: OrphanPool;
  readonly ledger: Ledger;
  readonly acceptance: Acceptance;
  readonly limits: MempoolLimits;
  readonly frozen: FrozenOutputs;
}

/** Loads the stored chain and mempool, or builds the first chain in an empty store. */
export async function openNodeParts(options: SandboxNodeOptions): Promise<NodeParts> {
  const { store, clock, genesis } = options;
  const ruleSets = new RuleSets(options.chronicleHeight ?? 0);
  const faucet = new Faucet(genesis.faucet);
  const payTo = { wallet: genesis.wallet, faucet: faucet.lockingScript };
  const seconds = Math.floor(clock.now() / 1000);
  const tip =
    (await storedTip(store)) ??
    (await store.db.transaction().execute((db) => buildFirstChain(db, payTo, seconds, ruleSets)));
  const mempool = await loadMempool(store.db);
  const nonFinal = await loadNonFinal(store.db);
  const verify = options.verifyBatch ?? oneByOne(options.verify);
  const scripts = new ScriptCheck(verify, ruleSets);
  const now = () => clock.now();
  const runScripts: RunScripts = (jobs) => firstFailure(verify, jobs);
  const ledger = await Ledger.open({ store, mempool, ruleSets, scripts, now, runScripts }, tip);
  const limits = { ...defaultLimits, ...options.limits };
  const frozen = await FrozenOutputs.open(store.db);
  const acceptance = new Acceptance({ store, mempool, nonFinal, scripts, limits, frozen, now });
  const orphans = new OrphanPool({ db: store.db, mempool, limits, now });
  return { faucet, mempool, nonFinal, orphans, ledger, acceptance, limits, frozen };
}
