import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { PlanchetError } from '../../../../contract/index.ts';
import { foreignBounds, jsonOf } from '../../../foreign-json.ts';
import type { MinerVerdict, OutgoingTransaction, SubmitOptions } from '../../../ports/merchant/miners.ts';
import { MinerHttp, type MinerHttpOptions } from '../miner-http.ts';
import { ArcStyleEndpoint, type ArcStyleOptions } from './arc-style-endpoint.ts';
import { completeForm } from './complete-forms.ts';
import { answerSchema, failedVerdict, readAnswer, verdictOf } from './verdicts.ts';

const BINARY = 'application/octet-stream';
/** The error by which ARC asks for the extended format, and the status of what waits for a parent that the network does not know. */
const PARENTS_MISSING: readonly string[] = ['460', 'SEEN_IN_ORPHAN_MEMPOOL'];

/** A batch is answered with a bare array, or inside an object. */
const batchSchema = z.union([
  z.array(answerSchema),
  z.object({ transactions: z.array(answerSchema) }).transform(({ transactions }) => transactions),
]);

/** A miner behind ARC. */
export class ArcEndpoint extends ArcStyleEndpoint {
  readonly kind = 'arc';
  protected readonly read = readAnswer;
  /** Random, so that an operator can tell runs apart in the miner's logs, and nobody else can link them. */
  readonly #deploymentId = `planchet-${randomBytes(8).toString('hex')}`;

  constructor(options: ArcStyleOptions) {
    super(arcHttp(options), options);
  }

  /** See {@link MinerEndpoint.submit}. What the miner lacks the parents of is sent again with them, where they are known here. */
  async submit(transactions: readonly OutgoingTransaction[], options: SubmitOptions = {}): Promise<MinerVerdict[]> {
    const verdicts = await this.#submitRaw(transactions, options);
    const lacksParents = ({ word }: MinerVerdict): boolean => PARENTS_MISSING.includes(word);
    return this.complete(transactions, verdicts, lacksParents, async ({ txid, rawTx }, known) => {
      const content = await completeForm(rawTx, known);
      if (content === undefined) return undefined;
      const verdict = await this.#submitOne(txid, content, options);
      if (verdict.failure?.id !== 'merchant.other-txid') return verdict;
      // from 1.4 on, ARC answers with the status of the first transaction of the BEEF that is not mined
      const own = await this.status(txid).catch(() => undefined);
      return own === undefined || own.status === 'unknown' ? verdict : own;
    });
  }

  async #submitOne(txid: string, content: Uint8Array, options: SubmitOptions): Promise<MinerVerdict> {
    const body = { type: BINARY, content } as const;
    const answer = await this.http.call('/tx', foreignBounds.minerVerdict, body, this.#headersOf(options));
    return verdictOf(txid, readAnswer(answer), answer.text);
  }

  async #submitRaw(transactions: readonly OutgoingTransaction[], options: SubmitOptions): Promise<MinerVerdict[]> {
    const [only] = transactions;
    if (only === undefined) return [];
    if (transactions.length === 1) return [await this.#submitOne(only.txid, only.rawTx, options)];
    const content = Buffer.concat(transactions.map(({ rawTx }) => rawTx));
    const body = { type: BINARY, content } as const;
    const answer = await this.http.call('/txs', foreignBounds.minerVerdicts, body, this.#headersOf(options, true));
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
}

export function arcHttp(options: MinerHttpOptions): MinerHttp {
  // ARC itself waits for a status up to 30 s.
  return new MinerHttp({ ...options, timeoutMs: options.timeoutMs ?? 40_000, url: () => versioned(options.url()) });
}

/** People know a service by its address with and without the version. */
function versioned(url: string): string {
  const base = url.replace(/\/+$/, '');
  return base === '' || /\/v\d+$/.test(base) ? base : `${base}/v1`;
}
