import { errors, request } from 'undici';
import { z } from 'zod';
import { PlanchetError, phrase, type Reason } from '../../../../contract/index.ts';
import { foreignBounds, jsonOf, readForeign } from '../../../foreign-json.ts';

/** Answers that speak of the request, so that the same request gets them again. */
const REFUSALS: ReadonlySet<number> = new Set([400, 409, 413, 422]);

const hex = z.string().regex(/^(?:[0-9a-fA-F]{2})+$/);
const templatesSchema = z.object({ feeTransaction: hex, dataTransaction: hex });

/** The two transactions of a document, hex: the service's own, which pays ours, and ours. */
export type Templates = z.infer<typeof templatesSchema>;

/** The service that pays for documents (wire reference 4.1). */
export class FundingService {
  readonly #url: () => string;
  readonly #timeoutMs: () => number;

  /** @param url with the version prefix, e.g. `https://host/api/v1` */
  constructor(url: () => string, timeoutMs: () => number) {
    this.#url = url;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Makes the public key of an API key known.
   * @param signature DER hex over the SHA-256 of the API key's text
   * @throws PlanchetError `unauthorized` for an unknown API key, `conflict` for one that has a public key already, `upstream-*`
   */
  async register(apiKey: string, publicKey: string, signature: string): Promise<void> {
    const { status, text } = await this.#send('POST', '/pubkey', `Bearer ${apiKey}`, { signature, publicKey });
    if (status === 200 || status === 201) return;
    if (status === 409) throw new PlanchetError('writer.other-signing-key');
    throw failed(status, text);
  }

  /** @param outputBytes size of our data output as it is serialised */
  async templates(apiKey: string, outputBytes: number, feesRequired: boolean): Promise<Templates> {
    const path = `/txTemplates?size=${outputBytes}&feesRequired=${feesRequired}`;
    const { status, text } = await this.#send('GET', path, `Bearer ${apiKey}`);
    if (REFUSALS.has(status)) throw new PlanchetError('writer.funding-refused', { reason: said(text) });
    if (status !== 200) throw failed(status, text);
    const parsed = templatesSchema.safeParse(jsonOf(text));
    if (parsed.success) return parsed.data;
    throw new PlanchetError('writer.funding-malformed');
  }

  /** @throws PlanchetError `rejected` with the service's words for what it refused, `upstream-*` where it failed */
  async submit(apiKey: string, transactions: Templates): Promise<void> {
    // Without "Bearer", unlike the others.
    const { status, text } = await this.#send('POST', '/submitTransactions', apiKey, transactions);
    if (status === 201 || status === 200) return;
    if (REFUSALS.has(status)) throw new PlanchetError('writer.transactions-refused', { reason: said(text) });
    throw failed(status, text);
  }

  async #send(
    method: 'GET' | 'POST',
    path: string,
    authorization: string,
    body?: unknown,
  ): Promise<{ status: number; text: string }> {
    const base = this.#url().replace(/\/+$/, '');
    if (base === '') throw new PlanchetError('writer.no-funding-service');
    const timeoutMs = this.#timeoutMs();
    try {
      const answer = await request(`${base}${path}`, {
        method,
        headers: { authorization, accept: 'application/json', ...(body ? { 'content-type': 'application/json' } : {}) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(timeoutMs),
      });
      return { status: answer.statusCode, text: await readForeign(answer.body, foreignBounds.templates) };
    } catch (error) {
      throw unreachable(error, new URL(base).origin, timeoutMs);
    }
  }
}

function said(text: string): Reason {
  const parsed = z.object({ error: z.string() }).safeParse(jsonOf(text));
  return parsed.success ? parsed.data.error.slice(0, 300) : phrase('reason.none');
}

function failed(status: number, text: string): PlanchetError {
  if (status === 401 || status === 403) return new PlanchetError('writer.api-key-refused', { reason: said(text) });
  return new PlanchetError(
    status >= 500 ? 'writer.funding-failed' : 'writer.funding-answer',
    { status, reason: said(text) },
    { detail: { status } },
  );
}

function unreachable(error: unknown, origin: string, timeoutMs: number): PlanchetError {
  const timedOut =
    (error instanceof DOMException && error.name === 'TimeoutError') || error instanceof errors.ConnectTimeoutError;
  if (timedOut) return new PlanchetError('writer.funding-timeout', { origin, timeoutMs }, { cause: error });
  const reason = (error as NodeJS.ErrnoException).code ?? (error as Error).message;
  return new PlanchetError('writer.funding-unreachable', { origin, reason }, { cause: error });
}
