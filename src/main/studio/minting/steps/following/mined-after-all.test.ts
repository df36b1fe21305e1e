import { pino } from 'pino';
import { expect, it } from 'vitest';
import type { MintState } from '../../../../../contract/index.ts';
import type { JournalChange } from '../../journal.ts';
import type { StepContext } from '../step-context.ts';
import { endReplacement } from './mined-after-all.ts';

const OWN = 'aa'.repeat(32);
const MINED = 'bb'.repeat(32);

/** Ends a job in its present state. @param tracked the state of its transaction; undefined for one that is not tracked */
async function ended(state: MintState, tracked?: string) {
  const done: unknown[] = [];
  const context = {
    journal: {
      row: async () => ({ state, txid: OWN }),
      write: async (id: string, change: JournalChange) =>
        void done.push(['write', id, change.state, change.failure?.id]),
    },
    tracker: { get: async (txid: string) => (tracked && txid === OWN ? { state: tracked } : undefined) },
    wallet: {
      release: async (id: string) => void done.push(['release', id]),
      forget: async (txid: string) => void done.push(['forget', txid]),
    },
    logger: pino({ level: 'silent' }),
  };
  return { isEnded: await endReplacement(context as unknown as StepContext, 'job', MINED), done };
}

const ends = [
  ['write', 'job', 'cancelled', 'mint.minted-after-all'],
  ['release', 'job'],
];

it.each(['draft', 'uploaded', 'built', 'reviewed'] as const)(
  'a %s replacement ends, and its coins are released',
  async (state) => {
    // Nothing is signed, so a tracked transaction must be another one.
    expect(await ended(state, 'proven')).toEqual({ isEnded: true, done: ends });
  },
);

it.each(['signed', 'submitted', 'seen'] as const)(
  'a %s replacement ends, and its transaction is forgotten',
  async (state) => {
    expect(await ended(state, 'submitted')).toEqual({ isEnded: true, done: [...ends, ['forget', OWN]] });
    expect(await ended(state)).toEqual({ isEnded: true, done: ends });
  },
);

it('a replacement that is mined itself stays, and so does one that has ended', async () => {
  for (const state of ['mined', 'proven', 'cancelled'] as const)
    expect(await ended(state, 'submitted'), state).toEqual({ isEnded: false, done: [] });
  for (const tracked of ['mined', 'proven'])
    expect(await ended('seen', tracked), tracked).toEqual({ isEnded: false, done: [] });
});
