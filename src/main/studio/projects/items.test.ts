import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestService } from '../test-support/test-service.ts';
import { addItem, openStudio, type TestStudio } from '../test-support/test-studio.ts';

let service: TestService;
let dataDir: string;
let t: TestStudio;

beforeEach(async () => {
  service = new TestService();
  await service.start();
  dataDir = mkdtempSync(join(tmpdir(), 'planchet-items-'));
  t = await openStudio({ dataDir, url: service.url });
});

afterEach(async () => {
  await t.close();
  await service.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const meta = (name: string, traits: { name: string; value: string }[] = []) => ({ name, description: '', traits });

describe('items', () => {
  it('can be added, changed and removed while they are drafts, and each change is published', async () => {
    const project = await t.studio.projects.create({ name: 'P', type: 'single' });
    const item = await addItem(t, project.uid, Buffer.from('a'), 'A', 'a.txt');
    expect(item).toMatchObject({
      subType: 'single',
      state: 'draft',
      file: { contentType: 'text/plain;charset=utf-8', bytes: 1 },
    });
    const updated = await t.studio.items.update({ id: item.id, metadata: meta(' B ') });
    expect(updated.metadata).toEqual({ name: 'B', description: '', traits: [] });
    expect(await t.studio.items.list({ projectUid: project.uid })).toEqual([updated]);
    await t.studio.items.remove({ ids: [item.id] });
    expect(await t.studio.items.list({ projectUid: project.uid })).toEqual([]);
    const told = t.events.map(({ type }) => type);
    expect(told).toEqual(['project', 'item', 'project', 'item', 'item-removed', 'project']);
    await expect(t.studio.items.update({ id: item.id, metadata: meta('C') })).rejects.toMatchObject({
      code: 'not-found',
    });
  });

  it('are made once for one key and content', async () => {
    const { uid: projectUid } = await t.studio.projects.create({ name: 'P', type: 'single' });
    const first = await addItem(t, projectUid, Buffer.from('a'), 'A', 'a.txt');
    const other = await addItem(t, projectUid, Buffer.from('b'), 'B', 'b.txt');
    const idempotencyKey = 'a0a0a0a0-0000-4000-8000-000000000001';
    const make = (sha256: string) =>
      t.studio.items.create({ projectUid, sha256, fileName: 'c.txt', metadata: meta('C'), idempotencyKey });
    const made = await make(first.file.sha256);
    expect(made.id).toBe(idempotencyKey);
    expect(await make(first.file.sha256)).toEqual(made);
    const further = await make(other.file.sha256);
    expect(further.id).not.toBe(idempotencyKey);
    expect(await t.studio.items.list({ projectUid })).toEqual([first, other, made, further]);
  });

  it('are restored once after a removal, as they were and in their place', async () => {
    const { uid: projectUid } = await t.studio.projects.create({ name: 'P', type: 'collection' });
    const made = [];
    for (const name of ['A', 'B', 'C']) made.push(await addItem(t, projectUid, Buffer.from(name), name, `${name}.txt`));
    const before = await t.studio.items.list({ projectUid });
    const ids = made.slice(0, 2).map(({ id }) => id);
    await t.studio.items.remove({ ids });
    expect(await t.studio.items.list({ projectUid })).toHaveLength(1);
    await expect(t.studio.items.restore({ ids: [...ids, 'none'] })).rejects.toMatchObject({ code: 'not-found' });
    expect(await t.studio.items.list({ projectUid })).toHaveLength(1);
    await t.studio.items.restore({ ids });
    expect(await t.studio.items.list({ projectUid })).toEqual(before);
    await expect(t.studio.items.restore({ ids })).rejects.toMatchObject({ code: 'not-found' });
  });

  it('are made again under the key of their upload after they were removed, and removed again', async () => {
    const { uid: projectUid } = await t.studio.projects.create({ name: 'P', type: 'single' });
    const { file } = await addItem(t, projectUid, Buffer.from('a'), 'A', 'a.txt');
    const idempotencyKey = 'a0a0a0a0-0000-4000-8000-000000000002';
    const make = () =>
      t.studio.items.create({
        projectUid,
        sha256: file.sha256,
        fileName: 'b.txt',
        metadata: meta('B'),
        idempotencyKey,
      });
    const { id } = await make();
    await t.studio.items.remove({ ids: [id] });
    await make();
    await expect(t.studio.items.restore({ ids: [id] })).rejects.toMatchObject({ code: 'not-found' });
    await t.studio.items.remove({ ids: [id] });
    await t.studio.items.restore({ ids: [id] });
    expect((await t.studio.items.list({ projectUid })).map(({ metadata }) => metadata.name)).toEqual(['A', 'B']);
  });

  it('are listed in pages, each after the last item of the one before', async () => {
    const { uid: projectUid } = await t.studio.projects.create({ name: 'P', type: 'single' });
    for (const name of ['A', 'B', 'C']) await addItem(t, projectUid, Buffer.from(name), name, `${name}.txt`);
    const first = await t.studio.items.list({ projectUid, limit: 2 });
    const rest = await t.studio.items.list({ projectUid, limit: 2, after: first.at(-1)?.position });
    expect([first, rest].map((page) => page.map(({ metadata }) => metadata.name))).toEqual([['A', 'B'], ['C']]);
  });

  it('are the pictures of their project, the collection token first', async () => {
    const { uid } = await t.studio.projects.create({ name: 'P', type: 'collection' });
    for (const name of ['A', 'B', 'C', 'D', 'E']) await addItem(t, uid, Buffer.from(name), name, `${name}.txt`);
    const { art } = await t.studio.projects.get({ uid });
    expect(art.map(({ name, file }) => [name, file.name])).toEqual([
      ['A', 'A.txt'],
      ['B', 'B.txt'],
      ['C', 'C.txt'],
      ['D', 'D.txt'],
    ]);
  });

  it.each([
    ['no name', meta(' ')],
    [
      'a trait twice',
      meta('A', [
        { name: 'x', value: '1' },
        { name: 'x', value: '2' },
      ]),
    ],
    ['a name of the protocol', meta('A', [{ name: 'subType', value: '1' }])],
    ['half a character', meta('A\ud800')],
    ['a NUL', meta('A', [{ name: 'x', value: 'a\0b' }])],
    ['the prototype', meta('A', [{ name: '__proto__', value: '1' }])],
  ])('refuse metadata with %s, changing nothing', async (_, metadata) => {
    const project = await t.studio.projects.create({ name: 'P', type: 'single' });
    const item = await addItem(t, project.uid, Buffer.from('a'), 'A', 'a.txt');
    await expect(t.studio.items.update({ id: item.id, metadata })).rejects.toMatchObject({ code: 'metadata-invalid' });
    const again = { projectUid: project.uid, sha256: item.file.sha256, fileName: 'a.txt', metadata };
    await expect(t.studio.items.create(again)).rejects.toMatchObject({ code: 'metadata-invalid' });
    expect(await t.studio.items.list({ projectUid: project.uid })).toEqual([item]);
  });

  it('must fit the type of their project', async () => {
    const single = await t.studio.projects.create({ name: 'S', type: 'single' });
    const collection = await t.studio.projects.create({ name: 'C', type: 'collection' });
    const { file } = await addItem(t, single.uid, Buffer.from('a'), 'A', 'a.txt');
    const create = (projectUid: string, subType?: 'single' | 'collection' | 'collectionItem') =>
      t.studio.items.create({ projectUid, sha256: file.sha256, fileName: 'a.txt', metadata: meta('A'), subType });
    await expect(create(single.uid, 'collection')).rejects.toMatchObject({ code: 'conflict' });
    await expect(create(collection.uid, 'single')).rejects.toMatchObject({ code: 'conflict' });
    const both = await Promise.all([create(collection.uid), create(collection.uid)]);
    expect(both.map(({ subType }) => subType).sort()).toEqual(['collection', 'collectionItem']);
    await expect(create(collection.uid, 'collection')).rejects.toMatchObject({ code: 'conflict' });
    await expect(create('nowhere')).rejects.toMatchObject({ code: 'not-found' });
    const missing = { projectUid: single.uid, sha256: '0'.repeat(64), fileName: 'x', metadata: meta('A') };
    await expect(t.studio.items.create(missing)).rejects.toMatchObject({ code: 'file-not-found' });
  });
});

describe('projects', () => {
  it('are those of the API key, with what this studio knows of them', async () => {
    const own = await t.studio.projects.create({ name: 'Own', type: 'single' });
    service.projects.set('other', { uid: 'other', name: 'Made elsewhere', type: 'collection' });
    await addItem(t, own.uid, Buffer.from('a'), 'A', 'a.txt');
    const listed = await t.studio.projects.list();
    expect(
      listed.map(({ name, type, itemCount, mintedCount, createdAt }) => [
        name,
        type,
        itemCount,
        mintedCount,
        createdAt !== null,
      ]),
    ).toEqual([
      ['Own', 'single', 1, 0, true],
      ['Made elsewhere', 'collection', 0, 0, false],
    ]);
    service.projects.delete('other');
    expect((await t.studio.projects.list()).map(({ name }) => name)).toEqual(['Own']);
  });

  it('are remembered while the service is away', async () => {
    await expect(t.studio.projects.get({ uid: 'nowhere' })).rejects.toMatchObject({ code: 'not-found' });
    await t.studio.projects.create({ name: 'Own', type: 'single' });
    service.fault(/project/, 503, { times: 10 });
    expect((await t.studio.projects.list()).map(({ name }) => name)).toEqual(['Own']);
    await expect(t.studio.projects.create({ name: 'New', type: 'single' })).rejects.toMatchObject({
      code: 'upstream-error',
    });
  });
});
