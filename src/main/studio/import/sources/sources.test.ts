import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ZipPart, zipOf } from '../test-support/zip-writer.ts';
import { openSources } from './open-sources.ts';
import { ImportUploads } from './uploads.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'planchet-sources-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const content = (text: string): Buffer => Buffer.from(text);

function zip(parts: readonly ZipPart[] | Buffer): string {
  const path = join(folder, 'art.zip');
  writeFileSync(path, Buffer.isBuffer(parts) ? parts : zipOf(parts));
  return path;
}

/** Paths with contents, and the codes of what was refused. */
async function read(path: string, limit = 10_000_000) {
  const sources = await openSources([path]);
  try {
    const files: string[] = [];
    for (const entry of sources.entries) files.push(`${entry.path}=${Buffer.from(await entry.read(limit)).toString()}`);
    return { files: files.sort(), refused: sources.findings.map(({ code }) => code) };
  } finally {
    await sources.close();
  }
}

describe('a zip file', () => {
  it('is read without its common folder and without files that operating systems and open tables leave in it', async () => {
    const path = zip([
      { name: 'build/images/1.png', content: content('one'), deflate: true },
      { name: 'build/json/1.json', content: content('{}') },
      { name: '__MACOSX/build/images/._1.png', content: content('x') },
      { name: 'build/.DS_Store', content: content('x') },
      { name: 'build/images/Thumbs.db', content: content('x') },
      { name: 'build/~$Liste.xlsx', content: content('x') },
      { name: 'build/images/', content: content('') },
    ]);
    expect(await read(path)).toEqual({ files: ['images/1.png=one', 'json/1.json={}'], refused: [] });
  });

  it.each([
    ['../1.png', 'path-refused'],
    ['a/../../1.png', 'path-refused'],
    ['..\\1.png', 'path-refused'],
    ['/etc/1.png', 'path-refused'],
    ['C:\\1.png', 'path-refused'],
    ['a\n.png', 'path-refused'],
  ])('refuses the name %j and reads the rest', async (name, code) => {
    const path = zip([
      { name, content: content('evil') },
      { name: '2.png', content: content('two') },
    ]);
    expect(await read(path)).toEqual({ files: ['2.png=two'], refused: [code] });
  });

  it('refuses links and a name that comes twice, also in another case', async () => {
    const path = zip([
      { name: '1.png', content: content('one') },
      { name: '1.PNG', content: content('again') },
      { name: 'link.png', content: content('/etc/passwd'), mode: 0o120777 },
    ]);
    expect(await read(path)).toEqual({ files: ['1.png=one'], refused: ['name-twice', 'file-not-regular'] });
  });

  it('refuses a bomb before anything is unpacked', async () => {
    const path = zip([{ name: 'bomb.png', content: Buffer.alloc(20_000_000), deflate: true }]);
    await expect(openSources([path])).rejects.toMatchObject({ id: 'import.archive-too-large' });
  });

  it('never unpacks more than an entry declares', async () => {
    const path = zip([{ name: '1.png', content: Buffer.alloc(100_000), deflate: true, claimed: 10 }]);
    const { entries, close } = await openSources([path]);
    await expect(entries[0]?.read(1_000)).rejects.toThrow();
    await close();
  });

  it.each([
    ['no zip file', content('no zip at all')],
    ['an empty file', content('')],
    ['a cut one', zipOf([{ name: '1.png', content: content('one') }]).subarray(0, 60)],
  ])('names %s as damaged', async (_, bytes) => {
    await expect(openSources([zip(bytes)])).rejects.toMatchObject({
      id: 'import.archive-damaged',
      code: 'invalid-input',
    });
  });
});

describe('a folder', () => {
  it('is read with its folders; links are named and not followed, dot files left out', async () => {
    mkdirSync(join(folder, 'a/b'), { recursive: true });
    writeFileSync(join(folder, 'a/1.png'), 'one');
    writeFileSync(join(folder, 'a/b/2.png'), 'two');
    writeFileSync(join(folder, 'a/.hidden'), 'x');
    symlinkSync('/etc/passwd', join(folder, 'a/link.png'));
    expect(await read(join(folder, 'a'))).toEqual({
      files: ['1.png=one', 'b/2.png=two'],
      refused: ['file-not-regular'],
    });
  });

  it('is refused if it is missing, or if its path is relative', async () => {
    await expect(openSources([join(folder, 'gone')])).rejects.toMatchObject({ id: 'import.path-missing' });
    await expect(openSources(['art'])).rejects.toMatchObject({ id: 'import.path-relative' });
  });
});

describe('an upload', () => {
  it('becomes a folder, takes pieces in order, and refuses paths out of it', async () => {
    const uploads = new ImportUploads(join(folder, 'imports'));
    await uploads.start(new Set());
    const { uploadId } = await uploads.begin();
    const append = (name: string, offset: number, text: string) =>
      uploads.append({ uploadId, name, offset, piece: content(text) });
    await append('images/1.png', 0, 'on');
    expect(await append('images/1.png', 2, 'e')).toEqual({ received: 3 });
    await append('2.png', 0, 'two');
    await expect(append('2.png', 0, 'two')).rejects.toMatchObject({ id: 'import.upload-order' });
    await expect(append('../2.png', 0, 'two')).rejects.toMatchObject({ id: 'import.upload-name' });
    await expect(append('/etc/x', 0, 'two')).rejects.toMatchObject({ id: 'import.upload-name' });
    expect((await read(uploads.path(uploadId))).files).toEqual(['2.png=two', 'images/1.png=one']);
    await uploads.remove(uploadId);
    await expect(append('3.png', 0, 'x')).rejects.toMatchObject({ code: 'not-found' });
    expect(() => uploads.path('../../..')).toThrow();
  });

  it('of two archives keeps both apart, though they hold the same names', async () => {
    const part = (text: string) => zipOf([{ name: '1.png', content: content(text) }]);
    mkdirSync(join(folder, 'both'));
    writeFileSync(join(folder, 'both/a.zip'), part('one'));
    expect((await read(join(folder, 'both'))).files).toEqual(['1.png=one']);
    writeFileSync(join(folder, 'both/b.zip'), part('two'));
    expect((await read(join(folder, 'both'))).files).toEqual(['a.zip/1.png=one', 'b.zip/1.png=two']);
  });
});
