import { explained, notJsonRpc, notRest, tooManyCalls } from '../errors.ts';
import type { Asked, HttpResponse } from '../http-request.ts';

/** @param now milliseconds since 1970 @throws PlanchetError if an answer asks for fewer calls */
export function refuseTooManyCalls(origin: string, answer: HttpResponse, now: number): void {
  const refused = tooManyCalls(origin, answer, now);
  if (refused === undefined) return;
  void answer.rest?.return?.();
  throw refused;
}

/** @throws PlanchetError if an answer does not begin like a node's */
export function acceptRpc(origin: string, answer: HttpResponse, isList: boolean | undefined, timeoutMs: number): Asked {
  const { rest, bytes, status } = answer;
  if (isList === true || looksLikeObject(bytes)) return asked(origin, answer, timeoutMs);
  void rest?.return?.();
  throw notJsonRpc(origin, status);
}

/** @param type what the path answers with; a refusal is plain text @throws PlanchetError if an answer is of another type */
export async function acceptRest(
  origin: string,
  answer: HttpResponse,
  type: string,
  timeoutMs: number,
): Promise<Asked> {
  const { status, headers, rest } = answer;
  const [given = ''] = String(headers['content-type'] ?? '').split(';', 1);
  if (given.trim().toLowerCase() !== (status < 300 ? type : 'text/plain')) {
    await rest?.return?.();
    throw notRest(origin, status);
  }
  return asked(origin, answer, timeoutMs);
}

function asked(origin: string, answer: HttpResponse, timeoutMs: number): Asked {
  return { ...answer, origin, rest: answer.rest && explained(answer.rest, origin, timeoutMs) };
}

/** Whether an answer starts like a JSON object. */
function looksLikeObject(bytes: Buffer): boolean {
  return bytes[0] === 0x7b || bytes.toString('latin1', 0, 64).trimStart()[0] === '{';
}
