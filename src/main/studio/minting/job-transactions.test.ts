import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inscriptionScript, ONE_SATOSHI, parseTx, satoshis, serializeTx } from '../../../chain/index.ts';
import { openStore, type SqliteStore } from '../../store/store.ts';
import { ReadTransaction, readTransaction } from '../review/unsigned.ts';
import { type StudioTables, studioMigrations } from '../tables.ts';
import { OWN_HASH } from '../test-support/file-wallet.ts';
import { JobTransactions } from './job-transactions.ts';

const JOB = 'job';
const content = new Uint8Array(100_000).fill(7);
const script = inscriptionScript({ pubKeyHash: OWN_HASH, contentType: 'image/png', content, map: {} });
const input = { txid: 'ab'.repeat(32), vout: 3, script: new Uint8Array(0), sequence: 0xffffffff };
const tx = { version: 1, inputs: [input], outputs: [{ satoshis: ONE_SATOSHI, script }], lockTime: 0 };
const coin = { txid: input.txid, vout: 3, satoshis: satoshis(500_000), lockingScript: Uint8Array.of(0x51) };
const signed = serializeTx({ ...tx, inputs: [{ ...input, script: new Uint8Array(107).fill(9) }] });

let store: SqliteStore<StudioTables>;
beforeEach(async () => {
  store = await openStore({ file: ':memory:', migrations: studioMigrations });
  store.sqlite.pragma('foreign_keys = OFF');
  store.sqlite.exec(`insert into studio_jobs (id, network, state, project_uid, destination, idempotency_key, halted, build_intent, builds,
    created_at, updated_at) values ('${JOB}', 'test', 'reviewed', 'p', 'd', 'k', 0, 0, 0, 0, 0)`);
  await write({ tx_obj: null, raw_tx: null });
});
afterEach(() => store.close());

async function write(row: { tx_obj: string | Uint8Array | null; raw_tx: string | Uint8Array | null }): Promise<void> {
  await store.db
    .replaceInto('studio_job_transactions')
    .values({ job_id: JOB, ...row })
    .execute();
}

/** @returns what is journalled of the signature */
async function sign(): Promise<string> {
  const transactions = new JobTransactions(store);
  await write({ ...transactions.keepUnsigned(JOB, new ReadTransaction({ tx, spent: [coin] })), raw_tx: null });
  const unlocks = transactions.keepSigned(JOB, signed);
  await store.db.updateTable('studio_jobs').set({ unlocks }).execute();
  return unlocks;
}

/** A reader with an empty cache, as after a restart. */
const afterwards = (): JobTransactions => new JobTransactions(store);

describe('a signed transaction of a mint', () => {
  it('is journalled by its unlocking scripts, and read whole', async () => {
    expect((await sign()).length).toBeLessThan(300);
    expect(Buffer.compare(await afterwards().signed(JOB), signed)).toBe(0);
    expect(readTransaction(await afterwards().unsigned(JOB)).tx).toEqual(parseTx(serializeTx(tx)));
  });

  it('is read as earlier versions wrote it', async () => {
    await write({ tx_obj: null, raw_tx: signed });
    expect(Buffer.compare(await afterwards().signed(JOB), signed)).toBe(0);
    await write({ tx_obj: null, raw_tx: Buffer.from(signed).toString('hex') });
    expect(Buffer.compare(await afterwards().signed(JOB), signed)).toBe(0);
  });

  it('is not kept at hand once it was forgotten', async () => {
    const transactions = new JobTransactions(store);
    await write({ tx_obj: null, raw_tx: Uint8Array.of(1) });
    transactions.keepSigned(JOB, signed);
    expect(await transactions.signed(JOB)).toBe(signed);
    transactions.forget(JOB);
    expect([...(await transactions.signed(JOB))]).toEqual([1]);
  });
});
