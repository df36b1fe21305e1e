import { z } from 'zod';
import { timestampSchema } from './common.ts';
import { failureSchema } from './errors/index.ts';
import { procedure } from './procedure.ts';

/** Where the price of a bitcoin comes from: what the person typed, or WhatsOnChain, which is asked only where it is chosen. */
export const currencySources = ['own', 'whatsonchain'] as const;

export const currencyRateSchema = z.object({
  /** ISO 4217. */
  code: z.string().regex(/^[A-Z]{3}$/),
  /** Units of the currency for one bitcoin (100,000,000 satoshis). */
  rate: z.number().positive(),
  source: z.enum(currencySources),
  /** Host that answered; null for a rate that was typed. */
  service: z.string().nullable(),
  /** When it was read; null for a rate that was typed. */
  at: timestampSchema.nullable(),
});
export type CurrencyRate = z.infer<typeof currencyRateSchema>;

export const currencyContract = {
  /** The rate that amounts are shown by. No request leaves unless a source is chosen, and then one in ten minutes at most. */
  rate: procedure.output(
    z.object({
      /** null where none is set, or none came yet. */
      rate: currencyRateSchema.nullable(),
      /** Why the last request brought none; an older rate stays. */
      failure: failureSchema.nullable(),
    }),
  ),
};
