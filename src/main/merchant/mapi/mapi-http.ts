import { z } from 'zod';
import { type JsonEnvelope, signerKeyOf, verifyEnvelope } from '../../../chain/index.ts';
import { PlanchetError, type QuoteSource } from '../../../contract/index.ts';
import {
  failedAnswer,
  jsonOf,
  MinerHttp,
  type MinerHttpOptions,
  malformedAnswer,
  type RequestBody,
} from '../http/miner-http.ts';
import type { KeyCheck } from './merchant-keys.ts';

const envelopeSchema = z.object({
  payload: z.string(),
  signature: z.string().nullish(),
  publicKey: z.string().nullish(),
  encoding: z.string().default('json'),
  mimetype: z.string().default('application/json'),
});

export interface MapiHttpOptions extends MinerHttpOptions {
  keys: KeyCheck;
}

/** The payload of a checked envelope. */
export interface MapiAnswer<T> {
  readonly payload: T;
  readonly source: QuoteSource;
  /** The answer as it came. */
  readonly raw: string;
  readonly signature: 'valid' | 'unsigned';
}

/**
 * Requests to a merchant API: the API key is sent, time is limited, and the envelope's signature and its signer are checked before
 * anything is read from it.
 */
export class MapiHttp {
  readonly #http: MinerHttp;
  readonly #keys: KeyCheck;

  constructor(options: MapiHttpOptions) {
    this.#http = new MinerHttp(options);
    this.#keys = options.keys;
  }

  /**
   * @param path below the address, e.g. `/feeQuote`
   * @returns the payload of a checked envelope, as `schema` reads it, and who signed it
   * @throws PlanchetError `upstream-unreachable`, `upstream-timeout`, `upstream-error`, `merchant-key-changed`, `unauthorized`,
   *   `api-key-missing`, `vault-locked`
   */
  get<T>(path: string, schema: z.ZodType<T>): Promise<MapiAnswer<T>> {
    return this.#call(path, schema);
  }

  /** See {@link get}. */
  postJson<T>(path: string, schema: z.ZodType<T>, body: unknown): Promise<MapiAnswer<T>> {
    return this.#call(path, schema, { type: 'application/json', content: JSON.stringify(body) });
  }

  /** See {@link get}. */
  postBytes<T>(path: string, schema: z.ZodType<T>, content: Uint8Array): Promise<MapiAnswer<T>> {
    return this.#call(path, schema, { type: 'application/octet-stream', content });
  }

  async #call<T>(path: string, schema: z.ZodType<T>, body?: RequestBody): Promise<MapiAnswer<T>> {
    const answer = await this.#http.call(path, body);
    if (answer.status !== 200) throw failedAnswer(answer);
    return this.#open(answer.base, answer.text, schema);
  }

  async #open<T>(base: string, text: string, schema: z.ZodType<T>): Promise<MapiAnswer<T>> {
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
    const minerId = (json as { minerId?: unknown } | undefined)?.minerId;
    if (verdict === 'valid' && typeof minerId === 'string' && minerId !== '' && minerId !== signed.publicKey) {
      throw badSignature('The answer of the merchant API is signed by another than the miner it names.');
    }
    const payload = schema.safeParse(json);
    if (!payload.success) throw malformedAnswer('does not have the fields it should', payload.error);
    // Last, so that the key of something that is no merchant API is not remembered.
    const source = await this.#keys.check(base, signer);
    return { payload: payload.data, source, raw: text, signature: signer === null ? 'unsigned' : 'valid' };
  }
}

function badSignature(message: string): PlanchetError {
  return new PlanchetError('merchant.answer-untrusted', { reason: message });
}
