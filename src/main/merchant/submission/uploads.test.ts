import { expect, it } from 'vitest';
import { satoshis, serializeTx } from '../../../chain/index.ts';
import { StillClock } from '../../test-support/still-clock.ts';
import { TransactionUploads } from './uploads.ts';

it('reads all pieces, also those that came after it was read', async () => {
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
