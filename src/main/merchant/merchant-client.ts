import { z } from 'zod';
import { isRateAbove, toHex, txidOf } from '../../chain/index.ts';
import { hashSchema, PlanchetError } from '../../contract/index.ts';
import type { Clock } from '../ports/clock.ts';
import type { BatchMerchant, FeeQuote, Merchant } from '../ports/merchant.ts';
import type { SettingsView } from '../ports/settings.ts';
import { MapiHttp, type MapiHttpOptions } from './mapi-http.ts';
import { classifyRefusal, refusalError } from './refusals.ts';

export interface MerchantClientOptions extends MapiHttpOptions {
  clock: Clock;
  settings: Pick<SettingsView, 'current'>;
}

/** A quote with its signer, which the client always knows. */
type SourcedQuote = FeeQuote & Required<Pick<FeeQuote, 'source'>>;

const rateSchema = z.object({
  satoshis: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER),
  bytes: z.number().int().min(1).max(Number.MAX_SAFE_INTEGER),
});
const feeQuoteSchema = z.object({
  timestamp: z.iso.datetime({ offset: true }),
  expiryTime: z.iso.datetime({ offset: true }),
  fees: z.array(z.object({ feeType: z.string(), miningFee: rateSchema })),
});

/** Fields a miner has nothing to say in are missing, null or empty, depending on its version. */
const text = z
  .string()
  .nullish()
  .transform((value) => value ?? '');
const submitSchema = z.object({
  txid: text,
  returnResult: z.enum(['success', 'failure']),
  resultDescription: text,
  failureRetryable: z.boolean().nullish(),
});
const batchSchema = z.object({ txs: z.array(submitSchema) });
const statusSchema = z.object({
  returnResult: z.enum(['success', 'failure']),
  resultDescription: text,
  blockHash: hashSchema.nullish().or(z.literal('')),
  blockHeight: z.number().int().min(-1).nullish(),
  confirmations: z.number().int().nullish(),
});

/** The merchant API (spec 4.3) as the studio uses it: fee quotes, submission and status, over checked envelopes. */
export class MerchantClient implements BatchMerchant {
  readonly #http: MapiHttp;
  readonly #clock: Clock;
  readonly #address: () => string;
  readonly #options: Pick<MerchantClientOptions, 'keys' | 'settings'>;
  #quote: { from: string; quote: SourcedQuote } | undefined;
  #asking: { from: string; answer: Promise<SourcedQuote> } | undefined;

  constructor(options: MerchantClientOptions) {
    this.#http = new MapiHttp(options);
    this.#clock = options.clock;
    this.#options = options;
    this.#address = () => options.endpoints().mapiUrl;
  }

  /**
   * The miner's fee quote, cached until it expires. Concurrent calls share one request. A price above
   * the setting `maxFeeRate` is refused, whoever signed it.
   * @throws PlanchetError `fee-too-high`, `merchant-key-changed`, `upstream-*`, `unauthorized`, `api-key-missing`
   */
  async feeQuote(): Promise<FeeQuote> {
    const quote = await this.#currentQuote();
    refuseRateAbove(this.#options.settings.current().maxFeeRate, quote);
    return quote;
  }

  async #currentQuote(): Promise<SourcedQuote> {
    const from = this.#address();
    const known = this.#quote;
    const isFresh = known?.from === from && known.quote.expiresAt > this.#clock.now();
    if (isFresh && this.#options.keys.isTrusted(known.quote.source)) return known.quote;
    if (this.#asking?.from !== from) {
      const answer = this.#fetchQuote().then((quote) => {
        this.#quote = { from, quote };
        return quote;
      });
      const asking = { from, answer };
      this.#asking = asking;
      const done = (): void => {
        if (this.#asking === asking) this.#asking = undefined;
      };
      answer.then(done, done);
    }
    return this.#asking.answer;
  }

  /**
   * Hands a signed transaction to the miner. If the miner has it already, that is a success, since a step may be repeated after a crash.
   * @throws PlanchetError `rejected` with the miner's text; `upstream-error` where the miner failed and a later attempt may succeed;
   *   `upstream-*`, `unauthorized`, `api-key-missing`
   */
  async submit(rawTx: Uint8Array): Promise<{ txid: string }> {
    const txid = txidOf(rawTx);
    const { payload } = await this.#http.call('POST', '/tx', submitSchema, { rawTx: toHex(rawTx) });
    const failure = failureOf(payload, txid);
    if (failure !== undefined) throw failure;
    return { txid };
  }

  /** See {@link BatchMerchant.submitAll}. */
  async submitAll(rawTxs: readonly Uint8Array[]): Promise<(PlanchetError | undefined)[]> {
    const elements = rawTxs.map((rawTx) => ({ rawTx: toHex(rawTx) }));
    const { payload } = await this.#http.call('POST', '/txs', batchSchema, elements);
    const byTxid = new Map(payload.txs.map((result) => [result.txid.toLowerCase(), result]));
    return rawTxs.map((rawTx) => {
      const txid = txidOf(rawTx);
      const result = byTxid.get(txid);
      if (result !== undefined) return failureOf(result, txid);
      return new PlanchetError('merchant.no-result');
    });
  }

  /**
   * What the miner knows of a transaction.
   * @param txid 64 lower-case hex digits
   * @throws PlanchetError `upstream-*` also where its nodes do not agree, `unauthorized`, `api-key-missing`
   */
  async status(txid: string): ReturnType<Merchant['status']> {
    const { payload: result } = await this.#http.call('GET', `/tx/${encodeURIComponent(txid)}`, statusSchema);
    if (result.returnResult === 'failure') {
      const reason = result.resultDescription || 'no reason given';
      if (classifyRefusal(reason).retry === 'later') throw refusalError(reason);
      return { known: false, reason };
    }
    const mined = result.blockHash ? result.blockHash : null;
    return {
      known: true,
      blockHash: mined,
      blockHeight: mined === null ? null : (result.blockHeight ?? null),
      confirmations: mined === null ? 0 : Math.max(0, result.confirmations ?? 0),
    };
  }

  async #fetchQuote(): Promise<SourcedQuote> {
    const { payload, source } = await this.#http.call('GET', '/feeQuote', feeQuoteSchema);
    const { fees, timestamp, expiryTime } = payload;
    // its own clock may be another than this machine's, so only how long it is valid counts
    const validFor = Date.parse(expiryTime) - Date.parse(timestamp);
    if (validFor <= 0) {
      throw new PlanchetError('merchant.quote-expired');
    }
    const rateOf = (type: string) => fees.find(({ feeType }) => feeType === type)?.miningFee;
    const standard = rateOf('standard');
    if (!standard) {
      throw new PlanchetError('merchant.quote-incomplete');
    }
    return { standard, data: rateOf('data') ?? standard, expiresAt: this.#clock.now() + validFor, source };
  }
}

/** @throws PlanchetError `fee-too-high` for a quote above so many satoshis per 1,000 bytes */
function refuseRateAbove(maxFeeRate: number, { standard, data }: FeeQuote): void {
  const dear = [standard, data].find((rate) => isRateAbove(rate, maxFeeRate));
  if (dear === undefined) return;
  throw new PlanchetError(
    'merchant.fee-too-high',
    { satoshis: dear.satoshis, bytes: dear.bytes, maxFeeRate },
    { detail: { satoshis: dear.satoshis, bytes: dear.bytes, maxFeeRate } },
  );
}

/** What a miner's result says; undefined where it has the transaction. */
function failureOf(result: z.infer<typeof submitSchema>, txid: string): PlanchetError | undefined {
  if (result.returnResult === 'success') {
    if (result.txid === '' || result.txid.toLowerCase() === txid) return undefined;
    return new PlanchetError('merchant.other-txid', { answered: result.txid, sent: txid });
  }
  return refusalError(result.resultDescription, result.failureRetryable === true);
}
