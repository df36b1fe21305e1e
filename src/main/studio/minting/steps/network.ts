import { PlanchetError } from '../../../../contract/index.ts';
import { rawTransaction } from '../../review/chain-facts.ts';
import type { JobRow } from '../../tables.ts';
import type { StepContext } from './step-context.ts';

/** How often, and how far apart, the network is asked for what was submitted a moment ago. */
const ATTEMPTS = 3;
const BETWEEN_ATTEMPTS_MS = 500;

/**
 * Whether the node or a miner has the transaction.
 * @throws what the calls throw, since a failed call does not mean that the transaction is unknown
 */
export async function isOnNetwork(ctx: Pick<StepContext, 'node' | 'merchant'>, txid: string): Promise<boolean> {
  if ((await rawTransaction(ctx.node, txid)) !== undefined) return true;
  return (await ctx.merchant.status(txid)).known;
}

/** Asks a few times, because what the service has just accepted may not have reached the node yet. */
export async function isOnNetworkSoon(ctx: StepContext, txid: string): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    if (await isOnNetwork(ctx, txid)) return true;
    if (attempt === ATTEMPTS) return false;
    await new Promise<void>((resolve) => {
      const cancel = ctx.clock.after(BETWEEN_ATTEMPTS_MS, resolve);
      const end = () => {
        cancel();
        resolve();
      };
      ctx.signal.addEventListener('abort', end, { once: true });
    });
    if (ctx.signal.aborted) throw new PlanchetError('mint.step-cancelled');
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
