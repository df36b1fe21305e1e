import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { pause } from '../../pause.ts';

/**
 * Reads a body in chunks and yields to the event loop in between, because concatenating megabytes at the end would block it.
 * @param declared Content-Length, if known; halves the memory needed
 * @param limit maximum bytes. The rest of a larger body is read and discarded, so that the client can read the error response
 * @throws the errors created by `tooLarge` and `cutOff`
 */
export async function readBytes(payload: Readable, { declared, limit, tooLarge, cutOff }: BodyBounds): Promise<Buffer> {
  const whole = declared === undefined ? undefined : Buffer.allocUnsafeSlow(Math.min(declared, limit));
  const parts: Buffer[] = [];
  let bytes = 0;
  await new Promise<void>((resolve, reject) => {
    if (declared !== undefined && declared > limit) {
      payload.resume();
      reject(tooLarge());
      return;
    }
    const take = (part: Buffer): void => {
      bytes += part.length;
      if (bytes > (whole?.length ?? limit)) {
        payload.off('data', take).resume();
        reject(tooLarge());
      } else if (whole === undefined) parts.push(part);
      else part.copy(whole, bytes - part.length);
    };
    payload.on('data', take);
    payload.once('end', resolve);
    payload.once('error', reject);
    payload.once('close', () => reject(cutOff()));
  });
  if (whole === undefined) return joined(parts, bytes);
  if (bytes < whole.length) throw cutOff();
  return whole;
}

export interface BodyBounds {
  readonly declared: number | undefined;
  readonly limit: number;
  readonly tooLarge: () => Error;
  readonly cutOff: () => Error;
}

export function declaredBytes(headers: IncomingHttpHeaders): number | undefined {
  const length = headers['content-length'];
  return length === undefined ? undefined : Number(length);
}

async function joined(parts: readonly Buffer[], bytes: number): Promise<Buffer> {
  if (parts.length === 1) return parts[0] as Buffer;
  const whole = Buffer.allocUnsafeSlow(bytes);
  let at = 0;
  for (const part of parts) {
    await pause();
    at += part.copy(whole, at);
  }
  return whole;
}
