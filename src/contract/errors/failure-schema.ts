import { z } from 'zod';
import { phraseSchema } from '../phrases/phrase-schema.ts';
import { errorCodes } from './codes.ts';

const valueSchema = z.union([z.string(), z.number()]);

/** Another failure that a message names as the reason: its text in the message, its hint in the hint. Without an id it is in the words of another program. */
export const causeSchema = z.object({
  message: z.string(),
  hint: z.string().optional(),
  id: z.string().optional(),
  values: z.record(z.string(), z.union([valueSchema, phraseSchema])).optional(),
});
export type Cause = z.infer<typeof causeSchema>;

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
  retryable: z.boolean().optional(),
  id: z.string().optional(),
  values: z.record(z.string(), z.union([valueSchema, phraseSchema, z.array(causeSchema)])).optional(),
});

export type Failure = z.infer<typeof failureSchema>;
