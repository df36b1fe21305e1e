import { z } from 'zod';
import { type ErrorId, errorEntries } from './catalogue.ts';
import { errorClasses, errorCodes } from './codes.ts';
import type { ErrorEntry } from './entry.ts';

/**
 * What crosses a process boundary instead of an exception. `hint` names the fix; `detail` holds figures worth showing. `id` and `values`
 * name the message and what it was filled with, so that a reader can show it in another language; they are absent where the text came
 * from elsewhere or is older than the catalogue.
 */
export const failureSchema = z.object({
  code: z.enum(errorCodes),
  message: z.string(),
  hint: z.string().optional(),
  detail: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
  id: z.string().optional(),
  values: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
});

export type Failure = z.infer<typeof failureSchema>;

/** True where another party gave no answer, or asked to be called later: the same request may succeed unchanged. */
export function isPassing({ code }: Pick<Failure, 'code'>): boolean {
  return code === 'upstream-unreachable' || code === 'upstream-timeout' || code === 'upstream-error';
}

/** The HTTP status of a failure: that of its message, else that of its code. */
export function httpStatusOf({ id, code }: Pick<Failure, 'id' | 'code'>): number {
  const entry: ErrorEntry | undefined = id === undefined ? undefined : errorEntries[id as ErrorId];
  return entry?.httpStatus ?? errorClasses[code].httpStatus;
}
