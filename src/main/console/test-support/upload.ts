import { expect } from 'vitest';
import { UPLOAD_PIECE_BYTES } from '../../../contract/index.ts';
import type { ConsoleClient } from '../http-client.ts';

/** Hands over a file in pieces. @returns its SHA-256 */
export async function upload(client: ConsoleClient, bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const { uploadId } = await client.files.begin({ name: 'a.png', bytes: bytes.length, contentType: 'image/png' });
  for (let offset = 0; offset < bytes.length; offset += UPLOAD_PIECE_BYTES) {
    const piece = new Blob([bytes.subarray(offset, offset + UPLOAD_PIECE_BYTES)]);
    const { received } = await client.files.append({ uploadId, offset, piece });
    expect(received).toBe(Math.min(offset + UPLOAD_PIECE_BYTES, bytes.length));
  }
  const info = await client.files.finish({ uploadId });
  expect(info).toMatchObject({ name: 'a.png', contentType: 'image/png', bytes: bytes.length });
  return info.sha256;
}
