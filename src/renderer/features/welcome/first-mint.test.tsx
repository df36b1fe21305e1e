import { afterEach, expect, it } from 'vitest';
import { PlanchetError } from '../../../contract/index.ts';
import { client } from '../../api/client.ts';
import { refusal, startFakeHost } from '../../test-support/fake-host.ts';
import { item, job } from '../../test-support/samples.ts';
import { abandonFirstMint, changeFirstMint, clearLeftBehind, type FirstMint, LEFT_BEHIND } from './first-mint.ts';

const record = JSON.stringify({ itemId: item.id, jobId: job.id });

let refused: 'general.disk-full' | 'mint.missing' | undefined;
afterEach(() => {
  refused = undefined;
});

/** A host that refuses to cancel while `refused` is set. @returns what it did, in order */
function start(): string[] {
  const done: string[] = [];
  startFakeHost({
    mint: {
      cancel: () => {
        if (refused !== undefined) throw refusal(new PlanchetError(refused).toFailure());
        done.push('cancel');
        return { ...job, state: 'cancelled', awaitingApproval: false };
      },
    },
    items: { remove: () => void done.push('remove') },
  });
  localStorage.setItem(LEFT_BEHIND, record);
  return done;
}

const first = (): FirstMint => ({ fileName: 'moon.png', name: 'Copper moon', idempotencyKey: 'k', item, job });

const ways: [string, (mint: FirstMint) => Promise<void>][] = [
  ['by leaving', (mint) => abandonFirstMint(client, mint)],
  ['at the next start', () => clearLeftBehind(client)],
];

it.each(ways)('a first mint that could not be cancelled %s is cancelled by the next try', async (_, clear) => {
  const done = start();
  const mint = first();
  refused = 'general.disk-full';
  await expect(clear(mint)).rejects.toThrow();
  expect(localStorage.getItem(LEFT_BEHIND)).toBe(record);
  refused = undefined;
  await clear(mint);
  expect(done).toEqual(['cancel', 'remove']);
  expect(localStorage.getItem(LEFT_BEHIND)).toBeNull();
});

it('a change of a first mint that could not be cancelled cancels it at the next try', async () => {
  const done = start();
  const mint = first();
  refused = 'general.disk-full';
  await expect(changeFirstMint(client, mint, { name: 'Tin moon' })).rejects.toThrow();
  refused = undefined;
  await changeFirstMint(client, mint, { name: 'Tin moon' });
  expect(done).toEqual(['cancel']);
  expect(mint.job).toBeUndefined();
});

it.each(ways)('a first mint that the host no longer has is cleared %s', async (_, clear) => {
  const done = start();
  refused = 'mint.missing';
  await clear(first());
  expect(done).toEqual(['remove']);
  expect(localStorage.getItem(LEFT_BEHIND)).toBeNull();
});

it('leaving a first mint does not forget another that was begun since', async () => {
  start();
  const other = JSON.stringify({ itemId: 'i2' });
  localStorage.setItem(LEFT_BEHIND, other);
  await abandonFirstMint(client, first());
  expect(localStorage.getItem(LEFT_BEHIND)).toBe(other);
});
