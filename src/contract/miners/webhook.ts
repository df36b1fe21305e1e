import { z } from 'zod';
import { timestampSchema } from '../common.ts';
import { procedure } from '../procedure.ts';

/** The person's own address that receives the states of transactions. */
export const webhookStatusSchema = z.object({
  /** The setting `stateWebhook`; empty if it is off. */
  url: z.string(),
  /** Whether the secret that signs messages is stored; the secret itself is never returned. */
  hasSecret: z.boolean(),
  /** States that are not delivered yet. */
  waiting: z.number().int(),
  /** Failed attempts to deliver the oldest of them. */
  attempts: z.number().int(),
  /** Why the last attempt failed, and when the next one is due; null after a delivery. */
  failure: z.object({ text: z.string(), nextAt: timestampSchema }).nullable(),
});
export type WebhookStatus = z.infer<typeof webhookStatusSchema>;

export const webhookContract = {
  status: procedure.output(webhookStatusSchema),
  /** Stores the secret in the vault. */
  setSecret: procedure.input(z.object({ secret: z.string().min(16).max(256) })).output(webhookStatusSchema),
};
