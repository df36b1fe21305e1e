import type { Updateable } from 'kysely';
import { parseTx } from '../../../../../chain/index.ts';
import { type MintState, mintStates, PlanchetError, transactionStates } from '../../../../../contract/index.ts';
import type { ItemRow } from '../../../tables.ts';
import { isUnsigned } from '../../job-states.ts';
import type { JournalChange } from '../../journal.ts';
import type { StepContext } from '../step-context.ts';
import { mintedColumns } from './minted-item.ts';

/** How many of the newest cancelled mints are checked after a start. */
const LOOKED_AT = 1_000;

type Context = Pick<StepContext, 'journal' | 'tracker' | 'wallet' | 'logger'>;

/** The change that cancels a job and makes its items drafts again. */
export const cancelled = {
  state: 'cancelled',
  job: { approved_digest: null, halted: 0 },
  everyItem: {
    state: 'draft',
    job_id: null,
    output_uid: null,
    upload_intent: 0,
    txid: null,
    vout: null,
    failure: null,
  },
} as const satisfies JournalChange;

/**
 * Cancelled mints that a block holds after all: a party that refused one may have kept its bytes.
 * @param txids the transactions to look at; undefined for those of the newest cancelled mints
 */
export async function* minedAfterAll(
  { journal, tracker }: Context,
  txids: ReadonlySet<string> | undefined,
): AsyncGenerator<string> {
  const signed = journal.jobs().filter(({ state, txid }) => state === 'cancelled' && txid !== null);
  const doubted = txids ? signed.filter(({ txid }) => txids.has(txid as string)) : signed.slice(0, LOOKED_AT);
  for (const { id, txid } of doubted) {
    const tracked = await tracker.get(txid as string);
    if (tracked !== undefined && transactionStates.is(tracked.state, 'mined')) yield id;
  }
}

/**
 * Ends a job whose items a cancelled mint has minted after all: they are not minted a second time.
 * @returns whether it ended; one that a block holds as well stays
 */
export async function endReplacement({ journal, tracker, wallet, logger }: Context, id: string, txid: string) {
  const row = await journal.row(id);
  const state = row.state as MintState;
  if (state === 'cancelled' || mintStates.is(state, 'mined')) return false;
  const own = isUnsigned(state) ? undefined : await tracker.get(row.txid as string);
  if (own !== undefined && transactionStates.is(own.state, 'mined')) return false;
  logger.warn({ job: id, txid }, 'a mint ends, because the cancelled one that it replaces was mined');
  await journal.write(id, { ...cancelled, failure: new PlanchetError('mint.minted-after-all', { txid }).toFailure() });
  await wallet.release(id);
  if (own !== undefined) await wallet.forget(row.txid as string);
  return true;
}

/** `cancelled` → `seen`: its items are its own again, except those that another mint put on the chain. */
export async function takeUpCancelled(ctx: Context & Pick<StepContext, 'items' | 'files'>, id: string): Promise<void> {
  const { journal, items, wallet, logger } = ctx;
  const { txid } = await journal.row(id);
  const { itemIds } = journal.job(id);
  await bringBack(items, itemIds);
  logger.warn({ job: id, txid }, 'a cancelled mint was mined after all');
  const raw = await journal.transactions.signed(id);
  await wallet.observe(raw);
  const { outputs } = parseTx(raw, true);
  const free = (await items.existing(itemIds)).filter(({ job_id }) => job_id === null);
  const own = new Map<string, Updateable<ItemRow>>();
  for (const item of free) {
    const vout = itemIds.indexOf(item.id);
    const minted = await mintedColumns(ctx, item, outputs[vout]?.script);
    own.set(item.id, { ...minted, job_id: id, state: 'seen', txid, vout, failure: null });
  }
  await journal.write(id, {
    state: 'seen',
    failure: null,
    job: { halted: 0, block_hash: null, block_height: null },
    items: own,
  });
}

/** Drafts that were removed are tokens on the chain after all: put back later, they would be minted a second time. */
async function bringBack(items: StepContext['items'], ids: readonly string[]): Promise<void> {
  const left = new Set((await items.existing(ids)).map(({ id }) => id));
  for (const id of ids.filter((one) => !left.has(one))) {
    await items.restore([id]).catch((error: unknown) => {
      // The bin was emptied.
      if (!(error instanceof PlanchetError) || error.id !== 'mint.removed-item-gone') throw error;
    });
  }
}
