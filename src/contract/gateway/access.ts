import { z } from 'zod';
import { timestampSchema } from '../common.ts';
import { allowed } from '../phrases/allowed.ts';

/** Default limit for the body of a key's request, in bytes. A batch of 1,000 plain calls takes a quarter of it. */
export const USUAL_BODY_BYTES = 1_048_576;

/** Usage of a key. */
export const keyUsageSchema = z.object({
  calls: z.number().int(),
  /** The failed ones among them. */
  errors: z.number().int(),
  /** Of the answers. */
  bytes: z.number().int(),
});
export type KeyUsage = z.infer<typeof keyUsageSchema>;

export const gatewayKeySchema = z.object({
  id: z.string(),
  name: z.string(),
  /** Commands it may call; null means all. */
  methods: z.array(z.string()).nullable(),
  /** Calls per second; null means no limit. */
  rate: z.number().int().nullable(),
  /** Bytes the body of a request may have; null means `USUAL_BODY_BYTES`. */
  bodyBytes: z.number().int().nullable(),
  createdAt: timestampSchema,
  expiresAt: timestampSchema.nullable(),
  revokedAt: timestampSchema.nullable(),
  lastUsedAt: timestampSchema.nullable(),
  /** Its last call; null if it made none since the gateway was started. */
  lastMethod: z.string().nullable(),
  /** Calls a day (UTC); null means no limit. */
  dailyCalls: z.number().int().nullable(),
  /** Since midnight (UTC). */
  today: keyUsageSchema,
  /** In the last thirty days, today among them. */
  month: keyUsageSchema,
  /** Requests to public services on its behalf since the start, their share of all requests, and how many are queued. */
  publicRequests: z.object({ asked: z.number().int(), share: z.number().nullable(), waiting: z.number().int() }),
});
export type GatewayKey = z.infer<typeof gatewayKeySchema>;

export const newGatewayKeySchema = z.object({
  name: z
    .string()
    .trim()
    .min(1)
    .max(64)
    .regex(/^[^\p{Cc}:]+$/u, allowed('rule.no-colon')),
  methods: z.array(z.string().max(64)).min(1).max(64).nullable().default(null),
  rate: z.number().int().min(1).max(1_000_000).nullable().default(null),
  bodyBytes: z.number().int().min(1_024).max(33_554_432).nullable().default(null),
  expiresAt: timestampSchema.nullable().default(null),
  /** See {@link gatewayKeySchema}; null where it is left out. */
  dailyCalls: z.number().int().min(1).max(1_000_000_000).nullable().optional(),
});

export type NewGatewayKey = z.infer<typeof newGatewayKeySchema>;

/** A web page with access. */
export const pairedOriginSchema = z.object({
  origin: z.string(),
  createdAt: timestampSchema,
  expiresAt: timestampSchema.nullable(),
  /** The key that was given to the page, which is deleted with the pairing; null if a person paired it by hand. */
  keyId: z.string().nullable(),
});
export type PairedOrigin = z.infer<typeof pairedOriginSchema>;

/** A web page that requests access. */
export const pairingRequestSchema = z.object({
  id: z.string(),
  /** Exactly as the browser sends it. */
  origin: z.string(),
  /** The page shows it too, so that a person can tell its request from another page's; null if it gave none. */
  code: z.string().nullable(),
  askedAt: timestampSchema,
  /** When the request expires. */
  expiresAt: timestampSchema,
});
export type PairingRequest = z.infer<typeof pairingRequestSchema>;

export const pairingDecisionSchema = z.object({
  id: z.string().min(1).max(128),
  allow: z.boolean(),
  /** Commands the page may call; null means all. */
  methods: z.array(z.string().max(64)).min(1).max(64).nullable().default(null),
  /** When the pairing ends; null means never. */
  expiresAt: timestampSchema.nullable().default(null),
});
export type PairingDecision = z.infer<typeof pairingDecisionSchema>;
