import sharp from 'sharp';

/** Pixels of a picture at most: a small file may say that it is millions of pixels wide. */
const MAX_PIXELS = 100_000_000;
/** Length of the longer side. */
const SIDE = 320;
const MAX_SECONDS = 15;

// One picture at a time on one thread: what was decoded is of no use for the next one.
sharp.cache(false);
sharp.concurrency(1);
// What a file claims to be means nothing: of all formats that could be read, only those of pictures made of pixels are.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: ['Png', 'Jpeg', 'Nsgif', 'Webp', 'Heif', 'Tiff'].map((format) => `VipsForeignLoad${format}File`),
});

/**
 * Runs in a worker thread: makes a small WebP picture of a large one.
 * @param path of the picture
 * @returns null where the file is no picture that can be read
 */
export default async function makeThumbnail(path: string): Promise<Uint8Array | null> {
  try {
    return await sharp(path, { limitInputPixels: MAX_PIXELS, failOn: 'truncated', pages: 1 })
      .timeout({ seconds: MAX_SECONDS })
      .rotate()
      .resize({ width: SIDE, height: SIDE, fit: 'inside', withoutEnlargement: true, kernel: 'lanczos3' })
      .webp({ quality: 80, effort: 2 })
      .toBuffer();
  } catch {
    return null;
  }
}
