import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { editionNames, type Item, type ItemMetadata } from '../../../../contract/index.ts';
import { StillClock } from '../../../test-support/still-clock.ts';
import { TestService } from '../../test-support/test-service.ts';
import { addItem, openStudio, type TestStudio } from '../../test-support/test-studio.ts';

const DAY_MS = 86_400_000;

let service: TestService;
let dataDir: string;
let clock: StillClock;
let t: TestStudio;
let projectUid: string;

beforeEach(async () => {
  service = new TestService();
  await service.start();
  clock = new StillClock(1_790_000_000_000);
  dataDir = mkdtempSync(join(tmpdir(), 'planchet-undo-'));
  t = await openStudio({ dataDir, url: service.url, clock });
  projectUid = (await t.studio.projects.create({ name: 'Rings', type: 'single' })).uid;
});

afterEach(async () => {
  await t.close();
  await service.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const items = (): Promise<Item[]> => t.studio.items.list({ projectUid });
const names = async (): Promise<string[]> => (await items()).map(({ metadata }) => metadata.name);
const add = (name: string): Promise<Item> => addItem(t, projectUid, Buffer.from(name), name, `${name}.txt`);
const undo = () => t.studio.items.undo({ projectUid });
const history = () => t.studio.items.history.get({ projectUid });
const named = (item: Item, name: string): ItemMetadata => ({ ...item.metadata, name });

/** Ends the studio and starts it again with another time of the clock. */
async function restart(laterMs: number): Promise<void> {
  await t.close();
  clock.advance(laterMs);
  t = await openStudio({ dataDir, url: service.url, clock });
}

describe('the changes of a project', () => {
  it('are taken back one after the other, the newest first, also after a restart and a year', async () => {
    const [a, b] = [await add('A'), await add('B')];
    const before = await items();
    await t.studio.items.update({ id: a.id, metadata: named(a, 'Changed') });
    await t.studio.items.reorder({ projectUid, ids: [b.id, a.id], renumber: false });
    await t.studio.items.remove({ ids: [a.id, b.id] });
    await restart(365 * DAY_MS);
    expect(await history()).toMatchObject({ last: { what: 'removed', items: 2 }, inBin: 2 });
    expect(await undo()).toMatchObject({ what: 'removed', items: 2 });
    expect(await names()).toEqual(['B', 'Changed']);
    expect((await history()).inBin).toBe(0);
    expect(await undo()).toMatchObject({ what: 'reordered' });
    expect(await names()).toEqual(['Changed', 'B']);
    expect(await undo()).toMatchObject({ what: 'edited', items: 1 });
    expect(await items()).toEqual(before);
  });

  it('join files that are added together, and an undo moves them to the bin', async () => {
    await add('A');
    clock.advance(20_000);
    for (const name of ['B', 'C', 'D']) await add(name);
    expect(await undo()).toMatchObject({ what: 'added', items: 3 });
    expect(await names()).toEqual(['A']);
    const bin = await t.studio.items.history.bin({ projectUid, limit: 10 });
    expect(bin.map(({ item }) => item.metadata.name).toSorted()).toEqual(['B', 'C', 'D']);
    await t.studio.items.restore({ ids: bin.map(({ item }) => item.id) });
    expect(await names()).toEqual(['A', 'B', 'C', 'D']);
    expect(await undo()).toMatchObject({ what: 'restored', items: 3 });
    expect(await names()).toEqual(['A']);
  });

  it('skip items that entered a mint since, and report when nothing is left to undo', async () => {
    const [a, b] = [await add('A'), await add('B')];
    await t.studio.items.update({ id: b.id, metadata: named(b, 'B2') });
    await t.studio.items.update({ id: a.id, metadata: named(a, 'A2') });
    await t.store.db.updateTable('studio_items').set({ state: 'mined' }).where('id', '=', a.id).execute();
    expect(await undo()).toMatchObject({ what: 'edited' });
    expect(await names()).toEqual(['A2', 'B']);
    await expect(undo()).rejects.toMatchObject({ id: 'mint.nothing-to-undo' });
    expect(await names()).toEqual(['A2', 'B']);
  });

  it('are kept up to the last fifty', async () => {
    const a = await add('A');
    for (let n = 0; n < 60; n++) await t.studio.items.update({ id: a.id, metadata: named(a, `A${n}`) });
    const rows = await t.store.db.selectFrom('studio_changes').select('seq').execute();
    expect(rows).toHaveLength(50);
  });
});

describe('the bin', () => {
  it('keeps removed drafts with their files until it is emptied, and then nothing can bring them back', async () => {
    const a = await add('A');
    await t.studio.items.remove({ ids: [a.id] });
    await restart(30 * DAY_MS);
    const file = join(dataDir, 'files', a.file.sha256);
    expect(existsSync(file)).toBe(true);
    await t.studio.items.history.emptyBin({ projectUid });
    expect(await history()).toMatchObject({ last: { what: 'added' }, inBin: 0 });
    await expect(t.studio.items.restore({ ids: [a.id] })).rejects.toMatchObject({ id: 'mint.removed-item-gone' });
    await expect(undo()).rejects.toMatchObject({ id: 'mint.nothing-to-undo' });
  });
});

describe('another file of a draft', () => {
  it('keeps the one before, which is put back as it was', async () => {
    const a = await add('A');
    const small = await add('small');
    const changes = [{ id: a.id, sha256: small.file.sha256, fileName: 'A.webp' }];
    const [changed] = await t.studio.items.replaceFiles({ changes, keepsOriginal: true });
    expect(changed).toMatchObject({ file: { sha256: small.file.sha256, name: 'A.webp' }, original: a.file });
    const again = [{ id: a.id, sha256: small.file.sha256, fileName: 'A2.webp' }];
    expect((await t.studio.items.replaceFiles({ changes: again, keepsOriginal: true }))[0]?.original).toEqual(a.file);
    expect(await t.studio.items.putOriginals({ ids: [a.id] })).toEqual([a]);
    expect((await undo()).what).toBe('file');
    expect((await t.studio.items.list({ projectUid }))[0]).toMatchObject({
      file: { name: 'A2.webp' },
      original: a.file,
    });
    await expect(
      t.studio.items.replaceFiles({
        changes: [{ ...again[0], id: a.id, sha256: '0'.repeat(64), fileName: 'x' }],
        keepsOriginal: false,
      }),
    ).rejects.toMatchObject({ code: 'file-not-found' });
    await t.store.db.updateTable('studio_items').set({ state: 'uploaded' }).where('id', '=', a.id).execute();
    const late = t.studio.items.replaceFiles({ changes, keepsOriginal: false });
    await expect(late).rejects.toMatchObject({ id: 'mint.item-in-mint' });
    await expect(t.studio.items.putOriginals({ ids: [a.id] })).rejects.toMatchObject({ id: 'mint.item-in-mint' });
    await expect(t.studio.items.makeEdition({ id: a.id, count: 2 })).rejects.toMatchObject({ id: 'mint.item-in-mint' });
  });
});

describe('an edition', () => {
  it('is made of one draft in one step, numbered, and taken back in one', async () => {
    const { id } = await add('Moon');
    const before = await items();
    const made = await t.studio.items.makeEdition({ id, count: 3 });
    expect(made.map(({ metadata }) => metadata.name)).toEqual(['Moon #1', 'Moon #2', 'Moon #3']);
    expect(new Set(made.map(({ file }) => file.sha256)).size).toBe(1);
    expect(await undo()).toMatchObject({ what: 'copied' });
    expect(await items()).toEqual(before);
  });

  it('takes no name that another draft of its project has', async () => {
    const [, third] = [await add('Moon #1'), await add('Moon #3')];
    const made = await t.studio.items.makeEdition({ id: third.id, count: 2 });
    expect(made.map(({ metadata }) => metadata.name)).toEqual(['Moon #3 (1/2)', 'Moon #3 (2/2)']);
  });

  it.each([
    ['#3', ['#1'], ['#3 (1/2)', '#3 (2/2)']],
    ['Moon #3', ['Moon #1', 'Moon #3 (2/2)'], ['Moon #3 (1/2) 2', 'Moon #3 (2/2) 2']],
    [`${'x'.repeat(115)} #12`, [`${'x'.repeat(115)} #1`], [1, 2].map((n) => `${'x'.repeat(110)} #12 (${n}/2)`)],
    [`${'x'.repeat(116)} y`, [], [1, 2].map((n) => `${'x'.repeat(116)} #${n}`)],
    [`${'x'.repeat(116)}🌙`, [], [1, 2].map((n) => `${'x'.repeat(116)} #${n}`)],
  ])('of %s beside %j has its own names, none longer than 120 or with half a character', (name, taken, names) => {
    expect(editionNames(name, 2, new Set(taken))).toEqual(names);
    for (const one of names) expect(one.length).toBeLessThanOrEqual(120);
  });

  it('has mint numbers above those of its collection, and cannot be made of the collection token', async () => {
    projectUid = (await t.studio.projects.create({ name: 'Set', type: 'collection' })).uid;
    const cover = await add('Cover');
    const one = await add('One');
    await t.studio.items.update({ id: one.id, metadata: { ...one.metadata, mintNumber: 7 } });
    const two = await add('Two');
    const made = await t.studio.items.makeEdition({ id: two.id, count: 2 });
    expect(made.map(({ metadata }) => metadata.mintNumber)).toEqual([8, 9]);
    await expect(t.studio.items.makeEdition({ id: cover.id, count: 2 })).rejects.toMatchObject({ code: 'conflict' });
  });
});
