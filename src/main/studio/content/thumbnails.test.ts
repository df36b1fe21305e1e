import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PlanchetError } from '../../../contract/index.ts';
import { systemClock } from '../../clock.ts';
import { createPictures } from '../../pictures/pictures.ts';
import { WatchedPictures } from '../../pictures/test-support/watched-pictures.ts';
import type { Pictures } from '../../ports/pictures.ts';
import { createThumbnails, type Thumbnails } from './thumbnails.ts';

let dataDir: string;
let folder: string;
let thumbnails: Thumbnails;
let processes: WatchedPictures;
let pictures: Pictures;
const types = new Map<string, string>();

const files = {
  path: (sha256: string) => join(dataDir, 'files', sha256),
  info: async (sha256: string) => {
    const contentType = types.get(sha256);
    if (contentType === undefined) throw new PlanchetError('content.file-missing', { sha256 });
    return { sha256, name: 'art', contentType, bytes: 1 };
  },
};

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'planchet-thumbnails-'));
  folder = join(dataDir, 'thumbnails');
  mkdirSync(join(dataDir, 'files'));
  processes = new WatchedPictures();
  pictures = createPictures({ start: processes.start, clock: systemClock });
  thumbnails = createThumbnails({ folder, files, pictures });
});

afterEach(async () => {
  await thumbnails.stop();
  types.clear();
  rmSync(dataDir, { recursive: true, force: true });
});

function keep(bytes: Uint8Array, contentType: string): string {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  writeFileSync(files.path(sha256), bytes);
  types.set(sha256, contentType);
  return sha256;
}

const picture = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#b4692e' } });

describe('thumbnails of contents', () => {
  it.each(['png', 'jpeg', 'gif', 'webp', 'avif', 'tiff'] as const)('are made of %s', async (format) => {
    const sha256 = keep(await picture(400, 400).toFormat(format).toBuffer(), `image/${format}`);
    expect((await thumbnails.get(sha256))?.size).toBeGreaterThan(50);
  });

  it('are made by a new process if one ends, and no request is left waiting', async () => {
    const bytes = await Promise.all([400, 500, 600].map((width) => picture(width, 400).png().toBuffer()));
    processes.toKill = 1;
    const made = await Promise.all(bytes.map((each) => thumbnails.get(keep(each, 'image/png'))));
    expect(processes.ended).toEqual(['SIGKILL']);
    expect(made.map((blob) => blob?.type)).toEqual(['image/webp', 'image/webp', 'image/webp']);
  });

  it('are small WebP pictures with the proportions of the content, made once', async () => {
    const sha256 = keep(await picture(1_600, 800).png().toBuffer(), 'image/png');
    const [first, second] = await Promise.all([thumbnails.get(sha256), thumbnails.get(sha256)]);
    expect(second).toBe(first);
    expect(first?.type).toBe('image/webp');
    const made = await sharp(join(folder, sha256)).metadata();
    expect([made.format, made.width, made.height]).toEqual(['webp', 320, 160]);
    const { mtimeMs } = statSync(join(folder, sha256));
    expect((await thumbnails.get(sha256))?.size).toBe(first?.size);
    expect(statSync(join(folder, sha256)).mtimeMs).toBe(mtimeMs);
  });

  it('are kept over a restart, and for the next run of the program', async () => {
    const sha256 = keep(await picture(600, 600).png().toBuffer(), 'image/png');
    const first = await thumbnails.get(sha256);
    const { mtimeMs } = statSync(join(folder, sha256));
    await thumbnails.stop();
    thumbnails = createThumbnails({ folder, files, pictures });
    await thumbnails.start();
    // The picture itself is no longer needed for it.
    writeFileSync(files.path(sha256), 'other bytes');
    expect((await thumbnails.get(sha256))?.size).toBe(first?.size);
    expect(statSync(join(folder, sha256)).mtimeMs).toBe(mtimeMs);
  });

  it('are never larger than the picture, and show the first frame of an animation', async () => {
    const small = keep(await picture(24, 24).gif().toBuffer(), 'image/gif');
    await thumbnails.get(small);
    const made = await sharp(join(folder, small)).metadata();
    expect([made.width, made.height, made.pages ?? 1]).toEqual([24, 24, 1]);
  });

  it('are missing for bytes that are no picture, and for pictures of too many pixels; that is remembered', async () => {
    const noise = keep(randomBytes(2_000), 'image/png');
    const bomb = keep(await picture(16_000, 7_000).png({ compressionLevel: 1 }).toBuffer(), 'image/png');
    expect(await thumbnails.get(noise)).toBeNull();
    expect(await thumbnails.get(bomb)).toBeNull();
    const unreadable = (sha256: string) => thumbnails.isUnreadable({ sha256, contentType: 'image/png' });
    expect([await unreadable(noise), await unreadable(bomb)]).toEqual([true, false]);
    expect([await thumbnails.get(noise), await thumbnails.get(bomb)]).toEqual([null, null]);
    expect(processes.asked).toEqual(['thumbnail', 'thumbnail']);
    expect(
      readdirSync(folder)
        .map((name) => readFileSync(join(folder, name), 'latin1'))
        .sort(),
    ).toEqual(['too-large', 'unreadable']);
  });

  it('are tried again after a restart where decoding took too long, which makes no picture unreadable', async () => {
    const sha256 = keep(await picture(20, 20).png().toBuffer(), 'image/png');
    const thumbnail = vi.spyOn(pictures, 'thumbnail').mockResolvedValueOnce('too-slow');
    expect(await thumbnails.isUnreadable({ sha256, contentType: 'image/png' })).toBe(false);
    expect([await thumbnails.get(sha256), await thumbnails.get(sha256)]).toEqual([null, null]);
    expect(thumbnail).toHaveBeenCalledTimes(1);
    thumbnails = createThumbnails({ folder, files, pictures });
    expect((await thumbnails.get(sha256))?.size).toBeGreaterThan(50);
  });

  it('tell pictures that crash the decoder from readable ones, and retry those that an earlier version gave up', async () => {
    const deadly = keep(await picture(20, 20).png().toBuffer(), 'image/png');
    processes.toKill = 2;
    expect(await thumbnails.isUnreadable({ sha256: deadly, contentType: 'image/png' })).toBe(true);
    const fine = keep(await picture(30, 30).png().toBuffer(), 'image/png');
    mkdirSync(folder);
    writeFileSync(join(folder, fine), '');
    expect(await thumbnails.isUnreadable({ sha256: fine, contentType: 'image/png' })).toBe(false);
    const text = keep(Buffer.from('text'), 'text/plain');
    expect(await thumbnails.isUnreadable({ sha256: text, contentType: 'text/plain' })).toBe(false);
  });

  it('are never made of SVG or text, which could load something', async () => {
    const svg = keep(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'image/svg+xml');
    const posing = keep(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'), 'image/png');
    expect(await thumbnails.get(svg)).toBeNull();
    expect(await thumbnails.get(posing)).toBeNull();
  });

  it('refuse a content that is not stored, and go when their content is gone', async () => {
    await expect(thumbnails.get('00'.repeat(32))).rejects.toMatchObject({ code: 'file-not-found' });
    const sha256 = keep(await picture(10, 10).png().toBuffer(), 'image/png');
    await thumbnails.get(sha256);
    writeFileSync(join(folder, 'x.part'), '');
    await thumbnails.start();
    expect(readdirSync(folder)).toEqual([sha256]);
    rmSync(files.path(sha256));
    await thumbnails.start();
    expect(readdirSync(folder)).toEqual([]);
  });
});

it('leaves no part of a thumbnail that cannot be written', async () => {
  const name = 'of/no/folder';
  const source = keep(await picture(40, 40).png().toBuffer(), 'image/png');
  mkdirSync(join(files.path(name), '..'), { recursive: true });
  writeFileSync(files.path(name), readFileSync(files.path(source)));
  types.set(name, 'image/png');
  await expect(thumbnails.get(name)).rejects.toMatchObject({ code: 'ENOENT' });
  expect(readdirSync(folder)).toEqual([]);
});
