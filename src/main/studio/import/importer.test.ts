import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ItemMetadata } from '../../../contract/index.ts';
import { pngOf as png } from '../../test-support/png.ts';
import { protocolMetadata } from '../projects/metadata.ts';
import { ImportHarness } from './test-support/import-harness.ts';

const harness = ImportHarness.forTests();
const put = harness.put.bind(harness);
const read = harness.read.bind(harness);
const commit = harness.commit.bind(harness);

const rowsOf = (id: string, filter: 'all' | 'errors' = 'all') => harness.rows(id, { filter });

describe('an import', () => {
  it('makes a collection of a folder and a table, and reports its problems', async () => {
    for (const n of [1, 2, 3]) put(`images/${n}.png`, png(`picture ${n}`));
    put('images/4.png', png('picture 1'));
    put('images/9.png', png('left over'));
    put(
      'tokens.csv',
      'file,name,Eyes\n1.png,One,green\n2.PNG,Two,blue\n3.png,,green\n4.png,Four,red\n5.png,Five,red\n',
    );
    const status = await read();
    expect(status).toMatchObject({ phase: 'ready', rows: 5, ready: 2, withErrors: 3, filesWithoutRow: 1 });
    const problems = (await rowsOf(status.id, 'errors')).map((row) => row.problems.map(({ code }) => code));
    expect(problems).toEqual([['name-missing'], ['duplicate-content'], ['missing-file']]);
    expect(status.problems.map(({ code, file }) => [code, file])).toEqual([['file-unused', 'images/9.png']]);
    const done = await commit(status.id);
    expect(done).toMatchObject({ phase: 'done', imported: 2, failure: null });
    const items = await harness.t.studio.items.list({ projectUid: done.projectUid as string });
    expect(items.map(({ subType, metadata }) => [subType, metadata.name, metadata.mintNumber])).toEqual([
      ['collection', 'Rings', undefined],
      ['collectionItem', 'One', 1],
      ['collectionItem', 'Two', 2],
    ]);
    expect(items[1]?.metadata.traits).toEqual([{ name: 'Eyes', value: 'green', occurrencePercent: '50' }]);
    expect(items[0]?.metadata.collection).toMatchObject({ quantity: 2 });
  });

  it.each<[string, string, Uint8Array]>([
    ['noise', 'noise.png', randomBytes(500)],
    ['a picture cut off in its middle', 'cut.png', png('cut').subarray(0, 60)],
    ['only the start of a picture', 'start.jpg', Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16])],
    ['a text', 'text.webp', Buffer.from('Hallo')],
    ['an animation without frames', 'empty.gif', Buffer.from('GIF89a')],
  ])('names %s that no decoder opens, and imports the others', async (_, name, bytes) => {
    put('fine.png', png('fine'));
    put(`in/${name}`, bytes);
    const status = await read({ projectType: 'single' });
    expect(status).toMatchObject({ rows: 2, ready: 1, withErrors: 1 });
    const [row] = await rowsOf(status.id, 'errors');
    expect(row?.problems).toMatchObject([{ code: 'picture-unreadable', file: `in/${name}`, values: { file: name } }]);
    expect((await commit(status.id)).imported).toBe(1);
  });

  it('names the right damaged picture among several batches, and one embedded in a table', async () => {
    for (let n = 100; n < 140; n++) put(`${n}.png`, n === 135 ? Buffer.from('no picture') : png(`picture ${n}`));
    const content = `data:image/png;base64,${Buffer.from('no picture either').toString('base64')}`;
    const files = [134, 135, 136].map((n) => ({ name: `Number ${n}`, image: `${n}.png` }));
    put('t.json', JSON.stringify([...files, { name: 'Inside', image: content }]));
    const status = await read({ projectType: 'single' });
    expect(status).toMatchObject({ done: 41, total: 41 });
    const rows = await harness.rows(status.id, { filter: 'all', limit: 100 });
    const named = [...rows.flatMap(({ problems }) => problems), ...status.problems];
    expect(named.filter(({ code }) => code === 'picture-unreadable').map(({ file }) => file)).toEqual([
      '135.png',
      't.json:4',
    ]);
  });

  it('reports neither a picture too large to decode nor a text that is named like a picture', async () => {
    put('large.png', png('large', { width: 16_000, height: 7_000 }));
    put('note.png', 'a text');
    put('t.csv', 'file,name,content_type\nlarge.png,Large,\nnote.png,Note,text/plain\n');
    const status = await read();
    expect(status).toMatchObject({ rows: 2, ready: 2, withErrors: 0 });
  });

  it('remembers with the project what each column became, for the next import into it', { tags: 'long' }, async () => {
    put('a.png', png('a'));
    put('b.png', png('b'));
    put('first.csv', 'Werk;Farbe;Notiz;Ton\na.png;rot;x;leise\nb.png;blau;y;laut\n');
    const { id } = await read();
    await harness.t.studio.imports.mapping.set({
      id,
      fields: [
        { field: 'Farbe', target: 'name' },
        { field: 'Notiz', target: 'ignore' },
        { field: 'Ton', target: 'trait', trait: 'Klang' },
      ],
    });
    await commit(id);
    await harness.t.studio.imports.discard({ id });
    rmSync(join(harness.folder, 'art'), { recursive: true });
    put('c.png', png('c'));
    put('next.csv', 'Name;Farbe;Notiz;Ton;Werk\nx;grün;z;leise;missing.png\n');
    const next = await read();
    const { fields } = await harness.t.studio.imports.mapping.get(next);
    expect(fields.map(({ field, target, trait }) => [field, target, trait])).toEqual([
      ['Name', 'ignore', 'Name'],
      ['Farbe', 'name', 'Farbe'],
      ['Notiz', 'ignore', 'Notiz'],
      ['Ton', 'trait', 'Klang'],
      ['Werk', 'file', 'Werk'],
    ]);
    expect((await rowsOf(next.id))[0]).toMatchObject({ name: 'grün', file: null });
    const other = await read({ projectName: 'Another' });
    expect((await harness.t.studio.imports.mapping.get(other)).fields[0]?.target).toBe('name');
  });

  it('imports a table that matches no files only after a person confirmed their order', async () => {
    for (const n of ['x', 'y']) put(`${n}.png`, png(n));
    put('t.csv', 'Titel\nEins\nZwei\n');
    const { id, problems } = await read();
    expect(problems.map(({ code, severity }) => [code, severity])).toContainEqual(['pairing-open', 'error']);
    await expect(harness.t.studio.imports.commit({ id })).rejects.toMatchObject({ id: 'import.pairing-open' });
    await harness.t.studio.imports.mapping.set({ id, options: { pairByOrder: true } });
    await harness.t.studio.imports.mapping.set({ id, options: { rarity: false } });
    expect((await rowsOf(id)).map(({ name, file }) => [name, file?.name])).toEqual([
      ['Eins', 'x.png'],
      ['Zwei', 'y.png'],
    ]);
    expect((await commit(id)).imported).toBe(2);
  });

  it('names the project after its tokens if the folder has a name that tools use', async () => {
    for (const n of [1, 2]) put(`${n}.png`, png(`picture ${n}`));
    put('tokens.csv', 'file,name\n1.png,Moons #1\n2.png,Moons #2\n');
    expect((await read({ projectName: 'build' })).projectName).toBe('Moons');
    expect((await read({ projectName: 'Tides' })).projectName).toBe('Tides');
  });

  it('imports corrected rows later, and updates the trait shares of the earlier items', async () => {
    for (const n of [1, 2]) put(`${n}.png`, png(`picture ${n}`));
    put('tokens.csv', 'file,name,Eyes\n1.png,One,green\n2.png,,blue\n');
    const { id } = await read();
    await commit(id);
    const [bad] = await rowsOf(id, 'errors');
    const edits = [
      { row: bad?.row ?? -1, field: 'name', value: 'Two' },
      { row: bad?.row ?? -1, field: 'trait:Eyes', value: 'green' },
    ];
    const { rows } = await harness.t.studio.imports.edit({ id, edits });
    expect(rows[0]).toMatchObject({ state: 'ready', name: 'Two', edited: ['name', 'trait:Eyes'] });
    const done = await commit(id);
    expect(done.imported).toBe(2);
    expect((await rowsOf(id)).map(({ number }) => number)).toEqual([1, 2]);
    const items = await harness.t.studio.items.list({ projectUid: done.projectUid as string });
    expect(items).toHaveLength(3);
    expect(items.slice(1).map(({ metadata }) => metadata.mintNumber)).toEqual([1, 2]);
    expect(items.slice(1).map(({ metadata }) => metadata.traits[0]?.occurrencePercent)).toEqual(['100', '100']);
    expect(items[0]?.metadata.collection?.quantity).toBe(2);
  });

  it('appends to a project, and refuses contents that it has already', async () => {
    for (const n of [1, 2]) put(`${n}.png`, png(`picture ${n}`));
    await commit((await read()).id);
    put('3.png', png('picture 3'));
    const second = await read();
    expect(second).toMatchObject({ ready: 1, withErrors: 2 });
    const done = await commit(second.id);
    const items = await harness.t.studio.items.list({ projectUid: done.projectUid as string });
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['Rings', '1', '2', '3']);
  });

  it('computes shares, ranks, numbers and counts again when more is appended', async () => {
    const table = (rows: readonly string[]): string => put('tokens.csv', `name,file,Eyes\n${rows.join('\n')}\n`);
    for (const n of [1, 2, 3, 4]) put(`${n}.png`, png(`picture ${n}`));
    table(['One,1.png,green', 'Two,2.png,blue', 'Three,3.png,blue']);
    const { id } = await read();
    const { projectUid: made } = await commit(id);
    const projectUid = made as string;
    const facts = async () =>
      (await harness.t.studio.items.list({ projectUid })).slice(1).map(({ metadata }) => {
        const { name, mintNumber, rank, traits } = metadata;
        return [name, mintNumber, rank, traits[0]?.occurrencePercent];
      });
    expect(await facts()).toEqual([
      ['One', 1, 1, '33.33'],
      ['Two', 2, 2, '66.67'],
      ['Three', 3, 3, '66.67'],
    ]);
    const [, one] = await harness.t.studio.items.list({ projectUid });
    await harness.t.studio.items.update({
      id: one?.id ?? '',
      metadata: { ...(one?.metadata as ItemMetadata), name: 'Uno' },
    });
    for (const n of [5, 6]) put(`${n}.png`, png(`picture ${n}`));
    table(['Four,4.png,green', 'Five,5.png,green', 'Six,6.png,red']);
    await commit((await read()).id);
    // Edits by a person between the imports stay.
    expect(await facts()).toEqual([
      ['Uno', 1, 4, '50'],
      ['Two', 2, 2, '33.33'],
      ['Three', 3, 3, '33.33'],
      ['Four', 4, 5, '50'],
      ['Five', 5, 6, '50'],
      ['Six', 6, 1, '16.67'],
    ]);
    // The first import still shows the numbers of its items.
    expect((await rowsOf(id)).map(({ number }) => number)).toEqual([1, 2, 3]);
    const [cover] = await harness.t.studio.items.list({ projectUid });
    expect(cover?.metadata.collection).toMatchObject({
      quantity: 6,
      traits: [{ name: 'Eyes', values: [{ percent: '50' }, { percent: '33.33' }, { percent: '16.67' }] }],
    });
  });

  it('keeps the ranks that a table gave when more is appended', { tags: 'long' }, async () => {
    for (const n of [1, 2]) put(`${n}.png`, png(`picture ${n}`));
    put('tokens.csv', 'name,file,rank,Eyes\nOne,1.png,7,green\n');
    await commit((await read()).id);
    put('tokens.csv', 'name,file,Eyes\nTwo,2.png,blue\n');
    const { projectUid } = await commit((await read()).id);
    const items = await harness.t.studio.items.list({ projectUid: projectUid as string });
    expect(items.map(({ metadata }) => metadata.rank)).toEqual([undefined, 7, undefined]);
  });

  it('lets a type be entered where none is known, and another file be chosen', async () => {
    put('1.zzz', Buffer.from([0, 1, 2, 255]));
    put('2.png', png('2'));
    put('tokens.csv', 'file,name\n1.zzz,One\n3.png,Two\n');
    const { id } = await read();
    const [one, two] = await rowsOf(id);
    const { files } = await harness.t.studio.imports.files({
      id,
      filter: 'unmatched',
      search: '',
      offset: 0,
      limit: 10,
    });
    expect(files.map(({ path }) => path)).toEqual(['2.png']);
    const edits = [
      { row: one?.row ?? -1, field: 'contentType', value: 'model/x-voxel' },
      { row: two?.row ?? -1, field: 'file', value: String(files[0]?.id) },
    ];
    await harness.t.studio.imports.edit({ id, edits });
    const done = await commit(id);
    expect(done.imported).toBe(2);
    const items = await harness.t.studio.items.list({ projectUid: done.projectUid as string });
    expect(items.slice(1).map(({ file }) => file.contentType)).toEqual(['model/x-voxel', 'image/png']);
    await expect(
      harness.t.studio.imports.edit({ id, edits: [{ row: 99, field: 'name', value: 'x' }] }),
    ).rejects.toMatchObject({
      id: 'import.edit-unknown',
    });
  });

  it('does not call the chosen cover a file that is left out', async () => {
    for (const n of [1, 2]) put(`${n}.png`, png(`picture ${n}`));
    put('banner.png', png('cover'));
    put('tokens.csv', 'file,name\n1.png,One\n2.png,Two\n');
    const { id, filesWithoutRow } = await read();
    expect(filesWithoutRow).toBe(1);
    const { files } = await harness.t.studio.imports.files({
      id,
      filter: 'unmatched',
      search: '',
      offset: 0,
      limit: 10,
    });
    await harness.t.studio.imports.mapping.set({ id, options: { cover: files[0]?.id as number } });
    expect(await harness.t.studio.imports.status({ id })).toMatchObject({ filesWithoutRow: 0, problems: [] });
    await harness.t.studio.imports.mapping.set({ id, options: { projectType: 'single' } });
    expect(await harness.t.studio.imports.status({ id })).toMatchObject({ filesWithoutRow: 1 });
    await harness.t.studio.imports.mapping.set({ id, options: { projectType: 'collection' } });
    const done = await commit(id);
    const [cover] = await harness.t.studio.items.list({ projectUid: done.projectUid as string });
    expect(cover).toMatchObject({ subType: 'collection', file: { name: 'banner.png' } });
  });

  it('writes computed values into the transaction in the form of the schema', async () => {
    for (const n of [1, 2]) put(`${n}.png`, png(`picture ${n}`));
    put('tokens.csv', 'file,name,Eyes\n1.png,One,green\n2.png,Two,blue\n');
    const { id } = await read();
    const royalties = [{ destination: 'me@example.com', percentage: '0.05' }];
    await harness.t.studio.imports.mapping.set({ id, options: { royalties, nameTemplate: '{name} #{n}' } });
    const done = await commit(id);
    const [cover, one] = await harness.t.studio.items.list({ projectUid: done.projectUid as string });
    const own = '{"collectionId":"c_0","description":"One #1","mintNumber":1,"rank":1,"rarityLabel":"Uncommon",';
    const item = protocolMetadata(one?.metadata as ItemMetadata, 'collectionItem', 'c_0');
    expect(item).toEqual({
      app: 'Planchet',
      name: 'One #1',
      type: 'ord',
      subType: 'collectionItem',
      subTypeData: `${own}"traits":[{"name":"Eyes","value":"green","occurrencePercent":"50"}]}`,
      description: 'One #1',
      royalties: '[{"type":"paymail","destination":"me@example.com","percentage":"0.05"}]',
    });
    expect(JSON.parse(protocolMetadata(cover?.metadata as ItemMetadata, 'collection').subTypeData as string)).toEqual({
      description: 'Rings',
      quantity: '2',
      rarityLabels: { Uncommon: '50', Common: '50' },
      traits: { Eyes: { values: ['blue', 'green'], occurancePercentages: ['50', '50'] } },
    });
    expect(
      await harness.t.studio.items.update({
        id: one?.id ?? '',
        metadata: { name: 'Uno', description: '', traits: [] },
      }),
    ).toMatchObject({
      metadata: { name: 'Uno', mintNumber: 1, rank: 1, royalties },
    });
  });

  it.each([
    ['not an address!'],
    ['me@nowhere'],
    ['1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2'],
    ['1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa'],
  ])('takes no royalty for %s, which is no address of this network and no paymail', async (destination) => {
    put('1.png', png('1'));
    const { id } = await read();
    const royalties = [{ destination, percentage: '0.05' }];
    await expect(harness.t.studio.imports.mapping.set({ id, options: { royalties } })).rejects.toMatchObject({
      id: 'mint.royalty-receiver',
    });
    expect((await harness.t.studio.imports.mapping.get({ id })).options.royalties).toEqual([]);
  });

  it('refuses to commit without a valid row, and makes no project', async () => {
    put('1.png', png('1'));
    put('tokens.csv', 'file,name\n2.png,Two\n');
    const { id } = await read();
    await expect(harness.t.studio.imports.commit({ id })).rejects.toMatchObject({
      code: 'invalid-input',
      id: 'import.nothing-ready',
    });
    expect(await harness.t.studio.projects.list()).toEqual([]);
  });

  it('fails with a clear message for a missing or empty source', async () => {
    expect((await read({ paths: [join(harness.folder, 'nowhere')] })).failure).toMatchObject({
      code: 'file-not-found',
    });
    mkdirSync(join(harness.folder, 'art'));
    expect((await read()).failure).toMatchObject({ id: 'import.no-content' });
  });
});
