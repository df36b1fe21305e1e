import { z } from 'zod';
import { HEADER_BYTES } from '../../../chain/index.ts';
import { hashSchema, phrase } from '../../../contract/index.ts';
import { chunks } from '../../chunks.ts';
import type { SourceAnswer } from './http/source-client.ts';

/** How a short answer is asked for. */
export const JSON_ANSWER = { kind: 'json', limitBytes: 262_144, deadlineMs: 15_000 } as const;

export const placeSchema = z.object({ hash: hashSchema, height: z.number().int().min(0) });

/** An answer with another value. Any other answer stays what it is. */
export function mapped<T, U>(answer: SourceAnswer<T>, map: (value: T) => U): SourceAnswer<U> {
  return answer.state === 'present' ? { ...answer, value: map(answer.value) } : answer;
}

/** Asks for many in parts, one after the other, until one is not answered: what was answered of a part is no answer. */
export async function inParts<T, U>(
  all: readonly T[],
  size: number,
  ask: (some: readonly T[]) => Promise<SourceAnswer<readonly U[]>>,
): Promise<SourceAnswer<readonly U[]>> {
  const parts: (readonly U[])[] = [];
  let answer: SourceAnswer<readonly U[]> = { state: 'unknown', reason: phrase('reason.nothing-asked') };
  for (const some of chunks(all, size)) {
    answer = await ask(some);
    if (answer.state !== 'present') return answer;
    parts.push(answer.value);
  }
  return mapped(answer, () => parts.flat());
}

/** Reads an answer by its schema. Another shape than documented is no evidence of anything. */
export function shaped<T extends z.ZodType>(answer: SourceAnswer<unknown>, schema: T): SourceAnswer<z.infer<T>> {
  if (answer.state !== 'present') return answer;
  const read = schema.safeParse(answer.value);
  if (read.success) return { ...answer, value: read.data };
  return { state: 'unavailable', reason: phrase('reason.other-shape'), status: answer.status };
}

/** Whole headers, at least one. Half a file is no answer. */
export function wholeHeaders(answer: SourceAnswer<Uint8Array>): SourceAnswer<Uint8Array> {
  if (answer.state !== 'present') return answer;
  const { length } = answer.value;
  if (length > 0 && length % HEADER_BYTES === 0) return answer;
  return { state: 'unavailable', reason: phrase('reason.headers-cut'), status: answer.status };
}
