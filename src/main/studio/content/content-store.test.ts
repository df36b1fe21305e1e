import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UPLOAD_PIECE_BYTES } from '../../../contract/index.ts';
import type { Store } from '../../ports/store.ts';
import { openStore } from '../../store/store.ts';
import { StillClock } from '../../test-support/still-clock.ts';
import { type StudioTables, studioMigrations } from '../tables.ts';
import { ContentStore, type UploadDisk } from './content-store.ts';

let dataDir: string;
let folder: string;
let store: Store<StudioTables>;
let clock: StillClock;
let files: ContentStore;
let maxBytes: number;

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'planchet-files-'));
  folder = join(dataDir, 'files');
  store = await openStore<StudioTables>({ file: join(dataDir, 'p.db'), migrations: studioMigrations });
  clock = new StillClock(1_000_000);
  maxBytes = 3_000_000;
  await open();
});

afterEach(async () => {
  await files.stop();
  await store.close();
  rmSync(dataDir, { recursive: true, force: true });
});

async function open(disk?: UploadDisk): Promise<void> {
  files = new ContentStore({ folder, store, clock, maxBytes: () => maxBytes, ...(disk ? { disk } : {}) });
  await files.start();
}

async function upload(content: Uint8Array, name = 'art.png', contentType = '', piece = UPLOAD_PIECE_BYTES) {
  const { uploadId } = await files.begin({ name, bytes: content.length, contentType });
  for (let offset = 0; offset < content.length; offset += piece) {
    await files.append({ uploadId, offset, piece: content.subarray(offset, offset + piece) });
  }
  return files.finish(uploadId);
}

const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe('ContentStore', () => {
  it('keeps a file that comes in pieces under its digest', async () => {
    const content = randomBytes(2_500_000);
    const info = await upload(content, 'art.bin', 'image/PNG; Charset=x');
    expect(info).toEqual({
      sha256: digest(content),
      name: 'art.bin',
      contentType: 'image/png;charset=x',
      bytes: 2_500_000,
    });
    expect(readdirSync(folder)).toEqual([info.sha256]);
    const blob = await files.blob(info.sha256);
    expect(blob.type).toBe('image/png;charset=x');
    expect(Buffer.from(await blob.arrayBuffer()).equals(content)).toBe(true);
    expect(await files.info(info.sha256)).toEqual(info);
  });

  it('stores the same file only once', async () => {
    const first = await upload(Buffer.from('same'), 'a.txt');
    const second = await upload(Buffer.from('same'), 'b.md');
    expect(second).toMatchObject({ sha256: first.sha256, name: 'b.md', contentType: 'text/markdown;charset=utf-8' });
    expect(readdirSync(folder)).toEqual([first.sha256]);
  });

  it('reads a file of any size in pieces ready for base64', async () => {
    const property = fc.asyncProperty(fc.integer({ min: 1, max: 600_000 }), async (size) => {
      const content = randomBytes(size);
      const { sha256 } = await upload(content);
      let text = '';
      for await (const piece of files.pieces(sha256)) text += piece.toString('base64');
      expect(text).toBe(content.toString('base64'));
    });
    await fc.assert(property, { numRuns: 15 });
  });

  it('refuses an empty file, one over the limit, and a content type that is none, before anything is sent', async () => {
    const begin = (bytes: number, contentType = '') => files.begin({ name: 'a.png', bytes, contentType });
    await expect(begin(0)).rejects.toMatchObject({ code: 'file-empty' });
    await expect(begin(3_000_001)).rejects.toMatchObject({ code: 'file-too-large', detail: { limit: 3_000_000 } });
    await expect(begin(100_000_000)).rejects.toMatchObject({ code: 'file-too-large' });
    await expect(begin(1, 'not a type')).rejects.toMatchObject({ code: 'content-type-unknown' });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('refuses pieces beyond the announced size or a lowered limit, and deletes the upload', async () => {
    const { uploadId } = await files.begin({ name: 'a.png', bytes: 10, contentType: '' });
    await expect(files.append({ uploadId, offset: 0, piece: randomBytes(11) })).rejects.toMatchObject({
      code: 'invalid-input',
    });
    const second = await files.begin({ name: 'a.png', bytes: 100, contentType: '' });
    maxBytes = 50;
    await expect(files.append({ uploadId: second.uploadId, offset: 0, piece: randomBytes(51) })).rejects.toMatchObject({
      code: 'file-too-large',
    });
    expect(readdirSync(folder)).toEqual([]);
    await expect(files.finish(second.uploadId)).rejects.toMatchObject({ code: 'not-found' });
  });

  it('accepts pieces in order only, and finishes complete files only', async () => {
    const content = randomBytes(30);
    const { uploadId } = await files.begin({ name: 'a.png', bytes: 30, contentType: '' });
    const append = (offset: number, end: number) =>
      files.append({ uploadId, offset, piece: content.subarray(offset, end) });
    expect(await append(0, 10)).toEqual({ received: 10 });
    await expect(append(0, 10)).rejects.toMatchObject({ code: 'conflict', detail: { received: 10 } });
    await expect(append(20, 30)).rejects.toMatchObject({ code: 'conflict' });
    await expect(files.finish(uploadId)).rejects.toMatchObject({ code: 'invalid-input' });
    await Promise.all([append(10, 20), append(20, 30)]);
    expect((await files.finish(uploadId)).sha256).toBe(digest(content));
  });

  it('reports a full disk and leaves no partial file', async () => {
    let room = 1_500_000;
    await files.stop();
    await open({
      write: async (file, bytes, position) => {
        const fits = Math.min(room, bytes.length);
        room -= fits;
        await file.write(bytes, 0, fits, position);
        if (fits < bytes.length) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
      },
    });
    await expect(upload(randomBytes(2_500_000))).rejects.toMatchObject({ code: 'disk-full', hint: /Free some room/ });
    expect(readdirSync(folder)).toEqual([]);
    expect(await store.db.selectFrom('studio_files').selectAll().execute()).toEqual([]);
    room = 10_000;
    expect((await upload(randomBytes(1_000))).bytes).toBe(1_000);
  });

  it('refuses a file of unknown type, unless the client names the type', async () => {
    await expect(upload(Buffer.from('??'), 'thing.xyz')).rejects.toMatchObject({ code: 'content-type-unknown' });
    expect(readdirSync(folder)).toEqual([]);
    expect((await upload(Buffer.from('??'), 'thing.xyz', 'application/x-thing')).contentType).toBe(
      'application/x-thing',
    );
  });

  it('aborts an upload at any time, and drops abandoned uploads', async () => {
    const first = await files.begin({ name: 'a.png', bytes: 10, contentType: '' });
    const second = await files.begin({ name: 'a.png', bytes: 10, contentType: '' });
    await files.abort(first.uploadId);
    await files.abort(first.uploadId);
    expect(readdirSync(folder)).toHaveLength(1);
    for (let hour = 0; hour < 8; hour++) clock.advance(600_000);
    await expect.poll(() => readdirSync(folder)).toEqual([]);
    await expect(files.finish(second.uploadId)).rejects.toMatchObject({ code: 'not-found' });
  });

  it('removes the parts of a killed run, and files that no item used for a day, at the next start', async () => {
    const { sha256 } = await upload(Buffer.from('unused'), 'a.txt');
    writeFileSync(join(folder, 'left.part'), 'half');
    await files.stop();
    await open();
    expect(readdirSync(folder)).toEqual([sha256]);
    await files.stop();
    clock.advance(25 * 3_600_000);
    await open();
    expect(readdirSync(folder)).toEqual([]);
    await expect(files.blob(sha256)).rejects.toMatchObject({ code: 'file-not-found' });
  });

  it('never reads a damaged file to its end, and repairs it when the same content is stored again', async () => {
    for (const size of [100, 500_000]) {
      const content = randomBytes(size);
      const { sha256 } = await upload(content);
      const damaged = Buffer.from(content);
      damaged[size - 1] = (damaged[size - 1] as number) ^ 1;
      writeFileSync(join(folder, sha256), damaged);
      let given = 0;
      const whole = (async () => {
        for await (const piece of files.pieces(sha256)) given += piece.length;
      })();
      await expect(whole).rejects.toMatchObject({ id: 'content.file-damaged' });
      expect(given).toBeLessThan(size);
      await files.addAll([{ name: 'again.png', bytes: content, contentType: 'image/png' }]);
      const pieces: Buffer[] = [];
      for await (const piece of files.pieces(sha256)) pieces.push(piece);
      expect(Buffer.concat(pieces).equals(content)).toBe(true);
    }
  });

  it('reports a file that was removed from the folder as missing', async () => {
    const { sha256 } = await upload(Buffer.from('gone'), 'a.txt');
    rmSync(join(folder, sha256));
    await expect(files.info(sha256)).rejects.toMatchObject({ code: 'file-not-found' });
  });
});
