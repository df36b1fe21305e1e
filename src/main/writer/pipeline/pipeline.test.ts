import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { PlanchetError } from '../../../contract/index.ts';
import { StillClock } from '../../test-support/still-clock.ts';
import type { Funding } from '../funding/funding.ts';
import { WriteQueue } from '../queue/queue.ts';
import type { SendOutcome } from '../sending/miner-outcome.ts';
import type { TransactionRow } from '../storage/document.ts';
import { openWriterStore, type WriterStore } from '../storage/store.ts';
import { type PipelineOptions, WritePipeline } from './pipeline.ts';

let folder: string;
let store: WriterStore;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'planchet-pipeline-'));
  store = await openWriterStore(join(folder, 'writer.db'), '');
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const signed = (id: string, source: TransactionRow['source'], attempts: number): TransactionRow => ({
  ...{ id, network: 'test', kind: 'documents', source, key_id: null, owner: null, state: 'signed', attempts },
  ...{ raw_tx: new Uint8Array(), fee_tx: null, txid: id, fee: 1, documents: 1, next_attempt_at: 0, claim: null },
  ...{ funded_at: 0, signed_at: 0, submitted_at: null, seen_at: null, mined_at: null, proven_at: null },
  ...{ block_hash: null, block_height: null, proof: null, replaced_by: null, last_error: null },
  ...{ created_at: 0, updated_at: 0 },
});

function pipelineOf(funding: Funding): WritePipeline {
  const clock = new StillClock(0);
  return new WritePipeline({
    queue: new WriteQueue(store, 'test', clock),
    keys: { signable: async () => ({ keyIds: [] }) },
    funding: () => funding,
    fundingOf: () => funding,
    clock,
    logger: pino({ level: 'silent' }),
    changed: () => undefined,
  } as unknown as PipelineOptions);
}

it('the reason why all transactions wait is told whoever pays for each of them', async () => {
  // The one in the middle, of another source, was sent so often that a refusal of it would be the last.
  const rows = [signed('1', 'wallet', 0), signed('2', 'service', 6), signed('3', 'wallet', 0)];
  for (const row of rows) await store.db.insertInto('writer_transactions').values(row).execute();
  const later = (id: string): SendOutcome => ({
    kind: 'later',
    error: new PlanchetError('wallet.send-missing', { id }),
  });
  const full = new PlanchetError({ code: 'rejected', message: '66 mempool full' }).toFailure();
  const outcomes: Record<string, SendOutcome> = {
    1: later('the first'),
    2: later('the second'),
    3: { kind: 'refused', failure: full },
  };
  const funding = {
    payable: async () => undefined,
    advance: async () => ({ touched: [], more: false }),
    send: async (some: readonly TransactionRow[]) => some.map(({ id }) => outcomes[id]),
  } as unknown as Funding;
  const pipeline = pipelineOf(funding);
  pipeline.start();
  await expect.poll(() => pipeline.degraded?.message).toContain('the first');
  await pipeline.stop();
  const kept = await store.db.selectFrom('writer_transactions').select(['state', 'attempts']).orderBy('id').execute();
  expect(kept).toEqual([1, 7, 1].map((attempts) => ({ state: 'signed', attempts })));
});

it('tells when what holds all up is tried again, and nothing where it is not tried by itself', async () => {
  const away = new PlanchetError({ code: 'upstream-unreachable', message: 'The service is away.' });
  let held: object = { degraded: away };
  const funding = {
    payable: async () => undefined,
    advance: async () => ({ touched: [], more: false, ...held }),
  } as unknown as Funding;
  const pipeline = pipelineOf(funding);
  pipeline.start();
  await expect.poll(() => pipeline.degraded?.message).toBe('The service is away.');
  expect(pipeline.nextAttemptAt).toBe(1_000);
  held = { blocked: new PlanchetError('writer.signing-key-elsewhere') };
  pipeline.retryNow();
  await expect.poll(() => pipeline.degraded?.id).toBe('writer.signing-key-elsewhere');
  await expect.poll(() => pipeline.nextAttemptAt).toBeUndefined();
  await pipeline.stop();
});
