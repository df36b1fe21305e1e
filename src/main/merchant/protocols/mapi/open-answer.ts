import type { z } from 'zod';
import { verifyEnvelope } from '../../../../chain/index.ts';
import { PlanchetError } from '../../../../contract/index.ts';
import { type ForeignBounds, jsonOf } from '../../../foreign-json.ts';
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
 * @param text the answer, which was read within `bounds`
 * @param bounds what the payload may be
 * @throws PlanchetError `upstream-error` for what is no envelope, is wrongly signed, or does not have the fields of `schema`
 */
export function openAnswer<T>(text: string, schema: z.ZodType<T>, bounds: ForeignBounds): OpenedAnswer<T> {
  const { data: envelope, error } = readEnvelope(jsonOf(text));
  if (envelope === undefined) throw new PlanchetError('merchant.answer-no-envelope', {}, { cause: error });
  const verdict = verifyEnvelope(envelope);
  if (verdict === 'invalid') throw new PlanchetError('merchant.signature-wrong');
  const { json } = contentOf(envelope, bounds);
  const signer = verdict === 'valid' ? signerOf(envelope, json) : null;
  if (signer === undefined) throw new PlanchetError('merchant.signer-other');
  const payload = schema.safeParse(json);
  if (!payload.success) throw new PlanchetError('merchant.answer-malformed', {}, { cause: payload.error });
  return { payload: payload.data, signer };
}
