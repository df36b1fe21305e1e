import { PlanchetError } from '../../../../contract/index.ts';
import { passed } from '../../../async/passed.ts';
import type { JobRow } from '../../tables.ts';
import type { StepContext } from './step-context.ts';

/** How often, and at which interval, the network is asked for what it may not know yet. */
const ATTEMPTS = 3;
const BETWEEN_ATTEMPTS_MS = 500;

/**
 * Whether the node or a miner has the transaction.
 * @throws what the calls throw, since a failed call does not mean that the transaction is unknown
 */
export async function isOnNetwork(ctx: Pick<StepContext, 'chainData' | 'merchant'>, txid: string): Promise<boolean> {
  if ((await ctx.chainData.transaction(txid)).basis !== 'unknown') return true;
  return (await ctx.merchant.status(txid)).known;
}

/** Asks a few times, because what the service has just accepted may not have reached the node yet. */
export function isOnNetworkSoon(ctx: StepContext, txid: string): Promise<boolean> {
  return askedAgain(
    ctx,
    () => isOnNetwork(ctx, txid),
    (isThere) => isThere,
  );
}

/**
 * Asks the network, and a few times more until the answer is as wanted. @returns the last answer
 * @throws PlanchetError `cancelled` once the step is to end
 */
export async function askedAgain<T>(
  { clock, signal }: Pick<StepContext, 'clock' | 'signal'>,
  ask: () => Promise<T>,
  willDo: (answer: T) => boolean,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const answer = await ask();
    if (willDo(answer) || attempt === ATTEMPTS) return answer;
    await passed(clock, BETWEEN_ATTEMPTS_MS, signal);
    if (signal.aborted) throw new PlanchetError('mint.step-cancelled');
  }
}

/** Sends the same signed bytes to the miner once more. @throws PlanchetError `rejected` where the network does not take them */
export async function submitAgain(ctx: StepContext, job: JobRow): Promise<void> {
  const raw = await ctx.journal.transactions.signed(job.id);
  try {
    await ctx.merchant.submit(raw);
  } catch (error) {
    // A miner may also refuse what it already has.
    if (!(await isOnNetwork(ctx, job.txid as string))) throw error;
  }
}
