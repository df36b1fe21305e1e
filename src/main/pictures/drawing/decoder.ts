import sharp, { type Sharp } from 'sharp';

// One picture at a time on one thread: what was decoded is of no use for the next one.
sharp.cache(false);
sharp.concurrency(1);
// The decoder picks the format by the content, whatever the file claims to be, so all formats are blocked but these. SVG is read from bytes only:
// read from a file, it could name other files.
const PIXELS = ['Png', 'Jpeg', 'Nsgif', 'Webp', 'Heif', 'Tiff'];
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: [...PIXELS.map((format) => `${format}File`), ...[...PIXELS, 'Svg'].map((format) => `${format}Buffer`)].map(
    (loader) => `VipsForeignLoad${loader}`,
  ),
});

/** Most pixels of a picture: a small file may declare millions of pixels. */
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
