import { expect, it } from 'vitest';
import { satoshis, serializeTx } from '../../../chain/index.ts';
import { StillClock } from '../../test-support/still-clock.ts';
import { TransactionUploads } from './uploads.ts';

it('the store of uploads reads all pieces, also those that came after it was read', async () => {
  const uploads = new TransactionUploads(new StillClock(0));
  const raws = [1, 2, 3].map((n) =>
    serializeTx({
      version: n,
      inputs: [{ txid: 'ab'.repeat(32), vout: n, script: new Uint8Array(), sequence: 0 }],
      outputs: [{ satoshis: satoshis(n), script: new Uint8Array() }],
      lockTime: 0,
    }),
  );
  const { uploadId } = await uploads.append({ piece: new Blob([]) });
  const add = (raw: Uint8Array | undefined) =>
    uploads.append({ uploadId, piece: new Blob([new Uint8Array(raw ?? [])]) });
  const read = async () => (await uploads.read(uploadId)).transactions.map(({ raw }) => Uint8Array.from(raw));
  await add(raws[0]);
  await add(raws[1]);
  expect(await read()).toEqual(raws.slice(0, 2));
  await add(raws[2]);
  expect(await read()).toEqual(raws);
  expect(await read()).toEqual(raws);
  uploads.close();
});

const MINUTE = 60_000;

/** Room for four files and a hundred bytes. */
function small() {
  const clock = new StillClock(0);
  const uploads = new TransactionUploads(clock, { files: 4, bytes: 100 });
  const begin = async (bytes: number) => (await uploads.append({ piece: new Blob([new Uint8Array(bytes)]) })).uploadId;
  const add = (uploadId: string, bytes: number) =>
    uploads.append({ uploadId, piece: new Blob([new Uint8Array(bytes)]) });
  const has = async (id: string) => {
    try {
      await uploads.read(id);
      return true;
    } catch (error) {
      expect(error).toMatchObject({ code: 'not-found' });
      return false;
    }
  };
  return { clock, uploads, begin, add, has };
}

it('the store of uploads reads a text no further than some thousand lines that are no transactions', async () => {
  const clock = new StillClock(0);
  const uploads = new TransactionUploads(clock);
  const { uploadId } = await uploads.append({ piece: new Blob(['x\n'.repeat(700_000)]) });
  const { transactions, unreadable } = await uploads.read(uploadId);
  expect([transactions.length, unreadable.length]).toEqual([0, 1_000]);
  const spread = await uploads.append({ piece: new Blob([';'.repeat(700_000), 'x']) });
  expect((await uploads.read(spread.uploadId)).unreadable).toMatchObject([{ place: 600_001 }]);
  uploads.close();
});

it('the store of uploads drops the file that was not used for longest, not one that is being submitted', async () => {
  const { clock, uploads, begin, has } = small();
  const running = await begin(1);
  const others: string[] = [];
  for (let n = 0; n < 6; n++) {
    clock.advance(MINUTE);
    expect(await has(running)).toBe(true);
    others.push(await begin(1));
  }
  expect(await has(running)).toBe(true);
  expect(await Promise.all(others.map(has))).toEqual([false, false, false, true, true, true]);
  uploads.close();
});

it('the store of uploads drops nothing that was used within a minute, and says then that there is no room', async () => {
  const { clock, uploads, begin, add, has } = small();
  const full = { code: 'conflict', hint: expect.stringContaining('minute') as string };
  const first = await begin(60);
  const second = await begin(30);
  await expect(begin(20)).rejects.toMatchObject(full);
  await expect(add(second, 20)).rejects.toMatchObject(full);
  // What was refused a piece is of no use.
  expect([await has(first), await has(second)]).toEqual([true, false]);
  const third = await begin(40);
  clock.advance(MINUTE);
  expect(await has(third)).toBe(true);
  const fourth = await begin(20);
  expect([await has(first), await has(third), await has(fourth)]).toEqual([false, true, true]);
  uploads.close();
});

it('the store of uploads makes room for another file also where the clock was put back', async () => {
  const { clock, uploads, begin, has } = small();
  const first = await begin(60);
  clock.advance(-60 * MINUTE);
  const second = await begin(60);
  expect([await has(first), await has(second)]).toEqual([false, true]);
  uploads.close();
});
