import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { fromHex } from '../../../../chain/index.ts';
import { hashSchema, type MinerQuote, PlanchetError } from '../../../../contract/index.ts';
import { foreignBounds, jsonOf } from '../../../foreign-json.ts';
import type { Clock } from '../../../ports/clock.ts';
import type {
  MinerEndpoint,
  MinerStatus,
  MinerVerdict,
  NamedMiner,
  OutgoingTransaction,
  SubmitOptions,
} from '../../../ports/merchant/miners.ts';
import type { KnownTransactions } from '../../../ports/merchant/transactions.ts';
import { arcRefusalError, reasonOf } from '../../refusals.ts';
import { failedAnswer, type HttpAnswer, MinerHttp, type MinerHttpOptions } from '../miner-http.ts';
import { completeForm } from './complete-forms.ts';

const BINARY = 'application/octet-stream';
/** The error by which ARC asks for the extended format. */
const PARENTS_MISSING = '460';
/** Transactions of one request that are sent again with their parents. */
const MAX_COMPLETED = 100;

/** A policy has no end of its own, so it is read again after this time. */
const POLICY_MS = 600_000;

/** The statuses of ARC, in order of progress, and how far a transaction has come with each. */
const statuses: ReadonlyMap<string, MinerStatus> = new Map(
  Object.entries<MinerStatus>({
    UNKNOWN: 'unknown',
    QUEUED: 'accepted',
    RECEIVED: 'accepted',
    STORED: 'accepted',
    ANNOUNCED_TO_NETWORK: 'accepted',
    REQUESTED_BY_NETWORK: 'accepted',
    SENT_TO_NETWORK: 'accepted',
    ACCEPTED_BY_NETWORK: 'accepted',
    SEEN_IN_ORPHAN_MEMPOOL: 'accepted',
    SEEN_ON_NETWORK: 'seen',
    DOUBLE_SPEND_ATTEMPTED: 'double-spend-attempted',
    REJECTED: 'rejected',
    MINED_IN_STALE_BLOCK: 'stale',
    MINED: 'mined',
  }),
);

const text = z
  .string()
  .nullish()
  .transform((value) => value ?? '');
const bytesHex = z
  .string()
  .regex(/^(?:[0-9a-fA-F]{2})+$/)
  .nullish()
  .catch(null);

const policySchema = z.object({
  timestamp: z.string().nullish().catch(null),
  policy: z.looseObject({
    miningFee: z.object({
      satoshis: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER),
      bytes: z.number().int().min(1).max(Number.MAX_SAFE_INTEGER),
    }),
  }),
});

const healthSchema = z.object({ healthy: z.boolean(), reason: text });

/** A status of a transaction, or an error about it in its place (RFC 9457). */
const answerSchema = z.object({
  txid: hashSchema.nullish().catch(null),
  txStatus: text,
  blockHash: hashSchema.nullish().catch(null),
  blockHeight: z.number().int().nullish().catch(null),
  merklePath: bytesHex,
  extraInfo: text,
  competingTxs: z.array(hashSchema).nullish().catch(null),
  status: z.number().int().nullish(),
  title: text,
  detail: text,
});
type Answer = z.infer<typeof answerSchema>;

/** A batch is answered with a bare array, or inside an object. */
const batchSchema = z.union([
  z.array(answerSchema),
  z.object({ transactions: z.array(answerSchema) }).transform(({ transactions }) => transactions),
]);

export interface ArcEndpointOptions extends MinerHttpOptions {
  miner: NamedMiner;
  clock: Clock;
  /** Where the parents of a transaction are found that the miner does not know. */
  known?: KnownTransactions;
}

/** A miner behind ARC. Nothing that it says is signed, and a proof counts only once it leads to a known header. */
export class ArcEndpoint implements MinerEndpoint {
  readonly id: string;
  readonly name: string;
  readonly kind = 'arc';
  readonly #http: MinerHttp;
  readonly #options: ArcEndpointOptions;
  /** Random, so that an operator can tell runs apart in the miner's logs, and nobody else can link them. */
  readonly #deploymentId = `planchet-${randomBytes(8).toString('hex')}`;
  #quote: { from: string; quote: MinerQuote } | undefined;

  constructor(options: ArcEndpointOptions) {
    this.id = options.miner.id;
    this.name = options.miner.name;
    this.#http = arcHttp(options);
    this.#options = options;
  }

  /** See {@link MinerEndpoint.quote}: the policy, with one rate for every byte. */
  async quote(remaining = 0): Promise<MinerQuote> {
    const from = this.#options.url();
    const now = this.#options.clock.now();
    if (this.#quote?.from === from && this.#quote.quote.expiresAt > now + remaining) return this.#quote.quote;
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
    this.#quote = { from, quote };
    return quote;
  }

  /** See {@link MinerEndpoint.complaint}. Not every service has this address. */
  async complaint(): Promise<string | null> {
    const answer = await this.#http.call('/health', foreignBounds.minerTerms);
    const read = healthSchema.safeParse(jsonOf(answer.text)).data;
    if (read?.healthy !== false) return null;
    return read.reason === '' ? 'no reason given' : read.reason.slice(0, 300);
  }

  /** See {@link MinerEndpoint.submit}. What the miner lacks the parents of is sent again with them, where they are known here. */
  async submit(transactions: readonly OutgoingTransaction[], options: SubmitOptions = {}): Promise<MinerVerdict[]> {
    const verdicts = await this.#submitRaw(transactions, options);
    const { known } = this.#options;
    if (known === undefined) return verdicts;
    let left = MAX_COMPLETED;
    for (const [index, { txid, rawTx }] of transactions.entries()) {
      if (verdicts[index]?.word !== PARENTS_MISSING || left-- <= 0) continue;
      const content = await completeForm(rawTx, known);
      if (content === undefined) continue;
      try {
        const answer = await this.#http.call(
          '/tx',
          foreignBounds.minerVerdict,
          { type: BINARY, content },
          this.#headersOf(options),
        );
        const verdict = verdictOf(txid, readAnswer(answer), answer.text);
        verdicts[index] = verdict;
        if (verdict.failure?.id !== 'merchant.other-txid') continue;
        // from 1.4 on, ARC answers with the status of the first transaction of the BEEF that is not mined
        const own = await this.status(txid);
        if (own.status !== 'unknown') verdicts[index] = own;
      } catch (error) {
        // what the miner said first still stands
        if (!(error instanceof PlanchetError)) throw error;
      }
    }
    return verdicts;
  }

  async #submitRaw(transactions: readonly OutgoingTransaction[], options: SubmitOptions): Promise<MinerVerdict[]> {
    const [only] = transactions;
    if (only === undefined) return [];
    const content = Buffer.concat(transactions.map(({ rawTx }) => rawTx));
    const body = { type: BINARY, content } as const;
    if (transactions.length === 1) {
      const answer = await this.#http.call('/tx', foreignBounds.minerVerdict, body, this.#headersOf(options));
      return [verdictOf(only.txid, readAnswer(answer), answer.text)];
    }
    const answer = await this.#http.call('/txs', foreignBounds.minerVerdicts, body, this.#headersOf(options, true));
    const results = batchSchema.safeParse(jsonOf(answer.text));
    // A batch as a whole is refused where its bytes cannot be divided.
    if (!results.success) {
      const refusal = readAnswer(answer);
      return transactions.map(({ txid }) => verdictOf(txid, refusal, answer.text));
    }
    const byTxid = new Map(results.data.map((result) => [result.txid, result]));
    return transactions.map(({ txid }, index) => {
      const inPlace = results.data.length === transactions.length ? results.data[index] : undefined;
      const result = byTxid.get(txid) ?? (inPlace?.txid ? undefined : inPlace);
      if (result === undefined) return failedVerdict(txid, new PlanchetError('merchant.no-result'), '', '');
      return verdictOf(txid, result, JSON.stringify(result));
    });
  }

  /** Options as request headers. @param several whether callbacks may be sent together, since they are about several transactions */
  #headersOf(options: SubmitOptions, several = false): Record<string, string> {
    const { callback, waitFor, maxTimeout } = options;
    const flags = {
      'X-CallbackBatch': callback !== undefined && several,
      'X-FullStatusUpdates': options.fullStatusUpdates,
      'X-SkipFeeValidation': options.skipFeeValidation,
      'X-SkipScriptValidation': options.skipScriptValidation,
      'X-SkipTxValidation': options.skipTxValidation,
      'X-CumulativeFeeValidation': options.cumulativeFeeValidation,
      'X-ForceValidation': options.forceValidation,
    };
    return {
      'XDeployment-ID': this.#deploymentId,
      ...Object.fromEntries(Object.entries(flags).flatMap(([name, on]) => (on ? [[name, 'true']] : []))),
      ...(callback && { 'X-CallbackUrl': callback.url, 'X-CallbackToken': callback.token }),
      ...(waitFor !== undefined && { 'X-WaitFor': waitFor }),
      ...(maxTimeout !== undefined && { 'X-MaxTimeout': String(maxTimeout) }),
    };
  }

  /** See {@link MinerEndpoint.status}. */
  async status(txid: string): Promise<MinerVerdict> {
    const answer = await this.#http.call(`/tx/${encodeURIComponent(txid)}`, foreignBounds.minerVerdict);
    if (answer.status === 404) return { ...silent, txid, status: 'unknown', word: 'UNKNOWN', raw: answer.text };
    return verdictOf(txid, readAnswer(answer), answer.text);
  }
}

/**
 * Reads a status that ARC sent by itself, in a callback.
 * @param raw the status as it came
 * @returns undefined for what is none
 */
export function readArcStatus(value: unknown, raw: string): MinerVerdict | undefined {
  const read = answerSchema.safeParse(value);
  const txid = read.data?.txid;
  if (!read.success || !txid || !statuses.has(read.data.txStatus)) return undefined;
  return verdictOf(txid, read.data, raw);
}

function timeOf(timestamp: string | null | undefined): number | null {
  const time = Date.parse(timestamp ?? '');
  return Number.isNaN(time) ? null : time;
}

/** Requests to an ARC. */
export function arcHttp(options: MinerHttpOptions): MinerHttp {
  // ARC itself waits for a status up to 30 s.
  return new MinerHttp({ ...options, timeoutMs: options.timeoutMs ?? 40_000, url: () => versioned(options.url()) });
}

/** People know a service by its address with and without the version. */
function versioned(url: string): string {
  const base = url.replace(/\/+$/, '');
  return base === '' || /\/v\d+$/.test(base) ? base : `${base}/v1`;
}

/** HTTP statuses that say nothing of a transaction. */
const NO_ANSWER = new Set([404, 405, 413, 415, 429]);

/** @throws PlanchetError `upstream-error` for what is neither a status nor an error of ARC */
function readAnswer(answer: HttpAnswer): Answer {
  if (answer.status >= 500 || NO_ANSWER.has(answer.status)) throw failedAnswer(answer);
  const read = answerSchema.safeParse(jsonOf(answer.text));
  if (!read.success)
    throw answer.status === 200
      ? new PlanchetError('merchant.answer-no-status', {}, { cause: read.error })
      : failedAnswer(answer);
  if (read.data.txStatus === '' && answer.status === 200 && (read.data.status ?? 200) < 400)
    throw new PlanchetError('merchant.answer-no-status');
  return answer.status === 200 ? read.data : { ...read.data, status: answer.status };
}

const silent = {
  reason: null,
  failure: null,
  block: null,
  bump: null,
  conflicts: [],
  signature: 'none',
} as const satisfies Partial<MinerVerdict>;

function verdictOf(txid: string, answer: Answer, raw: string): MinerVerdict {
  const { txStatus, status, blockHash, blockHeight, merklePath, competingTxs } = answer;
  const why = answer.extraInfo || answer.detail || answer.title;
  const conflicts = (competingTxs ?? []).map((conflict) => ({ txid: conflict, rawTx: null }));
  if (txStatus === '' || (status !== null && status !== undefined && status >= 400)) {
    const error = arcRefusalError(status ?? 0, why);
    if (error === undefined) return { ...silent, txid, status: 'accepted', word: String(status), raw };
    return { ...failedVerdict(txid, error, String(status ?? ''), raw), conflicts };
  }
  if (answer.txid && answer.txid !== txid) {
    const values = { answered: answer.txid, sent: txid };
    return failedVerdict(txid, new PlanchetError('merchant.other-txid', values), txStatus, raw);
  }
  const reached = statuses.get(txStatus);
  if (reached === 'rejected') {
    const error = arcRefusalError(0, why);
    if (error !== undefined) return { ...failedVerdict(txid, error, txStatus, raw), conflicts };
    // the network refused it because it has it
    return { ...silent, txid, status: 'accepted', word: txStatus, conflicts, raw };
  }
  const block = blockHash && typeof blockHeight === 'number' ? { hash: blockHash, height: blockHeight } : null;
  return {
    ...silent,
    txid,
    // A status of a later version says at least that the miner has it.
    status: reached ?? 'accepted',
    word: txStatus,
    block: reached === 'mined' || reached === 'stale' ? block : null,
    bump: reached === 'mined' && merklePath ? fromHex(merklePath.toLowerCase()) : null,
    conflicts,
    raw,
  };
}

function failedVerdict(txid: string, error: PlanchetError, word: string, raw: string): MinerVerdict {
  const reason = reasonOf(error);
  const refused = reason.code === 'no-room' ? 'evicted' : 'rejected';
  const status = error.code === 'rejected' ? refused : 'unclear';
  return { ...silent, txid, status, word, reason, failure: error.toFailure(), raw };
}
