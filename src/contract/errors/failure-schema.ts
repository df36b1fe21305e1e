import { z } from 'zod';
import { errorCodes } from './codes.ts';

const valueSchema = z.union([z.string(), z.number()]);
/** A sentence of the host by its id in `src/contract/phrases`. */
const sentenceSchema = z.object({ key: z.string(), values: z.record(z.string(), valueSchema) });

/** Another failure that a message names as the reason: its text in the message, its hint in the hint. Without an id it is in the words of another program. */
export const causeSchema = z.object({
  message: z.string(),
  hint: z.string().optional(),
  id: z.string().optional(),
  values: z.record(z.string(), z.union([valueSchema, sentenceSchema])).optional(),
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
  values: z.record(z.string(), z.union([valueSchema, sentenceSchema, z.array(causeSchema)])).optional(),
});

/** What stands for a placeholder as a sentence of its own. */
export type Sentence = z.infer<typeof sentenceSchema>;

export type Failure = z.infer<typeof failureSchema>;
