import { expect, it } from 'vitest';
import { fromHex, satoshis, serializeTx, txidOf } from '../../../../chain/index.ts';
import { openStore } from '../../../store/store.ts';
import { StillClock } from '../../../test-support/still-clock.ts';
import { type TrackingTables, trackingMigrations } from './tables.ts';
import { TransactionStore } from './transaction-store.ts';

function spending(txid: string, vout: number): Uint8Array {
  return serializeTx({
    version: 1,
    inputs: [{ txid, vout, script: new Uint8Array(), sequence: 0xffffffff }],
    outputs: [{ satoshis: satoshis(1), script: fromHex('51') }],
    lockTime: 0,
  });
}

it('finds the tracked transactions that spend a transaction and that the network has', async () => {
  const store = await openStore<TrackingTables>({ file: ':memory:', migrations: trackingMigrations });
  try {
    const transactions = new TransactionStore({ store, clock: new StillClock(0), tipHeight: () => 9 });
    const parent = spending('ab'.repeat(32), 0);
    const [seen, mined, refused] = [0, 1, 2].map((vout) => spending(txidOf(parent), vout)) as [
      Uint8Array,
      Uint8Array,
      Uint8Array,
    ];
    await transactions.add([parent, seen, mined, refused].map((rawTx) => ({ rawTx, origin: 'manual' })));
    const states = new Map([
      [txidOf(seen), { state: 'seen' as const }],
      [txidOf(mined), { state: 'mined' as const, block: { hash: 'ef'.repeat(32), height: 7 } }],
    ]);
    await transactions.update([...states.keys()], ({ txid }) => ({ change: states.get(txid) ?? {}, events: [] }));
    const found = await transactions.spendersOf(txidOf(parent));
    expect(found.map(({ txid, height }) => [txid, height])).toEqual([
      [txidOf(mined), 7],
      [txidOf(seen), null],
    ]);
    expect(await transactions.spendersOf(txidOf(mined))).toEqual([]);
  } finally {
    await store.close();
  }
});
