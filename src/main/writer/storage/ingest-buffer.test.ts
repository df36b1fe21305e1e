import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../clock.ts';
import { AcceptLog } from '../acceptance/accept-log.ts';
import type { NewDocument } from './document.ts';
import { openWriterStore, type WriterStore } from './store.ts';

const KEY = '0123456789abcdef';
const HOUR_MS = 3_600_000;

let folder: string;
let store: WriterStore;
let log: AcceptLog;

async function open(): Promise<void> {
  store = await openWriterStore(join(folder, 'writer.db'), '');
  log = new AcceptLog(store, 'sandbox', systemClock);
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'planchet-ingest-'));
  await open();
});

afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

function documentOf(text: string, { tag, key }: { tag?: string; key?: string } = {}): NewDocument {
  return {
    keyId: KEY,
    idempotencyKey: key,
    tag: tag === undefined ? undefined : Buffer.from(tag),
    contentType: 'application/json',
    body: Buffer.from(JSON.stringify(text)),
    feesRequired: text.length % 2 === 0,
    digest: text.padEnd(64, 'z'),
  };
}

/** Rows of the ingest table itself: asked past the query builder, which would have them moved on. */
function inIngestTable(): unknown {
  return store.sqlite?.prepare('select count(*) from writer_ingest').pluck().get();
}

async function stored(): Promise<string[]> {
  const rows = await store.db
    .selectFrom('writer_documents')
    .innerJoin('writer_bodies', 'document_id', 'id')
    .selectAll()
    .orderBy('id')
    .execute();
  for (const row of rows) expect(row.body_bytes).toBe(row.body.length);
  return rows.map(({ body }) => JSON.parse(Buffer.from(body).toString()) as string);
}

it('the ingest buffer holds a small group until something reads, which then finds it in its place, whole', async () => {
  const { row, outcome } = await log.accept(documentOf('first', { tag: 'a tag', key: 'once' }));
  expect(outcome).toBe('new');
  expect(inIngestTable()).toBe(1);
  const found = await store.db.selectFrom('writer_documents').selectAll().execute();
  expect(found).toEqual([row]);
  expect(await stored()).toEqual(['first']);
  expect(inIngestTable()).toBe(0);
});

it('the ingest buffer keeps what it holds when the process ends, and has it in its place after the next start', async () => {
  for (const text of ['one', 'two', 'three']) await log.accept(documentOf(text, { tag: text }));
  expect(inIngestTable()).toBe(3);
  await store.close();
  await open();
  expect(inIngestTable()).toBe(3);
  expect(await stored()).toEqual(['one', 'two', 'three']);
  const usage = await store.db.selectFrom('writer_usage').selectAll().orderBy('tag').execute();
  expect(usage.map(({ tag, documents, bytes }) => [Buffer.from(tag, 'hex').toString(), documents, bytes])).toEqual(
    [
      ['one', 1, 5],
      ['three', 1, 7],
      ['two', 1, 5],
    ].sort(([a], [b]) => (Buffer.from(String(a)).toString('hex') < Buffer.from(String(b)).toString('hex') ? -1 : 1)),
  );
  for (const { hour } of usage) expect(hour % HOUR_MS).toBe(0);
  const counts = await store.db.selectFrom('writer_counts').selectAll().where('documents', '>', 0).execute();
  expect(counts).toEqual([{ network: 'sandbox', state: 'accepted', documents: 3, bytes: 17 }]);
});

it('the ingest buffer opens a database of an earlier version with all that it held', async () => {
  await log.accept(documentOf('one', { key: 'once' }));
  store.sqlite?.exec('alter table writer_ingest rename to writer_intake');
  store.sqlite?.exec("delete from kysely_migration where name = 'writer-0008-ingest'");
  await store.close();
  await open();
  expect(inIngestTable()).toBe(1);
  expect((await log.accept(documentOf('one', { key: 'once' }))).outcome).toBe('repeated');
  expect(await stored()).toEqual(['one']);
});

it('the ingest buffer moves documents on where nothing reads for long', async () => {
  for (let n = 0; n < 100; n++) await log.accept(documentOf(`${n}`));
  await new Promise((resolve) => setImmediate(resolve));
  expect(inIngestTable()).toBeLessThan(32);
});

it.each([
  ['many documents', 17, 10],
  ['large documents', 2, 40_000],
])('the ingest buffer does not write %s twice', async (_what, count, length) => {
  await log.accept(documentOf('before'));
  expect(inIngestTable()).toBe(1);
  const texts = Array.from({ length: count }, (_, n) => `${n}${'x'.repeat(length)}`);
  await Promise.all(texts.map((text) => log.accept(documentOf(text))));
  expect(inIngestTable()).toBe(0);
  expect(await stored()).toEqual(['before', ...texts]);
});

describe('an Idempotency-Key that was used', () => {
  it.each([
    ['in the same group', false, false],
    ['for a document in the ingest table', true, false],
    ['for a document in its place', true, true],
  ])('%s: the earlier document is the answer', async (_where, wait, read) => {
    const earlier = log.accept(documentOf('one', { key: 'k' }));
    if (wait) await earlier;
    if (read) await stored();
    const [same, other] = await Promise.all([
      log.accept(documentOf('one', { key: 'k' })),
      log.accept(documentOf('two', { key: 'k' })),
    ]);
    const first = await earlier;
    expect(first.outcome).toBe('new');
    expect(same).toMatchObject({ outcome: 'repeated', row: { id: first.row.id } });
    expect(other).toMatchObject({ outcome: 'conflict', row: { id: first.row.id } });
    expect(await stored()).toEqual(['one']);
  });
});

it('the ingest buffer takes nothing of a group that does not fit on the disk, and goes on when there is room', async () => {
  await log.accept(documentOf('before'));
  const { sqlite } = store;
  const pages = Number(sqlite?.pragma('page_count', { simple: true }));
  sqlite?.pragma(`max_page_count = ${pages}`);
  await expect(log.accept(documentOf('x'.repeat(60_000)))).rejects.toMatchObject({ code: 'SQLITE_FULL' });
  expect(inIngestTable()).toBe(1);
  sqlite?.pragma('max_page_count = 1000000');
  await log.accept(documentOf('after'));
  expect(await stored()).toEqual(['before', 'after']);
});

it('the ingest buffer tells whoever reads that the database cannot be written, leaves the connection free, and loses nothing', async () => {
  await log.accept(documentOf('before'));
  store.sqlite?.pragma('query_only = true');
  await expect(stored()).rejects.toMatchObject({ code: 'SQLITE_READONLY' });
  await expect(stored()).rejects.toMatchObject({ code: 'SQLITE_READONLY' });
  store.sqlite?.pragma('query_only = false');
  expect(await stored()).toEqual(['before']);
});

it('the ingest buffer stores each document once, in whichever groups they come and whatever is read, changed and opened again in between', async () => {
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.array(fc.tuple(fc.nat(12), fc.boolean()), { minLength: 1, maxLength: 20 }) },
    { weight: 2, arbitrary: fc.constantFrom('read' as const, 'relaxed' as const) },
    { weight: 1, arbitrary: fc.constant('reopen' as const) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      for (const table of ['writer_documents', 'writer_bodies'] as const) await store.db.deleteFrom(table).execute();
      const expected: string[] = [];
      const used = new Map<number, string>();
      let count = 0;
      const under: Promise<unknown>[] = [];
      for (const one of steps) {
        if (one === 'read') expect(await stored()).toEqual(expected);
        else if (one === 'relaxed')
          under.push(store.relaxed((db) => db.updateTable('writer_documents').set({ attempts: 1 }).execute()));
        else if (one === 'reopen') {
          await Promise.all(under.splice(0));
          await store.close();
          await open();
        } else {
          const answers = await Promise.all(
            one.map(async ([key, keyed]) => {
              const text = `${count++}`;
              const earlier = keyed ? used.get(key) : undefined;
              if (earlier === undefined) expected.push(text);
              if (keyed && earlier === undefined) used.set(key, text);
              const { outcome } = await log.accept(documentOf(text, keyed ? { key: `${key}` } : {}));
              return [outcome, earlier === undefined ? 'new' : 'conflict'];
            }),
          );
          for (const [outcome, wanted] of answers) expect(outcome).toBe(wanted);
        }
      }
      await Promise.all(under);
      expect(await stored()).toEqual(expected);
    }),
    { numRuns: 60 },
  );
});
