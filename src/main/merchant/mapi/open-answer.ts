import type { z } from 'zod';
import { verifyEnvelope } from '../../../chain/index.ts';
import { PlanchetError } from '../../../contract/index.ts';
import { jsonOf, malformedAnswer } from '../http/miner-http.ts';
import { contentOf, readEnvelope, signerOf } from './envelope.ts';

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
  const { data: envelope, error } = readEnvelope(jsonOf(text));
  if (envelope === undefined) throw malformedAnswer('is no JSON envelope', error);
  const verdict = verifyEnvelope(envelope);
  if (verdict === 'invalid') throw badSignature('The signature over the answer of the merchant API is wrong.');
  const { json } = contentOf(envelope);
  const signer = verdict === 'valid' ? signerOf(envelope, json) : null;
  if (signer === undefined)
    throw badSignature('The answer of the merchant API is signed by another than the miner it names.');
  const payload = schema.safeParse(json);
  if (!payload.success) throw malformedAnswer('does not have the fields it should', payload.error);
  return { payload: payload.data, signer };
}

function badSignature(message: string): PlanchetError {
  return new PlanchetError('merchant.answer-untrusted', { reason: message });
}
