import type { ScriptRules, ScriptVerdict } from '../../../../chain/index.ts';
import type { NodeUtxo, Rejection, ScriptJob, VerifyBatch } from '../types.ts';
import type { RuleSets } from './rule-sets.ts';
import { reject } from './validate.ts';

/** Result of checking the scripts of a transaction for the mempool. */
export interface ScriptFinding {
  /** The rules that were applied. The scripts must be run again under other rules. */
  readonly rules: ScriptRules;
  /** Undefined if the scripts succeed. */
  readonly rejection: Rejection | undefined;
}

export interface ScriptCandidate extends Omit<ScriptJob, 'rules' | 'spent'> {
  readonly spent: readonly (ScriptJob['spent'][number] & NodeUtxo)[];
}

/** Reason of the script threads for a timeout, and the node's reason for the transaction. */
const TOO_LONG = 'too-long-validation-time';

/** Checks mempool scripts under the rules of the next block and under policy. */
export class ScriptCheck {
  readonly #verify: VerifyBatch;
  readonly #ruleSets: RuleSets;

  constructor(verify: VerifyBatch, ruleSets: RuleSets) {
    this.#verify = verify;
    this.#ruleSets = ruleSets;
  }

  /** @param height of the next block */
  rules({ spent }: ScriptCandidate, height: number): ScriptRules {
    return this.#ruleSets.waitingFor(height, spent);
  }

  /** @param height of the next block. @returns a finding for each, in order */
  async run(candidates: readonly ScriptCandidate[], height: number): Promise<ScriptFinding[]> {
    const jobs = candidates.map((candidate) => ({ ...candidate, rules: this.rules(candidate, height) }));
    const verdicts = await this.#verify(jobs);
    const findings: ScriptFinding[] = [];
    for (const [index, job] of jobs.entries()) {
      const verdict = verdicts[index] as ScriptVerdict;
      const rejection = verdict.ok ? undefined : await this.#rejection(job, verdict.reason, height);
      findings.push({ rules: job.rules, rejection });
    }
    return findings;
  }

  /** Whether the scripts satisfy the block rules, regardless of policy. @param height of the block. @returns one for each, in order */
  async mayBeMined(candidates: readonly ScriptCandidate[], height: number): Promise<boolean[]> {
    const jobs = candidates.map((job) => ({ ...job, rules: this.#ruleSets.inBlock(height, job.spent) }));
    return (await this.#verify(jobs)).map(({ ok }) => ok);
  }

  /** The node's reason for a failure, which depends on whether a block could still contain the transaction, or could under the other rules. */
  async #rejection(job: ScriptCandidate, cause: string, height: number): Promise<Rejection> {
    if (cause === TOO_LONG) return { code: reject.nonStandard, reason: TOO_LONG };
    const { spent } = job;
    const passes = async (rules: ScriptRules) => (await this.#verify([{ ...job, rules }]))[0]?.ok === true;
    const isGrace = this.#ruleSets.isGrace(height);
    let rejection: Rejection = { code: reject.invalid, reason: `mandatory-script-verify-flag-failed (${cause})` };
    if (await passes(this.#ruleSets.inBlock(height, spent))) {
      rejection = { code: reject.nonStandard, reason: `non-mandatory-script-verify-flag (${cause})` };
    } else if (isGrace && (await passes(this.#ruleSets.inverse('outputs', height, spent)))) {
      rejection = { code: reject.nonStandard, reason: `chronicle-script-verify-flag-failed (${cause})` };
    }
    if (!isGrace || !(await passes(this.#ruleSets.inverse('block', height, spent)))) return rejection;
    return { code: reject.nonStandard, reason: `flexible-${rejection.reason}` };
  }
}
