import { isPassing, mintStates, type Run, type RunItem, type RunPlan, type Tone } from '../../../../contract/index.ts';
import type { WorkStep } from '../../../components/status/long-work.tsx';
import { isDraft } from '../../../lib/items/item-rules.ts';
import { selectable } from '../../../lib/items/selectable.ts';
import { stateOf } from './run-end.ts';

/** From so many drafts on, one transaction is no longer the usual choice. */
const MANY = 25;

/**
 * Whether a project is minted as a whole, in as many transactions as it takes. A few single tokens, or some that were chosen, go into
 * one transaction.
 * @param chosen ids of the items chosen on the project's page
 */
export function mintsAsRun(items: Parameters<typeof selectable>[0], chosen: readonly string[]): boolean {
  const drafts = items.filter(isDraft);
  const some = drafts.filter(({ id }) => chosen.includes(id)).length;
  if (some > 0 && some < drafts.length) return false;
  return drafts.length > MANY || selectable(items).later.length > 0;
}

/** How a token's square is coloured. */
export const marks = ['failed', 'waiting', 'uploaded', 'sent', 'mined', 'cancelled'] as const;
export type Mark = (typeof marks)[number];

/** @param moving the run works by itself, so what can pass is tried again */
export function markOf(item: RunItem, moving: boolean): Mark {
  if (item.state === 'cancelled') return 'cancelled';
  if (item.failure !== null && !(moving && isPassing(item.failure))) return 'failed';
  if (mintStates.is(item.state, 'mined')) return 'mined';
  if (mintStates.is(item.state, 'signed')) return 'sent';
  return item.uploaded ? 'uploaded' : 'waiting';
}

/** Whether a run changes by itself; after a pause, what is signed still goes on. */
export function isMoving(run: Pick<Run, 'state' | 'waits'>): boolean {
  return run.state === 'minting' || run.waits;
}

export type RunPhase = ReturnType<typeof stateOf> | 'changed' | 'dividing' | 'confirming' | 'waiting' | 'stopped';

/** What a run is at, in one word for the catalogue of texts. */
export function phaseOf(run: Run, plan: Pick<RunPlan, 'split'>): RunPhase {
  if (run.state === 'planned') return 'planned';
  if (run.waits) return 'waiting';
  if (run.state === 'paused') return run.canApprove ? 'changed' : run.failure === null ? 'paused' : 'stopped';
  if (run.state !== 'minting') return stateOf(run);
  if (plan.split !== null && run.splitTxid === null) return 'dividing';
  return run.minted + run.failed + run.cancelled < run.items ? 'minting' : 'confirming';
}

const runSteps = ['approved', 'divided', 'sent', 'proven'] as const;

/** The steps of a run with their counts, as its log shows them. */
export function stepsOfRun(
  run: Run,
  plan: Pick<RunPlan, 'split'>,
  label: (step: (typeof runSteps)[number]) => string,
): WorkStep[] {
  const { transactions } = run;
  const approved = run.approvedAt !== null;
  const divided = plan.split === null || run.splitTxid !== null;
  const isAll = (count: number): boolean => transactions.total > 0 && count >= transactions.total;
  const sent = isAll(transactions.submitted);
  const proven = isAll(transactions.proven);
  const reached = [approved, approved && divided, sent, proven];
  const now = reached.indexOf(false);
  const stateAt = (index: number): WorkStep['state'] => {
    if (reached[index]) return 'done';
    if (index === 2 && transactions.failed > 0) return 'failed';
    return index === now && run.state === 'minting' ? 'now' : 'next';
  };
  const times = { approved: run.approvedAt, divided: null, sent: null, proven: proven ? run.endedAt : null };
  const steps = runSteps.map((key, index): WorkStep => {
    const at = times[key];
    return { key, label: label(key), state: stateAt(index), ...(at !== null && { at }) };
  });
  // A cancelled run reaches no further step.
  const left = run.state === 'cancelled' ? steps.filter(({ state }) => state === 'done') : steps;
  return plan.split === null ? left.filter(({ key }) => key !== 'divided') : left;
}

/** Transactions of a plan that stand next to each other and hold as many tokens, as one line. */
export interface PlanLine {
  readonly kind: 'collection' | 'items';
  readonly transactions: number;
  readonly tokens: number;
  readonly fee: number;
}

/** A plan's mints as lines: `20 transactions of 10 tokens`. A plan lists only its first; `unlisted` are the others. */
export function linesOf(plan: Pick<RunPlan, 'split' | 'transactions' | 'transactionCount'>): {
  lines: PlanLine[];
  unlisted: number;
} {
  const lines: PlanLine[] = [];
  for (const { kind, tokens, fee } of plan.transactions) {
    const last = lines.at(-1);
    if (last !== undefined && last.kind === kind && last.tokens === tokens) {
      lines[lines.length - 1] = { ...last, transactions: last.transactions + 1, fee: last.fee + fee };
    } else lines.push({ kind, transactions: 1, tokens, fee });
  }
  const listed = plan.transactions.length + Number(plan.split !== null);
  return { lines, unlisted: Math.max(0, plan.transactionCount - listed) };
}

export function runTone(run: Pick<Run, 'state' | 'waits' | 'failed' | 'cancelled' | 'failure'>): Tone {
  if (run.state === 'planned') return 'wait';
  if (run.state === 'paused') return run.failure === null || run.waits ? 'wait' : 'fail';
  if (run.state === 'minting') return 'info';
  if (run.state === 'cancelled') return 'neutral';
  if (run.failed > 0) return 'fail';
  return run.cancelled > 0 ? 'neutral' : 'done';
}
