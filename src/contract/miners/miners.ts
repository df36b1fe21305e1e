import { z } from 'zod';
import { hashSchema, timestampSchema } from '../common.ts';
import { failureSchema } from '../errors/index.ts';
import { allowed } from '../phrases/allowed.ts';
import { phraseSchema } from '../phrases/phrase-schema.ts';
import { procedure } from '../procedure.ts';
import { merchantKeySchema, merchantKeyValueSchema, quoteSourceSchema } from './keys.ts';
import { minerPresetSchema } from './presets.ts';
import { minerKindSchema } from './protocols.ts';

/** How an API key is sent: `Authorization: Bearer <key>`, `Api-Key: <key>` or `Authorization: <key>`. */
export const keyStyleSchema = z.enum(['bearer', 'api-key', 'bare']);
export type KeyStyle = z.infer<typeof keyStyleSchema>;

const feeRateSchema = z.object({ satoshis: z.number().int().min(0), bytes: z.number().int().min(1) });

/** The fees and limits of a miner in its last quote or policy. */
export const minerQuoteSchema = z.object({
  standard: feeRateSchema,
  data: feeRateSchema,
  /** Rates for relaying a transaction without mining it; null if the miner states none. */
  relay: z.object({ standard: feeRateSchema, data: feeRateSchema }).nullable(),
  /** When this was read. */
  at: timestampSchema,
  /** When it expires, by this machine's clock. */
  expiresAt: timestampSchema,
  /** Timestamp of the reply by the miner's clock; null if there is none. */
  minerTime: timestampSchema.nullable(),
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
  /** The address of the setting `mapiUrl` or of the sandbox, which can be changed only there. */
  builtIn: z.boolean(),
  /** Whether an API key is stored for it; the key itself is never returned. */
  hasKey: z.boolean(),
  keyStyle: keyStyleSchema,
  /** The only accepted key for signatures of its answers, as set for this miner; null pins the first one. */
  pinnedKey: merchantKeyValueSchema,
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

const minerId = z.string().min(1).max(64);
const minerName = z.string().trim().min(1).max(100);
const apiKey = z
  .string()
  .trim()
  .max(4_096)
  .regex(/^[\x21-\x7e]*$/, allowed('rule.api-key'));
const minerUrl = z
  .string()
  .trim()
  .max(2_048)
  .refine((text) => /^https?:$/.test(parsedUrl(text)?.protocol ?? ''), allowed('rule.miner-url'))
  .refine((text) => {
    const url = parsedUrl(text);
    return url === null || (url.username === '' && url.password === '');
  }, allowed('rule.miner-url-plain'))
  .refine((text) => !/[?#]/.test(text), allowed('rule.miner-url'));

function parsedUrl(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}

export const newMinerSchema = z.object({
  name: minerName,
  kind: minerKindSchema,
  /** Address of the API with its path: the part in front of `/feeQuote`, or of `/policy`. */
  url: minerUrl,
  /** Stored in the vault; empty for a miner that needs none. */
  apiKey: apiKey.default(''),
  keyStyle: keyStyleSchema.default('bearer'),
  pinnedKey: merchantKeyValueSchema.default(null),
  enabled: z.boolean().default(true),
});
export type NewMiner = z.output<typeof newMinerSchema>;

/** Changes to a miner; missing fields are not changed. Only `enabled` of a built-in one can be changed here. */
export const minerChangeSchema = z.object({
  id: minerId,
  name: minerName.optional(),
  url: minerUrl.optional(),
  /** Empty removes the stored one. */
  apiKey: apiKey.optional(),
  keyStyle: keyStyleSchema.optional(),
  pinnedKey: merchantKeyValueSchema.optional(),
  enabled: z.boolean().optional(),
});
export type MinerChange = z.output<typeof minerChangeSchema>;

/** An added miner, or typed settings. For an added one, the saved values are used for missing ones. */
export const minerTestInputSchema = z.object({
  id: minerId.optional(),
  kind: minerKindSchema.optional(),
  url: minerUrl.optional(),
  apiKey: apiKey.optional(),
  keyStyle: keyStyleSchema.optional(),
  pinnedKey: merchantKeyValueSchema.optional(),
});
export type MinerTestInput = z.output<typeof minerTestInputSchema>;

/** The steps of a test, in order. `quote` is the fee quote or the policy, `time` compares the clocks. */
export const minerTestSteps = ['address', 'tls', 'key', 'quote', 'signature', 'time'] as const;
export const minerTestStepSchema = z.object({
  step: z.enum(minerTestSteps),
  /** `warning`: it works, but the message names something to check. */
  outcome: z.enum(['passed', 'warning', 'failed', 'skipped']),
  /** What was found, as a sentence. */
  message: z.string(),
  /** The same as a phrase, unless the step failed or warns. */
  sentence: phraseSchema.nullable(),
  milliseconds: z.number(),
  /** With its hint for what to do. */
  failure: failureSchema.nullable(),
});
export type MinerTestStep = z.infer<typeof minerTestStepSchema>;

export const minerTestSchema = z.object({
  /** Without credentials. */
  address: z.string(),
  kind: minerKindSchema,
  /** No step failed. */
  passed: z.boolean(),
  steps: z.array(minerTestStepSchema),
  /** The miner's offer; null if a step failed before it was read. */
  quote: minerQuoteSchema.nullable(),
});
export type MinerTest = z.infer<typeof minerTestSchema>;

/** A price and policy of a miner, and the time over which it was offered. */
export const pastQuoteSchema = minerQuoteSchema
  .pick({ standard: true, data: true, relay: true, policies: true, apiVersion: true })
  .extend({
    /** When it was first and last read. */
    from: timestampSchema,
    until: timestampSchema,
  });
export type PastQuote = z.infer<typeof pastQuoteSchema>;

export const minerHourSchema = z.object({
  /** When the hour began (UTC). */
  at: timestampSchema,
  succeeded: z.number().int(),
  failed: z.number().int(),
  /** Milliseconds. */
  meanMs: z.number(),
  slowestMs: z.number(),
});
export type MinerHour = z.infer<typeof minerHourSchema>;

const historyInput = z.object({ id: minerId, since: timestampSchema.default(0) });

/** The endpoints that are set up, in the order in which they are tried. */
export const minerListContract = {
  list: procedure.output(z.array(minerSchema)),
  /** Public miners of the network in use. `add` accepts them as they are, with a key if one is needed. */
  presets: procedure.output(z.array(minerPresetSchema)),
  add: procedure.input(newMinerSchema).output(minerSchema),
  update: procedure.input(minerChangeSchema).output(minerSchema),
  /** Also removes its API key. Its answers in histories of transactions are kept. */
  remove: procedure.input(z.object({ id: minerId })).output(z.void()),
  /** Restores one that was removed less than a minute ago, with its API key. @throws `not-found` */
  restore: procedure.input(z.object({ id: minerId })).output(minerSchema),
  /** All added miners, in the order in which they are tried. Built-in ones stay first. */
  reorder: procedure.input(z.object({ ids: z.array(minerId).max(1_000) })).output(z.array(minerSchema)),
  /** Requests its quote if the known one has expired. An error becomes the `failure` of the miner. */
  refresh: procedure.input(z.object({ id: minerId })).output(minerSchema),
};

export const minerTestContract = {
  /** Step by step. Changes nothing, and pins no key. */
  test: procedure.input(minerTestInputSchema).output(minerTestSchema),
};

export const minerHistoryContract = {
  /** Its past fees and limits, oldest first. */
  quotes: procedure.input(historyInput).output(z.array(pastQuoteSchema)),
  /** Results of its requests by hour, oldest first. Hours without requests are left out. */
  hours: procedure.input(historyInput).output(z.array(minerHourSchema)),
};

export const minersContract = { ...minerListContract, ...minerTestContract, ...minerHistoryContract };
