import type { Drawn } from '../picture-process.ts';
import { decode, isTooLarge } from './decoder.ts';

/** Length of the longer side. */
const SIDE = 320;

/**
 * Makes a small WebP picture of a large one.
 * @param path of the picture
 * @returns `too-large` where it has more pixels than are decoded, null where no decoder opens it
 */
export async function makeThumbnail(path: string): Promise<Drawn> {
  try {
    return await decode(path)
      .resize({ width: SIDE, height: SIDE, fit: 'inside', withoutEnlargement: true, kernel: 'lanczos3' })
      .webp({ quality: 80, effort: 2 })
      .toBuffer();
  } catch {
    return (await isTooLarge(path)) ? 'too-large' : null;
  }
}
