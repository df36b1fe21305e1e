import { z } from 'zod';
import { hashSchema, timestampSchema } from '../common.ts';
import { failureSchema } from '../errors/index.ts';
import { procedure } from '../procedure.ts';
import { merchantKeySchema, quoteSourceSchema } from './keys.ts';

/** Which API a miner's endpoint speaks: the merchant API (mAPI 1.2 to 1.5) or ARC. */
export const minerKindSchema = z.enum(['mapi', 'arc']);
export type MinerKind = z.infer<typeof minerKindSchema>;

/** Satoshis per number of bytes. */
const feeRateSchema = z.object({ satoshis: z.number().int().min(0), bytes: z.number().int().min(1) });

/** What a miner charges and allows, as its last quote or policy said. */
export const minerQuoteSchema = z.object({
  standard: feeRateSchema,
  data: feeRateSchema,
  /** Rates for passing a transaction on without mining it; null where the miner names none. */
  relay: z.object({ standard: feeRateSchema, data: feeRateSchema }).nullable(),
  /** When this was read. */
  at: timestampSchema,
  /** When it ends, by this machine's clock. */
  expiresAt: timestampSchema,
  apiVersion: z.string().nullable(),
  /** Limits by the name that the miner gives them, for example `maxtxsizepolicy`. */
  policies: z.record(z.string(), z.union([z.number(), z.boolean(), z.string(), z.array(z.string())])),
  highestBlock: z.object({ hash: hashSchema, height: z.number().int() }).nullable(),
  /** Who signed it; null for an API that signs nothing (ARC). */
  source: quoteSourceSchema.nullable(),
});
export type MinerQuote = z.infer<typeof minerQuoteSchema>;

/** An endpoint that transactions are submitted to. */
export const minerSchema = z.object({
  id: z.string(),
  name: z.string(),
  kind: minerKindSchema,
  /** Without credentials. */
  url: z.string(),
  enabled: z.boolean(),
  /** The address of the setting `mapiUrl` or of the sandbox, which is changed there. */
  builtIn: z.boolean(),
  /** Whether an API key is stored for it; the key itself is never returned. */
  hasKey: z.boolean(),
  quote: minerQuoteSchema.nullable(),
  /** Why the last request failed; null if it did not. */
  failure: failureSchema.nullable(),
  /** The key that signs its answers; null before the first answer, and for ARC. */
  key: merchantKeySchema.nullable(),
  /** Requests since the program started. */
  requests: z.object({ succeeded: z.number().int(), failed: z.number().int() }),
  /** Median of the last requests in milliseconds; null before the first. */
  latencyMs: z.number().nullable(),
});
export type Miner = z.infer<typeof minerSchema>;

/** Procedures of the endpoints of miners. The order of the list is the order in which they are tried. */
export const minersContract = {
  list: procedure.output(z.array(minerSchema)),
};
