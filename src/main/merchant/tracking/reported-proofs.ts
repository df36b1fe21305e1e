import { phrase, type TrackedTransaction } from '../../../contract/index.ts';
import type { ProofInput, ProofVerifier } from '../../ports/headers.ts';
import type { MinerVerdict, NamedMiner } from '../../ports/merchant/miners.ts';
import { minedStep } from './block-follower.ts';
import type { TransactionStep } from './storage/steps.ts';
import type { FurtherSteps, Tracker } from './tracker.ts';

export interface ReportedProofsOptions {
  tracker: Tracker;
  proofs: ProofVerifier;
}

/**
 * Verifies the proofs that came with answers or messages of a miner, and believes those that lead to a header of the active chain: then a transaction
 * is proven without asking a node.
 * @param others proofs in callbacks of merchant APIs by txid; others are a part of the verdict
 * @returns what changes about each transaction
 */
async function stepsOfProofs(
  { tracker, proofs }: ReportedProofsOptions,
  miner: NamedMiner,
  verdicts: readonly MinerVerdict[],
  others?: ReadonlyMap<string, unknown>,
): Promise<FurtherSteps> {
  const steps = new Map<string, (before: TrackedTransaction) => TransactionStep | undefined>();
  const claims = new Map<string, ProofInput>();
  for (const { txid, bump, proof, status } of verdicts) {
    if (status !== 'mined') continue;
    const json = others?.get(txid) ?? proof;
    if (bump !== null) claims.set(txid, { kind: 'bump', bytes: bump });
    else if (json !== undefined) claims.set(txid, { kind: 'tsc', json });
  }
  if (claims.size === 0) return steps;
  const tracked = await tracker.many([...claims.keys()]);
  for (const [txid, proof] of claims) {
    const known = tracked.get(txid);
    if (known === undefined || known.state === 'proven') continue;
    const result = await proofs.verify(txid, proof);
    if (!('refused' in result)) {
      const { blockHash: hash, height } = result;
      steps.set(txid, (before) => (before.state === 'proven' ? undefined : minedStep({ hash, height }, result)));
    } else if (result.refused !== 'header-unknown') {
      const sentence = phrase('event.proof-refused', { miner: miner.name, why: result.reason });
      steps.set(txid, () => ({
        change: {},
        events: [{ kind: others === undefined ? 'answer' : 'callback', sentence }],
      }));
    }
  }
  return steps;
}

/** Takes the proofs of answers that are in the history already. */
export async function takeProofs(
  options: ReportedProofsOptions,
  miner: NamedMiner,
  verdicts: readonly MinerVerdict[],
): Promise<void> {
  const steps = await stepsOfProofs(options, miner, verdicts);
  if (steps.size > 0) await options.tracker.change([...steps.keys()], (before) => steps.get(before.txid)?.(before));
}

/** Takes what a miner reports by itself, with the proofs in it: both are written together, as messages may be thousands. */
export async function takeCallbacks(
  options: ReportedProofsOptions,
  miner: NamedMiner,
  verdicts: readonly MinerVerdict[],
  sent: ReadonlyMap<string, unknown>,
): Promise<void> {
  const steps = await stepsOfProofs(options, miner, verdicts, sent);
  await options.tracker.answered(miner, 'callback', verdicts, steps);
}
