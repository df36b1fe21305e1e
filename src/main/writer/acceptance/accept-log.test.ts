import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { systemClock } from '../../clock.ts';
import type { StoreGroup } from '../storage/accepted-documents.ts';
import type { NewDocument } from '../storage/document.ts';
import { openWriterStore } from '../storage/store.ts';
import { AcceptLog } from './accept-log.ts';

const document: NewDocument = {
  keyId: '0'.repeat(16),
  idempotencyKey: undefined,
  tag: undefined,
  contentType: 'application/json',
  body: Buffer.from('{}'),
  feesRequired: false,
  digest: '0'.repeat(64),
};

it('the writer writes documents that arrive one shortly after the other in one commit', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'planchet-log-'));
  const store = await openWriterStore(join(folder, 'writer.db'), '');
  let commits = 0;
  const storeGroup: StoreGroup = (group) => {
    commits += 1;
    return (store.storeGroup as StoreGroup)(group);
  };
  try {
    const log = new AcceptLog({ db: store.db, storeGroup }, 'sandbox', systemClock);
    const first = log.accept(document);
    const later = new Promise((resolve) => setImmediate(resolve)).then(() => log.accept(document));
    const accepted = await Promise.all([first, later]);
    expect(commits).toBe(1);
    const stored = await store.db.selectFrom('writer_documents').select('id').orderBy('id').execute();
    expect(stored.map(({ id }) => id)).toEqual(accepted.map(({ row }) => row.id).sort());
  } finally {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
