import sharp, { type Sharp } from 'sharp';

// One picture at a time on one thread: what was decoded is of no use for the next one.
sharp.cache(false);
sharp.concurrency(1);
// What a picture claims to be means nothing: of all formats that could be read, only those of pictures made of pixels are, and drawings where they
// come as bytes, which can name no file beside them.
const PIXELS = ['Png', 'Jpeg', 'Nsgif', 'Webp', 'Heif', 'Tiff'];
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: [...PIXELS.map((format) => `${format}File`), ...[...PIXELS, 'Svg'].map((format) => `${format}Buffer`)].map(
    (loader) => `VipsForeignLoad${loader}`,
  ),
});

/** Pixels of a picture at most: a small file may say that it is millions of pixels wide. */
const MAX_PIXELS = 100_000_000;
const MAX_SECONDS = 15;

/**
 * Opens the first frame of a picture, upright.
 * @param source a path, or the bytes of a picture or a drawing
 */
export function decode(source: string | Uint8Array): Sharp {
  return sharp(source, { limitInputPixels: MAX_PIXELS, failOn: 'truncated', pages: 1 })
    .timeout({ seconds: MAX_SECONDS })
    .rotate();
}

/** Whether a picture has more pixels than {@link decode} takes; only its header is read. @param source a path, or its bytes */
export async function isTooLarge(source: string | Uint8Array): Promise<boolean> {
  try {
    const { width, height } = await sharp(source, { limitInputPixels: false }).metadata();
    return width * height > MAX_PIXELS;
  } catch {
    return false;
  }
}
