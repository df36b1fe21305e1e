import { z } from 'zod';
import { type JsonEnvelope, signerKeyOf, verifyEnvelope } from '../../../chain/index.ts';
import { PlanchetError } from '../../../contract/index.ts';
import { jsonOf, malformedAnswer } from '../http/miner-http.ts';

const envelopeSchema = z.object({
  payload: z.string(),
  signature: z.string().nullish(),
  publicKey: z.string().nullish(),
  encoding: z.string().default('json'),
  mimetype: z.string().default('application/json'),
});

/** What an envelope says, and who says it. */
export interface OpenedAnswer<T> {
  readonly payload: T;
  /** Compressed key of the valid signature, lower-case hex; null for an envelope without one. */
  readonly signer: string | null;
}

/**
 * Opens the envelope of an answer: its signature is checked before anything is read from the payload. Whether the signer is the miner is
 * for the caller to decide.
 * @throws PlanchetError `upstream-error` for what is no envelope, is wrongly signed, or does not have the fields of `schema`
 */
export function openAnswer<T>(text: string, schema: z.ZodType<T>): OpenedAnswer<T> {
  const envelope = envelopeSchema.safeParse(jsonOf(text));
  if (!envelope.success) throw malformedAnswer('is no JSON envelope', envelope.error);
  const signed: JsonEnvelope = {
    ...envelope.data,
    signature: envelope.data.signature ?? null,
    publicKey: envelope.data.publicKey ?? null,
  };
  const verdict = verifyEnvelope(signed);
  if (verdict === 'invalid') throw badSignature('The signature over the answer of the merchant API is wrong.');
  const signer = verdict === 'valid' ? signerKeyOf(signed.publicKey ?? '') : null;
  if (signer === undefined) throw badSignature('The key of the answer of the merchant API cannot be read.');
  const encoded = signed.encoding.toLowerCase() === 'base64';
  const json = jsonOf(encoded ? Buffer.from(signed.payload, 'base64').toString('utf8') : signed.payload);
  const minerId = (json as { minerId?: unknown } | null | undefined)?.minerId;
  if (signer !== null && typeof minerId === 'string' && minerId !== '' && signerKeyOf(minerId) !== signer)
    throw badSignature('The answer of the merchant API is signed by another than the miner it names.');
  const payload = schema.safeParse(json);
  if (!payload.success) throw malformedAnswer('does not have the fields it should', payload.error);
  return { payload: payload.data, signer };
}

function badSignature(message: string): PlanchetError {
  return new PlanchetError('merchant.answer-untrusted', { reason: message });
}
