import { errors, request } from 'undici';
import { z } from 'zod';
import { type JsonEnvelope, signerKeyOf, verifyEnvelope } from '../../../chain/index.ts';
import { PlanchetError, type QuoteSource } from '../../../contract/index.ts';
import { retryAfterMs } from '../../clock.ts';
import type { MerchantKeys } from './merchant-keys.ts';

/** An answer is a few kilobytes, unless it lists large conflicting transactions. */
const MAX_ANSWER_BYTES = 64 * 1_048_576;
const DEFAULT_TIMEOUT_MS = 10_000;

const envelopeSchema = z.object({
  payload: z.string(),
  signature: z.string().nullish(),
  publicKey: z.string().nullish(),
  encoding: z.string().default('json'),
  mimetype: z.string().default('application/json'),
});

export interface MapiHttpOptions {
  /** Address of the API with its path, e.g. `https://host/mapi`; empty while none is set. */
  url: () => string;
  /** API key; undefined while none is stored. @throws PlanchetError `vault-locked` */
  apiKey: () => Uint8Array | undefined;
  keys: MerchantKeys;
  /** Limit of a whole request in milliseconds. */
  timeoutMs?: number;
}

/** The payload of a checked envelope. */
export interface MapiAnswer<T> {
  readonly payload: T;
  readonly source: QuoteSource;
  /** The answer as it came. */
  readonly raw: string;
  readonly signature: 'valid' | 'unsigned';
}

interface Body {
  readonly type: 'application/json' | 'application/octet-stream';
  readonly content: string | Uint8Array;
}

interface HttpAnswer {
  readonly status: number;
  readonly text: string;
  /** Milliseconds the answer asks to be left alone. */
  readonly retryAfter: number | undefined;
}

/**
 * Requests to a merchant API: the API key is sent, time is limited, and the envelope's signature and its signer are checked before
 * anything is read from it.
 */
export class MapiHttp {
  readonly #options: MapiHttpOptions;

  constructor(options: MapiHttpOptions) {
    this.#options = options;
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

  async #call<T>(path: string, schema: z.ZodType<T>, body?: Body): Promise<MapiAnswer<T>> {
    // asked once: the setting may change while the answer is awaited
    const base = this.#base();
    const { status, text, retryAfter } = await this.#send(base, path, body);
    if (status === 401 || status === 403) throw this.#notAccepted(status);
    if (status !== 200) throw answered(status, text, retryAfter);
    return this.#open(base, text, schema);
  }

  async #send(base: string, path: string, body: Body | undefined): Promise<HttpAnswer> {
    const { timeoutMs = DEFAULT_TIMEOUT_MS } = this.#options;
    const key = this.#key();
    // One limit over everything: undici's own limits would start again with each part of the answer.
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const answer = await request(`${base}${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          accept: 'application/json',
          ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
          ...(body && { 'content-type': body.type }),
        },
        ...(body && { body: body.content }),
        signal,
      });
      const retryAfter = retryAfterMs(answer.headers['retry-after'], Date.now());
      return { status: answer.statusCode, text: await readLimited(answer.body), retryAfter };
    } catch (error) {
      throw transportFailure(error, base, timeoutMs);
    }
  }

  #base(): string {
    const url = this.#options.url().replace(/\/+$/, '');
    if (url !== '') return url;
    throw new PlanchetError('merchant.no-address');
  }

  #key(): string | undefined {
    const bytes = this.#options.apiKey();
    if (!bytes) return undefined;
    const key = Buffer.from(bytes).toString('utf8').trim();
    bytes.fill(0);
    if (/^[\x21-\x7e]+$/.test(key)) return key;
    throw new PlanchetError('merchant.api-key-malformed');
  }

  #notAccepted(status: number): PlanchetError {
    if (this.#key() === undefined) {
      return new PlanchetError('merchant.api-key-missing');
    }
    return new PlanchetError('merchant.unauthorized', { status });
  }

  async #open<T>(base: string, text: string, schema: z.ZodType<T>): Promise<MapiAnswer<T>> {
    const envelope = envelopeSchema.safeParse(jsonOf(text));
    if (!envelope.success) throw malformed('is no JSON envelope', envelope.error);
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
    if (!payload.success) throw malformed('does not have the fields it should', payload.error);
    // Last, so that the key of something that is no merchant API is not remembered.
    const source = await this.#options.keys.check(base, signer);
    return { payload: payload.data, source, raw: text, signature: signer === null ? 'unsigned' : 'valid' };
  }
}

async function readLimited(body: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body) {
    bytes += part.length;
    if (bytes > MAX_ANSWER_BYTES) throw malformed(`is larger than ${MAX_ANSWER_BYTES} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** @returns undefined for what is not JSON: the schemas refuse that. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A title or detail of a problem document (RFC 9457) is worth showing; anything else is not ours to show. */
const problemSchema = z.object({ title: z.string().optional(), detail: z.string().optional() });

function answered(status: number, text: string, retryAfter: number | undefined): PlanchetError {
  const problem = problemSchema.safeParse(jsonOf(text)).data;
  const said = [problem?.title, problem?.detail]
    .filter(Boolean)
    .join(' ')
    .slice(0, 300)
    .replace(/[.\s]+$/, '');
  return new PlanchetError(
    status >= 500 ? 'merchant.failed' : 'merchant.answer-refused',
    { status, reason: said === '' ? '' : `: ${said}` },
    { detail: { status, ...(retryAfter !== undefined && { retryAfterMs: retryAfter }) } },
  );
}

function malformed(why: string, cause?: unknown): PlanchetError {
  return new PlanchetError('merchant.answer-malformed', { why }, { cause });
}

function badSignature(message: string): PlanchetError {
  return new PlanchetError('merchant.answer-untrusted', { reason: message });
}

function transportFailure(error: unknown, base: string, timeoutMs: number): PlanchetError {
  if (error instanceof PlanchetError) return error;
  const timedOut =
    (error instanceof DOMException && error.name === 'TimeoutError') ||
    error instanceof errors.HeadersTimeoutError ||
    error instanceof errors.BodyTimeoutError ||
    error instanceof errors.ConnectTimeoutError;
  // A password in the address must not reach a message.
  const { origin } = new URL(base);
  if (timedOut) {
    return new PlanchetError('merchant.timeout', { origin, timeoutMs }, { cause: error });
  }
  const reason = (error as NodeJS.ErrnoException).code ?? (error as Error).message;
  return new PlanchetError('merchant.unreachable', { origin, reason }, { cause: error });
}
