import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { importOpenInputSchema, PlanchetError } from '../../../contract/index.ts';
import { pngOf as png } from '../../test-support/png.ts';
import { ImportStore } from './import-store.ts';
import { SessionThread } from './session/session-thread.ts';
import { ImportHarness } from './test-support/import-harness.ts';

const harness = ImportHarness.forTests();
const put = harness.put.bind(harness);
const read = harness.read.bind(harness);
const commit = harness.commit.bind(harness);

const rowsOf = (id: string, filter: 'all' | 'errors' = 'all') => harness.rows(id, { filter });

describe('an import that is broken off or asked for twice', () => {
  it('continues after a restart, with its edits', async () => {
    put('1.png', png('1'));
    put('tokens.csv', 'file,name\n1.png,\n');
    const { id } = await read();
    const [row] = await rowsOf(id);
    await harness.t.studio.imports.edit({ id, edits: [{ row: row?.row ?? -1, field: 'name', value: 'One' }] });
    await harness.restart();
    expect((await harness.t.studio.imports.list()).map((one) => one.id)).toEqual([id]);
    expect(await harness.settled(id)).toMatchObject({ phase: 'ready', ready: 1 });
    expect((await commit(id)).imported).toBe(1);
  });

  it('reads again after a stop, but not after a crash while reading', { tags: 'long' }, async () => {
    put('1.png', png('1'));
    const reading = importOpenInputSchema.parse({ paths: [join(harness.folder, 'art')], projectName: 'Rings' });
    const { id } = await harness.t.studio.imports.open(reading);
    const onDisk = () =>
      harness.t.store.db.selectFrom('studio_imports').select(['phase', 'failure']).executeTakeFirstOrThrow();
    // The database as a process would leave it that is killed now.
    const killed = await onDisk();
    await harness.restart();
    expect(await harness.settled(id)).toMatchObject({ phase: 'ready', ready: 1, failure: null });
    expect(JSON.parse(killed.failure ?? '{}')).toMatchObject({ id: 'import.interrupted' });
    await harness.t.store.db.updateTable('studio_imports').set(killed).execute();
    await harness.restart();
    expect(await harness.t.studio.imports.status({ id })).toMatchObject({
      phase: 'failed',
      failure: { id: 'import.interrupted' },
    });
    await harness.restart();
    expect(await onDisk()).toMatchObject({ phase: 'failed' });
  });

  it('is forgotten a day after all of it is done, with the files of rows that stayed out', async () => {
    const ids = [];
    for (const name of ['yesterday', 'today']) {
      put(`${name}/1.png`, png(name));
      put(`${name}/tokens.csv`, 'file,name\n1.png,One\n2.png,Two\n');
      const { id } = await read({ paths: [join(harness.folder, 'art', name)], projectType: 'single' });
      expect(await commit(id)).toMatchObject({ phase: 'done', imported: 1 });
      ids.push(id);
    }
    const [yesterday, today] = ids as [string, string];
    const { db } = harness.t.store;
    const created_at = Date.now() - 25 * 3_600_000;
    await db.updateTable('studio_imports').set({ created_at }).where('id', '=', yesterday).execute();
    await harness.restart();
    await expect(harness.t.studio.imports.status({ id: yesterday })).rejects.toMatchObject({ id: 'import.unknown' });
    expect(await harness.t.studio.imports.status({ id: today })).toMatchObject({ phase: 'done' });
    for (const table of ['studio_import_files', 'studio_import_records', 'studio_import_items'] as const) {
      const left = await harness.t.store.db.selectFrom(table).select('import_id').distinct().execute();
      expect(left, table).toEqual([{ import_id: today }]);
    }
  });

  it('makes no second project of a name where the token service makes projects but lists none', async () => {
    const { projects } = harness.t.studio;
    const known = await projects.create({ name: 'Others', type: 'single' });
    harness.service.projects.set('elsewhere', { uid: 'elsewhere', name: 'Rings', type: 'single' });
    harness.service.fault(/GET .*\/project\/$/, 500, { times: 100 });
    put('1.png', png('1'));
    const { id } = await read({ projectType: 'single' });
    expect(await commit(id)).toMatchObject({ phase: 'ready', imported: 0, failure: { code: 'upstream-error' } });
    harness.service.faults.length = 0;
    expect(await commit(id)).toMatchObject({ phase: 'done', imported: 1, projectUid: 'elsewhere' });
    expect((await projects.list()).map(({ uid }) => uid).sort()).toEqual(['elsewhere', known.uid].sort());
  });

  it('counts as interrupted where the disk is full when it is stopped', async () => {
    put('1.png', png('1'));
    const reading = importOpenInputSchema.parse({ paths: [join(harness.folder, 'art')], projectName: 'Rings' });
    const { id } = await harness.t.studio.imports.open(reading);
    const saving = vi.spyOn(ImportStore.prototype, 'saveHead').mockRejectedValue(new Error('no space'));
    onTestFinished(() => saving.mockRestore());
    await harness.t.studio.imports.stop();
    saving.mockRestore();
    await harness.restart();
    expect(await harness.t.studio.imports.status({ id })).toMatchObject({
      phase: 'failed',
      failure: { id: 'import.interrupted' },
    });
  });

  it('refuses a file that changed after it was read, unless the version shown is accepted', async () => {
    const path = put('1.png', png('1'));
    put('2.png', png('2'));
    const { id } = await read({ projectType: 'single' });
    writeFileSync(path, png('another'));
    utimesSync(path, 1, 1);
    const done = await commit(id);
    expect(done.imported).toBe(1);
    const [row] = await rowsOf(id, 'errors');
    expect(row?.problems.map(({ code }) => code)).toEqual(['file-changed']);
    await harness.t.studio.imports.edit({
      id,
      edits: [{ row: row?.row ?? -1, field: 'accept', value: 'file-changed' }],
    });
    expect((await commit(id)).imported).toBe(2);
    const items = await harness.t.studio.items.list({ projectUid: done.projectUid as string });
    expect(items.map(({ file }) => file.bytes)).toEqual([png('2').length, png('1').length]);
  });

  it('makes each item once when it is stopped while it writes', { tags: 'long' }, async () => {
    // written in pieces of 200
    const count = process.env.PLANCHET_LONG ? 400 : 210;
    const rows = Array.from({ length: count }, (_, n) => `${n}.png,Name ${n}`).join('\n');
    for (let n = 0; n < count; n++) put(`${n}.png`, png(`${n}`));
    put('tokens.csv', `file,name\n${rows}\n`);
    const { id } = await read();
    await harness.t.studio.imports.commit({ id });
    await harness.restart();
    const done = await harness.settled(id);
    expect(done).toMatchObject({ phase: 'done', imported: count });
    const items = await harness.t.studio.items.list({ projectUid: done.projectUid as string });
    expect(new Set(items.map(({ metadata }) => metadata.name)).size).toBe(count + 1);
    expect(items).toHaveLength(count + 1);
    const numbers = items.slice(1).map(({ metadata }) => metadata.mintNumber);
    expect(numbers).toEqual(Array.from({ length: count }, (_, n) => n + 1));
  });

  it('is committed once if two clients commit it at the same time', async () => {
    put('1.png', png('1'));
    const { id } = await read();
    const asked = await Promise.allSettled([
      harness.t.studio.imports.commit({ id }),
      harness.t.studio.imports.commit({ id }),
    ]);
    expect(asked.map((one) => (one.status === 'rejected' ? one.reason.id : one.status)).sort()).toEqual([
      'fulfilled',
      'import.busy',
    ]);
    expect(await harness.settled(id)).toMatchObject({ phase: 'done', imported: 1, failure: null });
    expect(harness.service.projects.size).toBe(1);
  });

  it('is deleted when it is discarded', async () => {
    put('1.png', png('1'));
    const { id } = await read();
    await harness.t.studio.imports.discard({ id });
    await expect(harness.t.studio.imports.status({ id })).rejects.toMatchObject({ code: 'not-found' });
    expect(await harness.t.studio.imports.list()).toEqual([]);
  });

  it('stays deleted though a choice was under way', async () => {
    put('1.png', png('1'));
    const { id } = await read();
    const { imports, projects } = harness.t.studio;
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<never>();
    vi.spyOn(projects, 'list').mockImplementationOnce(() => {
      asked.resolve();
      return answer.promise;
    });
    const choice = imports.mapping.set({ id, options: { projectName: 'Stars' } });
    await asked.promise;
    await imports.discard({ id });
    answer.reject(new Error('away'));
    await expect(choice).rejects.toMatchObject({ code: 'not-found' });
    await harness.restart();
    expect(await harness.t.studio.imports.list()).toEqual([]);
  });

  it('keeps two choices that are made at the same time', async () => {
    put('1.png', png('1'));
    put('tokens.csv', 'file,name,Eyes,Hat\n1.png,One,green,red\n');
    const { id } = await read();
    const { mapping } = harness.t.studio.imports;
    const leaveOut = (field: string) => mapping.set({ id, fields: [{ field, target: 'ignore' }] });
    await Promise.all([leaveOut('Eyes'), leaveOut('Hat'), mapping.set({ id, options: { rarity: false } })]);
    const { fields, options } = await mapping.get({ id });
    expect(fields.map(({ target }) => target)).toEqual(['file', 'name', 'ignore', 'ignore']);
    expect(options.rarity).toBe(false);
  });

  it('goes into the project that was chosen last, whichever answer comes first', async () => {
    put('1.png', png('1'));
    const { id } = await read();
    const { imports, projects } = harness.t.studio;
    await projects.create({ name: 'Stars', type: 'collection' });
    const listed = await projects.list();
    const answer = Promise.withResolvers<typeof listed>();
    const asked = Promise.withResolvers<void>();
    vi.spyOn(projects, 'list').mockImplementationOnce(() => {
      asked.resolve();
      return answer.promise;
    });
    const earlier = imports.mapping.set({ id, options: { projectName: 'Stars' } });
    await asked.promise;
    await imports.mapping.set({ id, options: { projectName: 'Moons' } });
    answer.resolve(listed);
    await earlier;
    expect(await imports.status({ id })).toMatchObject({ projectName: 'Moons', projectUid: null });
  });

  it('refuses a change of a row that its commit would miss', async () => {
    put('1.png', png('1'));
    const { id } = await read();
    const [row] = await rowsOf(id);
    const { run } = SessionThread.prototype;
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    const spy = vi.spyOn(SessionThread.prototype, 'run').mockImplementation(async function (
      this: SessionThread,
      ...call
    ) {
      const output = await run.apply(this, call);
      if (call[1] === 'storedEdits') {
        asked.resolve();
        await answer.promise;
      }
      return output as never;
    });
    onTestFinished(() => spy.mockRestore());
    const change = harness.edit(row, id, 'name', 'Another');
    await asked.promise;
    await harness.t.studio.imports.commit({ id });
    answer.resolve();
    await expect(change).rejects.toMatchObject({ id: 'import.busy' });
    expect(await harness.settled(id)).toMatchObject({ phase: 'done', imported: 1 });
  });

  it('is not there where it could not be written', async () => {
    put('1.png', png('1'));
    const full = new PlanchetError('content.disk-full');
    vi.spyOn(ImportStore.prototype, 'saveHead').mockRejectedValueOnce(full);
    await expect(read()).rejects.toBe(full);
    expect(await harness.t.studio.imports.list()).toEqual([]);
  });
});
