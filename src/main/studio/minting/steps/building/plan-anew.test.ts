import { pino } from 'pino';
import { expect, it } from 'vitest';
import { PlanchetError, type TrackedTransaction } from '../../../../../contract/index.ts';
import type { ItemRow, JobRow } from '../../../tables.ts';
import type { JournalChange } from '../../journal.ts';
import type { StepContext } from '../step-context.ts';
import { planAnew } from './plan-anew.ts';

const TXID = 'aa'.repeat(32);

/** What becomes of a double spent mint of two items. @param left the items that are still there */
async function planned(left: readonly string[]) {
  const done: unknown[] = [];
  const itemIds = ['one', 'two'];
  const existing = left.map((id) => ({ id, sub_type: 'single' }) as ItemRow);
  const context = {
    journal: {
      job: () => ({ itemIds }),
      items: async () => {
        if (left.length < itemIds.length) throw new PlanchetError('mint.item-missing');
        return existing;
      },
      cancelledOf: async () => [],
      write: async (_: string, { state, everyItem }: JournalChange) => void done.push([state, everyItem?.txid]),
    },
    items: { existing: async () => existing },
    wallet: { release: async () => void done.push('release'), forget: async () => void done.push('forget') },
    logger: pino({ level: 'silent' }),
  };
  const tracked = { state: 'double-spent' } as TrackedTransaction;
  const outcome = await planAnew(context as unknown as StepContext, { id: 'job', txid: TXID } as JobRow, tracked);
  return { outcome, done };
}

it('a double spent mint is built anew', async () => {
  const done = ['forget', 'release', ['uploaded', null]];
  expect(await planned(['one', 'two'])).toEqual({ outcome: 'next', done });
});

it('a double spent mint of a draft that is gone ends, and its other items are drafts again', async () => {
  const done = ['forget', 'release', ['cancelled', null]];
  expect(await planned(['two'])).toEqual({ outcome: 'rest', done });
});
