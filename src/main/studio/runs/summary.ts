import { type Failure, MAX_ART, type MintJob, type MintState, mintStates, type Run } from '../../../contract/index.ts';
import { isUnsigned } from '../minting/job-states.ts';
import type { StoredRun } from './run-store.ts';

/** Whether a job stopped at a failure that nothing tries again by itself. */
export function hasFailed(job: MintJob): boolean {
  return job.failure !== null && !job.active && !job.awaitingApproval && job.state !== 'cancelled';
}

/** Failures that the other transactions would have as well, so the run waits for a person. */
const pausing = new Set<Failure['code']>([
  'quota-exceeded',
  'unauthorized',
  'api-key-missing',
  'funds-insufficient',
  'wallet-missing',
  'fee-too-high',
]);

/** A service that inscribes the text of one file does so with all. */
export const BASE64_CONTENT = 'mint.base64-content' satisfies Failure['id'];

/** Whether a job stopped at what makes its whole run pause. */
export function hasPausingFailure(job: MintJob): boolean {
  const failure = job.failure as Failure;
  return hasFailed(job) && (pausing.has(failure.code) || failure.id === BASE64_CONTENT);
}

/** Whether nothing more happens to a job by itself. */
export function isSettled(job: MintJob): boolean {
  return mintStates.is(job.state, 'final') || hasFailed(job);
}

export interface SummaryInput {
  run: StoredRun;
  jobs: readonly MintJob[];
  projectName: string;
  /** What it waits for and tries again by itself. */
  waitingFor: Failure | null;
  /** Whether an unsigned transaction of it has had its turn. */
  hasStarted: (jobId: string) => boolean;
  now: number;
}

export function summaryOf({ run, jobs, projectName, waitingFor, hasStarted, now }: SummaryInput): Run {
  const byState: Partial<Record<MintState, number>> = {};
  const count = { items: 0, minted: 0, failed: 0, cancelled: 0 };
  const transactions = splitCounts(run, jobs);
  let fee = run.split_fee ?? 0;
  for (const job of jobs) {
    const tokens = job.itemIds.length;
    byState[job.state] = (byState[job.state] ?? 0) + tokens;
    count.items += tokens;
    if (job.state === 'cancelled') count.cancelled += tokens;
    else if (hasFailed(job)) count.failed += tokens;
    else if (mintStates.is(job.state, 'submitted')) count.minted += tokens;
    if (mintStates.is(job.state, 'submitted')) transactions.submitted++;
    if (job.state === 'proven') transactions.proven++;
    if (hasFailed(job)) transactions.failed++;
    if (mintStates.is(job.state, 'signed') && !hasFailed(job)) fee += job.fee ?? 0;
  }
  const left = count.items - count.minted - count.failed - count.cancelled;
  const until = left > 0 ? now : lastSubmission(jobs);
  const elapsed = run.approved_at === null ? 0 : Math.max(1, until - run.approved_at);
  const rate = count.minted > 0 && elapsed > 0 ? (count.minted * 1_000) / elapsed : null;
  const passing = jobs.find((job) => job.active && job.failure !== null)?.failure ?? null;
  const isMinting = run.state === 'minting';
  const failure = run.failure ?? (isMinting ? (waitingFor ?? passing) : null);
  const isMoving = jobs.some((job) => job.active && job.failure === null && isOnItsWay(job, hasStarted));
  const waits = isMinting && failure !== null && (waitingFor !== null || !isMoving);
  return {
    id: run.id,
    projectUid: run.project_uid,
    projectName,
    art: jobs.flatMap(({ art }) => art).slice(0, MAX_ART),
    destination: run.destination,
    direct: run.plan.direct,
    state: waits ? 'paused' : (run.state as Run['state']),
    failure,
    waits,
    ...count,
    byState,
    transactions,
    splitTxid: run.split_txid,
    fee,
    plannedFee: run.plan.fee,
    maxTotal: run.plan.maxTotal,
    rate,
    millisecondsLeft: isMinting && !waits && rate !== null && left > 0 ? Math.ceil((left / rate) * 1_000) : null,
    digest: run.plan.digest,
    canApprove: needsApproval(run),
    canPause: run.state === 'minting' && jobs.some((job) => isUnsigned(job.state)),
    canResume: run.state === 'paused' && run.approved_digest !== null,
    canCancel: run.state !== 'cancelled' && jobs.some((job) => isUnsigned(job.state)),
    canRetry: run.state !== 'planned' && jobs.some(hasFailed),
    createdAt: run.created_at,
    approvedAt: run.approved_at,
    endedAt: run.ended_at,
  };
}

/** Whether a job is between its first step and the network. */
function isOnItsWay({ id, state }: MintJob, hasStarted: SummaryInput['hasStarted']): boolean {
  return !mintStates.is(state, 'submitted') && (mintStates.is(state, 'signed') || hasStarted(id));
}

/** The counts of transactions, with the split counted and no mint yet. The split is mined if a mint that spends it is. */
function splitCounts(run: StoredRun, jobs: readonly MintJob[]): Run['transactions'] {
  const isPlanned = run.split_txid !== null || (run.split_done === 0 && run.plan.split !== null);
  const isSent = run.split_txid !== null && run.split_done === 1;
  const isProven = isSent && jobs.some(({ state }) => state === 'proven');
  const made = jobs.filter(({ state }) => state !== 'cancelled').length;
  return { total: made + Number(isPlanned), submitted: Number(isSent), proven: Number(isProven), failed: 0 };
}

/** When the last transaction was handed to the network: waiting for blocks does not make a run slower. */
function lastSubmission(jobs: readonly MintJob[]): number {
  const times = jobs.flatMap(({ history }) => history.filter(({ state }) => state === 'submitted').map(({ at }) => at));
  return Math.max(0, ...times);
}

/** Whether it waits for a person to approve its plan. */
export function needsApproval(run: StoredRun): boolean {
  return run.state === 'planned' || (run.state === 'paused' && run.approved_digest === null);
}
