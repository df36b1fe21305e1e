import { z } from 'zod';
import { type JsonEnvelope, signerKeyOf } from '../../../../chain/index.ts';
import { type ForeignBounds, parseForeign } from '../../../foreign-json.ts';

const envelopeSchema = z.object({
  payload: z.string(),
  signature: z.string().nullish().default(null),
  publicKey: z.string().nullish().default(null),
  encoding: z.string().default('json'),
  mimetype: z.string().default('application/json'),
});

export interface EnvelopeContent {
  readonly text: string;
  /** The text as JSON; undefined where it is none, or passes its bounds. */
  readonly json: unknown;
}

/** Reads an envelope; its signature is not checked. @returns `data` undefined and the reason for anything else */
export function readEnvelope(json: unknown): { data?: JsonEnvelope; error?: z.ZodError } {
  const { data, error } = envelopeSchema.safeParse(json);
  if (data === undefined) return { error };
  return { data: { ...data, signature: data.signature ?? null, publicKey: data.publicKey ?? null } };
}

export function contentOf({ payload, encoding }: JsonEnvelope, bounds: ForeignBounds): EnvelopeContent {
  const text = encoding.toLowerCase() === 'base64' ? Buffer.from(payload, 'base64').toString('utf8') : payload;
  return { text, json: parseForeign(text, bounds) };
}

/**
 * The key of an envelope whose signature is valid. Keys are compared as text everywhere else, so each has one form from here on.
 * @returns compressed, lower-case hex; undefined where the content names another key as its miner's, however either is written
 */
export function signerOf({ publicKey }: JsonEnvelope, content: unknown): string | undefined {
  const signer = signerKeyOf(publicKey ?? '');
  const minerId = (content as { minerId?: unknown } | null | undefined)?.minerId;
  const isOther = typeof minerId === 'string' && minerId !== '' && signerKeyOf(minerId) !== signer;
  return isOther ? undefined : signer;
}
