import type { Drawn } from '../picture-process.ts';
import { decode, isTooLarge } from './decoder.ts';

/** Length of the longer side. */
const SIDE = 320;

/**
 * Makes a small WebP picture of a large one.
 * @param source the path of the picture, or its bytes
 * @param side length of the longer side in pixels; a smaller picture keeps its own
 * @returns `too-large` where it has more pixels than are decoded, `too-slow` where that took too long, null where no decoder opens it
 */
export async function makeThumbnail(source: string | Uint8Array, side = SIDE): Promise<Drawn> {
  try {
    return await decode(source)
      .resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true, kernel: 'lanczos3' })
      .webp({ quality: 80, effort: 2 })
      .toBuffer();
  } catch (error) {
    // The decoder says "timeout: 16% complete", and which of its steps it ended.
    if (/^timeout: /m.test((error as Error).message)) return 'too-slow';
    return (await isTooLarge(source)) ? 'too-large' : null;
  }
}
