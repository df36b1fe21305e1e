import { z } from 'zod';
import { type MinerQuote, PlanchetError, phrase, type Reason } from '../../../../contract/index.ts';
import { foreignBounds, jsonOf } from '../../../foreign-json.ts';
import type { Clock } from '../../../ports/clock.ts';
import { failedAnswer, type MinerHttp } from '../miner-http.ts';
import { validFor } from '../quote-validity.ts';

/** A policy has no end of its own, so it is read again after this time. */
const POLICY_MS = 600_000;

const policySchema = z.object({
  timestamp: z.string().nullish().catch(null),
  policy: z.looseObject({
    miningFee: z.object({
      satoshis: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER),
      bytes: z.number().int().min(1).max(Number.MAX_SAFE_INTEGER),
    }),
  }),
});

/** The policy of an ARC as a quote, with one rate for every byte; read again when it is ten minutes old or the address is another. */
export class ArcPolicy {
  readonly #http: MinerHttp;
  readonly #options: { readonly url: () => string; readonly clock: Clock };
  #known: { from: string; quote: MinerQuote } | undefined;

  constructor(http: MinerHttp, options: { url: () => string; clock: Clock }) {
    this.#http = http;
    this.#options = options;
  }

  /** See {@link MinerEndpoint.quote}. @param remaining milliseconds for which a known one must still be valid */
  async quote(remaining: number): Promise<MinerQuote> {
    const from = this.#options.url();
    const now = this.#options.clock.now();
    if (this.#known?.from === from && validFor(this.#known.quote, now) > remaining) return this.#known.quote;
    const answer = await this.#http.call('/policy', foreignBounds.minerTerms);
    if (answer.status !== 200) throw failedAnswer(answer);
    const read = policySchema.safeParse(jsonOf(answer.text));
    if (!read.success) throw new PlanchetError('merchant.answer-malformed', {}, { cause: read.error });
    const { miningFee, ...others } = read.data.policy;
    const policies = Object.entries(others).flatMap(([name, value]) =>
      typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string'
        ? [[name, value] as const]
        : [],
    );
    const quote: MinerQuote = {
      standard: miningFee,
      data: miningFee,
      relay: null,
      at: now,
      expiresAt: now + POLICY_MS,
      minerTime: timeOf(read.data.timestamp),
      apiVersion: null,
      policies: Object.fromEntries(policies),
      highestBlock: null,
      source: null,
    };
    this.#known = { from, quote };
    return quote;
  }
}

function timeOf(timestamp: string | null | undefined): number | null {
  const time = Date.parse(timestamp ?? '');
  return Number.isNaN(time) ? null : time;
}

/** See {@link MinerProtocol.terms}. */
export async function termsAt(http: MinerHttp): Promise<{ status: number; given: boolean }> {
  const { status, text } = await http.call('/policy', foreignBounds.minerTerms);
  const answer = jsonOf(text) as { policy?: unknown } | null | undefined;
  return { status, given: typeof answer?.policy === 'object' };
}

const healthSchema = z.object({ healthy: z.boolean(), reason: z.string().nullish() });

/** Why a service says that it cannot work; null if it can, or has no such address. @throws PlanchetError as {@link MinerHttp.call} */
export async function complaintOf(http: MinerHttp): Promise<Reason | null> {
  const answer = await http.call('/health', foreignBounds.minerTerms);
  const read = healthSchema.safeParse(jsonOf(answer.text)).data;
  if (read?.healthy !== false) return null;
  return read.reason ? read.reason.slice(0, 300) : phrase('reason.none');
}
