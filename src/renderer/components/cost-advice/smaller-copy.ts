/** Image types that can be copied here. A copy keeps transparency as WebP, and is a JPEG if nothing is transparent. */
const copiedTypes = ['image/jpeg', 'image/png', 'image/webp'];
/** Largest size of a copy in bytes. Only larger files are copied. */
export const COPY_BYTES = 300_000;
/** Minimum ratio of the sizes of a file and its copy. */
const WORTH = 1.25;
/** Minimum length of the longer side of a copy, in pixels. */
const LEAST_SIDE = 600;
const QUALITY = 0.82;
/** Drawings have few colours, and a copy would blur their edges. Side length of the sample, in pixels. */
const SAMPLE = 128;
const PHOTO_COLOURS = 2_000;
/** Rows that are searched for a transparent pixel at once. */
const ROWS = 256;
const HEAD_BYTES = 65_536;

/** Why no copy is made. */
export type Kept = 'animated' | 'drawing' | 'small' | 'unreadable';

/** Whether a smaller copy may be possible, without reading the file. */
export function mayShrink({ contentType, bytes }: { contentType: string; bytes: number }): boolean {
  return copiedTypes.includes(contentType.split(';')[0] as string) && bytes > COPY_BYTES * WORTH;
}

/** Whether a PNG or WebP is animated: it has an animation chunk before its first picture. */
export function isAnimated(head: Uint8Array): boolean {
  const text = new TextDecoder('latin1').decode(head);
  if (text.startsWith('RIFF') && text.slice(8, 16) === 'WEBPVP8X') return ((head[20] ?? 0) & 0x02) !== 0;
  const data = text.indexOf('IDAT');
  return text.slice(1, 4) === 'PNG' && text.slice(0, data === -1 ? undefined : data).includes('acTL');
}

/**
 * Makes a smaller copy of a photo. The copy never has more bytes or pixels than the photo.
 * @param file with its type
 * @returns the copy, or why there is none
 */
export async function smallerCopy(file: Blob): Promise<Blob | Kept> {
  if (isAnimated(new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer()))) return 'animated';
  const picture = await createImageBitmap(file).catch(() => undefined);
  if (picture === undefined) return 'unreadable';
  try {
    const isJpeg = file.type.startsWith('image/jpeg');
    if (!isJpeg && !isPhoto(picture)) return 'drawing';
    const type = isJpeg || !hasTransparency(picture) ? 'image/jpeg' : 'image/webp';
    const copy = await fitted(picture, type);
    return copy !== undefined && copy.size * WORTH < file.size ? copy : 'small';
  } finally {
    picture.close();
  }
}

/** The largest copy within the limit; undefined if it would have too few pixels. */
async function fitted(picture: ImageBitmap, type: string): Promise<Blob | undefined> {
  const side = Math.max(picture.width, picture.height);
  const least = Math.min(1, LEAST_SIDE / side);
  let scale = 1;
  for (;;) {
    const copy = await drawn(picture, scale).convertToBlob({ type, quality: QUALITY });
    // A browser that cannot encode a type writes PNG, which is larger.
    if (copy.type !== type) return undefined;
    if (copy.size <= COPY_BYTES) return copy;
    if (scale === least) return undefined;
    // The size in bytes follows the area. The factor is slightly smaller to need few attempts.
    scale = Math.max(least, scale * Math.min(0.9, Math.sqrt(COPY_BYTES / copy.size) * 0.97));
  }
}

function drawn(picture: ImageBitmap, scale: number): OffscreenCanvas {
  const canvas = new OffscreenCanvas(
    Math.max(1, Math.round(picture.width * scale)),
    Math.max(1, Math.round(picture.height * scale)),
  );
  const pen = canvas.getContext('2d') as OffscreenCanvasRenderingContext2D;
  pen.imageSmoothingQuality = 'high';
  pen.drawImage(picture, 0, 0, canvas.width, canvas.height);
  return canvas;
}

function pixelsOf(canvas: OffscreenCanvas): Uint8ClampedArray {
  const pen = canvas.getContext('2d') as OffscreenCanvasRenderingContext2D;
  return pen.getImageData(0, 0, canvas.width, canvas.height).data;
}

/** Whether a sample of its pixels has as many colours as a photo. */
function isPhoto(picture: ImageBitmap): boolean {
  const canvas = new OffscreenCanvas(Math.min(SAMPLE, picture.width), Math.min(SAMPLE, picture.height));
  const pen = canvas.getContext('2d') as OffscreenCanvasRenderingContext2D;
  pen.imageSmoothingEnabled = false;
  pen.drawImage(picture, 0, 0, canvas.width, canvas.height);
  const pixels = pixelsOf(canvas);
  const colours = new Set<number>();
  for (let at = 0; at < pixels.length; at += 4)
    colours.add(((pixels[at] ?? 0) << 16) | ((pixels[at + 1] ?? 0) << 8) | (pixels[at + 2] ?? 0));
  return colours.size >= PHOTO_COLOURS;
}

function hasTransparency(picture: ImageBitmap): boolean {
  for (let top = 0; top < picture.height; top += ROWS) {
    const canvas = new OffscreenCanvas(picture.width, Math.min(ROWS, picture.height - top));
    const pen = canvas.getContext('2d') as OffscreenCanvasRenderingContext2D;
    pen.drawImage(picture, 0, -top);
    const pixels = pixelsOf(canvas);
    for (let at = 3; at < pixels.length; at += 4) if ((pixels[at] ?? 255) < 255) return true;
  }
  return false;
}
