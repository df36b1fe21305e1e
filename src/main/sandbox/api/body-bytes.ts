import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { pause } from '../../pause.ts';

/**
 * Reads a body and lets others run in between: to put megabytes together at its end would hold them up.
 * @param declared its length where the request told it, which takes half the memory
 * @param limit bytes; of a larger one the rest is read and dropped, so that the client can read why
 * @throws what `tooLarge` or `cutOff` make
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

/** The length a request tells of its body, in bytes. */
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
