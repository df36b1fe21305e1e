import { z } from 'zod';
import { timestampSchema } from './common.ts';
import { failureSchema } from './errors/index.ts';
import { procedure } from './procedure.ts';

/** Source of the price of a bitcoin: the person, or WhatsOnChain, which is asked only if it is chosen. */
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
  /** The rate used to show amounts. No request is sent unless a source is chosen, and then at most one in ten minutes. */
  rate: procedure.output(
    z.object({
      /** null if none is set, or none has arrived yet. */
      rate: currencyRateSchema.nullable(),
      /** Why the last request failed; an older rate is kept. */
      failure: failureSchema.nullable(),
    }),
  ),
};
