import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { type MinerQuote, PlanchetError } from '../../../../contract/index.ts';
import { foreignBounds, jsonOf } from '../../../foreign-json.ts';
import type { Clock } from '../../../ports/clock.ts';
import type {
  MinerEndpoint,
  MinerVerdict,
  NamedMiner,
  OutgoingTransaction,
  SubmitOptions,
} from '../../../ports/merchant/miners.ts';
import type { KnownTransactions } from '../../../ports/merchant/transactions.ts';
import { MinerHttp, type MinerHttpOptions } from '../miner-http.ts';
import { completeForm } from './complete-forms.ts';
import { ArcPolicy, complaintOf } from './policy.ts';
import { answerSchema, failedVerdict, readAnswer, silent, verdictOf } from './verdicts.ts';

const BINARY = 'application/octet-stream';
/** The error by which ARC asks for the extended format, and the status of what waits for a parent that the network does not know. */
const PARENTS_MISSING: readonly string[] = ['460', 'SEEN_IN_ORPHAN_MEMPOOL'];
/** Transactions of one request that are sent again with their parents. */
const MAX_COMPLETED = 100;

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
  readonly #policy: ArcPolicy;

  constructor(options: ArcEndpointOptions) {
    this.id = options.miner.id;
    this.name = options.miner.name;
    this.#http = arcHttp(options);
    this.#options = options;
    this.#policy = new ArcPolicy(this.#http, options);
  }

  /** See {@link MinerEndpoint.quote}. */
  quote(remaining = 0): Promise<MinerQuote> {
    return this.#policy.quote(remaining);
  }

  /** See {@link MinerEndpoint.complaint}. Not every service has this address. */
  complaint(): Promise<string | null> {
    return complaintOf(this.#http);
  }

  /** See {@link MinerEndpoint.submit}. What the miner lacks the parents of is sent again with them, where they are known here. */
  async submit(transactions: readonly OutgoingTransaction[], options: SubmitOptions = {}): Promise<MinerVerdict[]> {
    const verdicts = await this.#submitRaw(transactions, options);
    const { known } = this.#options;
    if (known === undefined) return verdicts;
    let left = MAX_COMPLETED;
    for (const [index, { txid, rawTx }] of transactions.entries()) {
      if (!PARENTS_MISSING.includes(verdicts[index]?.word ?? '') || left-- <= 0) continue;
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
