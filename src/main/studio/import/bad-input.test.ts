import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { png } from './test-support/import-files.ts';
import { ImportHarness } from './test-support/import-harness.ts';
import { zipOf } from './test-support/zip-writer.ts';

/** The long run has as many as a table may have: each is stored with its problems. */
const ROWS = process.env.PLANCHET_LONG ? 50_000 : 1_000;
const harness = ImportHarness.forTests();
const stored = (): string[] => readdirSync(join(harness.folder, 'data', 'files'));

/** Nothing was created, the person's file is unchanged, and the import can be discarded and started again. */
async function expectNothingLost(id: string, path: string, before: Buffer): Promise<void> {
  expect(await harness.t.studio.projects.list()).toEqual([]);
  expect(stored()).toEqual([]);
  expect(readFileSync(path).equals(before)).toBe(true);
  await harness.t.studio.imports.discard({ id });
  expect(await harness.t.studio.imports.list()).toEqual([]);
  harness.put('fine/1.png', png('fine'));
  expect(await harness.read({ paths: [join(harness.folder, 'art', 'fine')] })).toMatchObject({
    phase: 'ready',
    ready: 1,
  });
}

describe('bad input', () => {
  it.each<[string, Buffer, string, RegExp]>([
    ['a corrupt zip', Buffer.from('PK\x03\x04 and then nothing of use'), 'import.archive-damaged', /art\.zip/],
    [
      'a zip whose end is missing',
      zipOf([{ name: '1.png', content: png('1') }]).subarray(0, -10),
      'import.archive-damaged',
      /art\.zip/,
    ],
    [
      'a zip bomb',
      zipOf([{ name: 'bomb.png', content: Buffer.alloc(40_000_000), deflate: true }]),
      'import.archive-too-large',
      /packed too tightly/,
    ],
  ])('%s: a clear message, nothing lost', async (_, bytes, id, message) => {
    const path = harness.put('art.zip', bytes);
    const status = await harness.read({ paths: [path] });
    expect(status).toMatchObject({ phase: 'failed', failure: { id } });
    expect(status.failure?.message).toMatch(message);
    expect(status.failure?.hint).toBeTruthy();
    await expectNothingLost(status.id, path, bytes);
  });

  it('one damaged picture in a zip: its row is named, the others are imported', async () => {
    const archive = zipOf([
      { name: '1.png', content: Buffer.concat([png('1'), Buffer.alloc(500, 7)]), deflate: true },
      { name: '2.png', content: png('2') },
    ]);
    archive.fill(0xff, 40, 50);
    const status = await harness.read({ paths: [harness.put('art.zip', archive)] });
    expect(status).toMatchObject({ phase: 'ready', ready: 1, withErrors: 1 });
    const [row] = await harness.rows(status.id, { filter: 'errors' });
    expect(row?.problems).toMatchObject([{ code: 'file-unreadable', file: '1.png' }]);
    expect((await harness.commit(status.id)).imported).toBe(1);
  });

  it('paths that lead out of a zip: named and left out, the rest is imported', async () => {
    const content = png('evil');
    const names = ['../evil.png', '../../data/files/evil.png', '/tmp/evil.png', 'C:\\evil.png', 'a/../../evil.png'];
    const parts = names.map((name) => ({ name, content }));
    const path = harness.put('in/art.zip', zipOf([...parts, { name: 'fine.png', content: png('fine') }]));
    const status = await harness.read({ paths: [path] });
    expect(status).toMatchObject({ phase: 'ready', rows: 1, ready: 1 });
    expect(status.problems.map(({ code }) => code)).toEqual(names.map(() => 'path-refused'));
    for (const { message } of status.problems) expect(message).toMatch(/lies outside it/);
    expect((await harness.commit(status.id)).imported).toBe(1);
    expect(existsSync(join(harness.folder, 'art', 'evil.png'))).toBe(false);
    expect(stored()).toHaveLength(1);
  });

  it(`a table of ${ROWS} rows with a byte order mark and semicolons: every row is there, the one that fits is imported`, async () => {
    harness.put(`${ROWS - 1}.png`, png('x'));
    const lines = Array.from({ length: ROWS }, (_, n) => `${n}.png;"Name; ${n}";${n % 7}`);
    harness.put('list.csv', `\ufefffile;name;Kind\r\n${lines.join('\r\n')}\r\n`);
    const status = await harness.read();
    expect(status).toMatchObject({ phase: 'ready', rows: ROWS, ready: 1, withErrors: ROWS - 1 });
    const [last] = await harness.rows(status.id, { offset: ROWS - 1, limit: 1 });
    expect(last).toMatchObject({ name: `Name; ${ROWS - 1}`, source: { line: ROWS + 1 }, state: 'ready' });
    expect((await harness.commit(status.id)).imported).toBe(1);
  });

  it('a table of more rows than are read: refused with the number', async () => {
    const path = harness.put('list.csv', `name\n${'x\n'.repeat(50_001)}`);
    const status = await harness.read({ paths: [path] });
    expect(status.failure?.message).toMatch(/more than 50,000 rows/);
  });

  it('one number twice: the second row is named, and imported once it has its own', async () => {
    for (const n of [1, 2]) harness.put(`${n}.png`, png(`${n}`));
    harness.put('t.csv', 'file,name,id\n1.png,One,1\n2.png,Two,1\n');
    const { id } = await harness.read();
    const [row] = await harness.rows(id, { filter: 'errors' });
    expect(row?.problems).toMatchObject([
      { code: 'duplicate-number', message: 'The number 1 is also that of "One" (row 2 of t.csv).' },
    ]);
    expect((await harness.commit(id)).imported).toBe(1);
    await harness.edit(row, id, 'number', '2');
    expect((await harness.commit(id)).imported).toBe(2);
  });

  it('a collection id that is not known: the row is named, and imported once the cell is cleared', async () => {
    harness.put('1.png', png('1'));
    harness.put('t.csv', 'file,name,collectionId\n1.png,One,nowhere_0\n');
    const { id } = await harness.read();
    const [row] = await harness.rows(id, { filter: 'errors' });
    expect(row?.problems).toMatchObject([{ code: 'collection-unknown', field: 'collectionId' }]);
    expect(row?.problems[0]?.message).toContain('"nowhere_0" is not the id of this collection');
    await expect(harness.commit(id)).rejects.toMatchObject({ id: 'import.nothing-ready' });
    await harness.edit(row, id, 'collectionId', '');
    expect((await harness.commit(id)).imported).toBe(1);
  });

  it('a file changed on the disk after it was read: named; the version that was shown is what can be imported', async () => {
    const path = harness.put('1.png', png('shown'));
    harness.put('2.png', png('2'));
    const { id } = await harness.read({ projectType: 'single' });
    writeFileSync(path, png('other'));
    utimesSync(path, 1, 1);
    expect((await harness.commit(id)).imported).toBe(1);
    const [row] = await harness.rows(id, { filter: 'errors' });
    expect(row?.problems).toMatchObject([{ code: 'file-changed', severity: 'error' }]);
    await harness.edit(row, id, 'accept', 'file-changed');
    const { projectUid, imported } = await harness.commit(id);
    expect(imported).toBe(2);
    const items = await harness.t.studio.items.list({ projectUid: projectUid as string });
    const contents = await Promise.all(
      items.map(async ({ file }) =>
        Buffer.from(await (await harness.t.studio.files.read(file)).arrayBuffer()).toString('latin1'),
      ),
    );
    expect(contents.sort()).toEqual([png('2').toString('latin1'), png('shown').toString('latin1')]);
  });

  it('an SVG with a script: said, and imported as it is', async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" onload="x()"><script>alert(1)</script></svg>';
    harness.put('1.svg', svg);
    const { id } = await harness.read({ projectType: 'single' });
    const [row] = await harness.rows(id);
    expect(row).toMatchObject({ state: 'warning', problems: [{ code: 'svg-script', severity: 'warning' }] });
    const { projectUid } = await harness.commit(id);
    const [item] = await harness.t.studio.items.list({ projectUid: projectUid as string });
    expect(await (await harness.t.studio.files.read({ sha256: item?.file.sha256 ?? '' })).text()).toBe(svg);
    expect(await harness.t.studio.files.thumbnail({ sha256: item?.file.sha256 ?? '' })).toBeNull();
  });

  it.each([
    ['1.heic', '\0\0\0\x18ftypheic\0\0\0\0', 'image/heic'],
    ['1.tiff', 'II*\0\x08\0\0\0', 'image/tiff'],
  ])(
    '%s, which browsers cannot show: named with what to do, imported only if that is accepted',
    async (name, head, type) => {
      harness.put(name, Buffer.from(head, 'latin1'));
      const { id } = await harness.read({ projectType: 'single' });
      const [row] = await harness.rows(id, { filter: 'errors' });
      expect(row?.problems).toMatchObject([{ code: 'type-not-viewable' }]);
      expect(row?.problems[0]?.message).toBe(
        `Browsers cannot show ${type}. Convert the file to PNG, JPEG or WebP, or accept it.`,
      );
      await harness.edit(row, id, 'accept', 'type-not-viewable');
      expect((await harness.commit(id)).imported).toBe(1);
    },
  );
});
