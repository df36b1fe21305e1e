import type { Drawn, PictureRequest } from '../picture-process.ts';
import { makeThumbnail } from './thumbnail.ts';

/** @returns the picture, or why there is none. @throws Error where it is no fault of what was to be drawn */
export async function draw(request: Exclude<PictureRequest, { type: 'end' }>): Promise<Drawn> {
  if (request.type === 'thumbnail') return makeThumbnail(request.path);
  if (request.type === 'resized') return makeThumbnail(request.content, request.side);
  // Loaded with the first certificate: loading the fonts takes longer than making a thumbnail.
  const { drawCertificate } = await import('./certificate.ts');
  return drawCertificate(request.page);
}
