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
  /** When the miner says that it answered, by its own clock; null where it does not say. */
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
  /** The address of the setting `mapiUrl` or of the sandbox, which is changed there. */
  builtIn: z.boolean(),
  /** Whether an API key is stored for it; the key itself is never returned. */
  hasKey: z.boolean(),
  keyStyle: keyStyleSchema,
  /** The only key that its answers may be signed with, as it was set for this miner; null remembers the first one. */
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
  /** Kept in the vault; empty for a miner that asks for none. */
  apiKey: apiKey.default(''),
  keyStyle: keyStyleSchema.default('bearer'),
  pinnedKey: merchantKeyValueSchema.default(null),
  enabled: z.boolean().default(true),
});
export type NewMiner = z.output<typeof newMinerSchema>;

/** What changes about a miner; what is left out stays. Only `enabled` of a built-in one can be changed here. */
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

/** A miner that is set up, or settings as they are typed. Of one that is set up, what is left out is taken as it is saved. */
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
  /** `warning`: it works, but the message says what to see to. */
  outcome: z.enum(['passed', 'warning', 'failed', 'skipped']),
  /** What was found, as a sentence. */
  message: z.string(),
  /** The same, unless the step failed or warns. */
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
  /** What the miner offers; null where a step failed before it was read. */
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
  /** Public miners of the network in use, which `add` takes as they are, with a key where one is needed. */
  presets: procedure.output(z.array(minerPresetSchema)),
  add: procedure.input(newMinerSchema).output(minerSchema),
  update: procedure.input(minerChangeSchema).output(minerSchema),
  /** Also removes its API key. Its answers in histories of transactions stay. */
  remove: procedure.input(z.object({ id: minerId })).output(z.void()),
  /** Puts one back that was removed less than a minute ago, with its API key. @throws `not-found` */
  restore: procedure.input(z.object({ id: minerId })).output(minerSchema),
  /** The miners that were added, all of them, in the order in which they are tried. Built-in ones stay first. */
  reorder: procedure.input(z.object({ ids: z.array(minerId).max(1_000) })).output(z.array(minerSchema)),
  /** Asks for its quote where the known one has expired. What goes wrong is the `failure` of the miner. */
  refresh: procedure.input(z.object({ id: minerId })).output(minerSchema),
};

export const minerTestContract = {
  /** Step by step. Changes nothing, and no key is remembered from it. */
  test: procedure.input(minerTestInputSchema).output(minerTestSchema),
};

export const minerHistoryContract = {
  /** What it charged and allowed, oldest first. */
  quotes: procedure.input(historyInput).output(z.array(pastQuoteSchema)),
  /** How its requests went, hour by hour, oldest first. Hours without requests are left out. */
  hours: procedure.input(historyInput).output(z.array(minerHourSchema)),
};

export const minersContract = { ...minerListContract, ...minerTestContract, ...minerHistoryContract };
