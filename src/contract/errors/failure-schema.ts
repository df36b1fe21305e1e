import { z } from 'zod';
import { phraseSchema } from '../phrases/phrase-schema.ts';
import { errorCodes } from './codes.ts';

const valueSchema = z.union([z.string(), z.number()]);

/** Another failure that a message gives as the reason: its text in the message, its hint in the hint. Without an id it is in the words of another program. */
export const causeSchema = z.object({
  message: z.string(),
  hint: z.string().optional(),
  id: z.string().optional(),
  values: z.record(z.string(), z.union([valueSchema, phraseSchema])).optional(),
});
export type Cause = z.infer<typeof causeSchema>;

/**
 * The form of an exception between processes. `hint` names the fix; `detail` contains figures to show. `id` and `values`
 * identify the message and its values, so that the receiver can translate it; they are absent if the text came
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
