import { decode } from './decoder.ts';

/** Length of the longer side. */
const SIDE = 320;

/**
 * Makes a small WebP picture of a large one.
 * @param path of the picture
 * @returns null where the file is no picture that can be read
 */
export async function makeThumbnail(path: string): Promise<Uint8Array | null> {
  try {
    return await decode(path)
      .resize({ width: SIDE, height: SIDE, fit: 'inside', withoutEnlargement: true, kernel: 'lanczos3' })
      .webp({ quality: 80, effort: 2 })
      .toBuffer();
  } catch {
    return null;
  }
}
