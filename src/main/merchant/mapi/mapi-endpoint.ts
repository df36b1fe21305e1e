import { fromHex } from '../../../chain/index.ts';
import { type MinerQuote, PlanchetError, type QuoteSource } from '../../../contract/index.ts';
import type { Clock } from '../../ports/clock.ts';
import type {
  MinerEndpoint,
  MinerStatus,
  MinerVerdict,
  NamedMiner,
  OutgoingTransaction,
  SubmitOptions,
} from '../../ports/miners.ts';
import { classifyRefusal, reasonOf, refusalError } from '../refusals.ts';
import { type MapiAnswer, MapiHttp, type MapiHttpOptions } from './mapi-http.ts';
import {
  batchSchema,
  quoteSchema,
  type StatusPayload,
  type SubmitPayload,
  statusSchema,
  submitSchema,
} from './payloads.ts';

export interface MapiEndpointOptions extends MapiHttpOptions {
  miner: NamedMiner;
  clock: Clock;
}

/** A quote with its signer, which this endpoint always knows. */
type SourcedQuote = MinerQuote & { source: QuoteSource };

const HEX = /^(?:[0-9a-f]{2})+$/i;

/** What a verdict on a transaction says unless the miner says otherwise. */
const silent = { block: null, bump: null, conflicts: [] } as const;

/** A miner behind the merchant API, versions 1.2.0 to 1.5.0 (spec 4.3). */
export class MapiEndpoint implements MinerEndpoint {
  readonly id: string;
  readonly name: string;
  readonly kind = 'mapi';
  readonly #http: MapiHttp;
  readonly #options: MapiEndpointOptions;
  #quote: { from: string; quote: SourcedQuote } | undefined;
  #asking: { from: string; answer: Promise<SourcedQuote> } | undefined;
  /** Endpoints that answered 415 to raw bytes get JSON from then on. */
  #takesBytes = true;
  /** Endpoints of before 1.4.0 have fee quotes alone. */
  #hasPolicies = true;

  constructor(options: MapiEndpointOptions) {
    this.id = options.miner.id;
    this.name = options.miner.name;
    this.#http = new MapiHttp(options);
    this.#options = options;
  }

  /** See {@link MinerEndpoint.quote}. Concurrent calls share one request. */
  async quote(): Promise<SourcedQuote> {
    const from = this.#options.url();
    const cached = this.#quote;
    const isFresh = cached?.from === from && cached.quote.expiresAt > this.#options.clock.now();
    if (isFresh && this.#options.keys.isTrusted(cached.quote.source)) return cached.quote;
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

  async submit(transactions: readonly OutgoingTransaction[], options: SubmitOptions = {}): Promise<MinerVerdict[]> {
    const [only] = transactions;
    if (only === undefined) return [];
    if (transactions.length === 1) {
      const { payload, ...answer } = await this.#post('/tx', transactions, options, submitSchema);
      return [submitVerdict(only.txid, payload, answer)];
    }
    const { payload, ...answer } = await this.#post('/txs', transactions, options, batchSchema);
    const byTxid = new Map(payload.txs.map((result) => [result.txid.toLowerCase(), result]));
    return transactions.map(({ txid }) => {
      const result = byTxid.get(txid);
      // The envelope of thousands is not stored once for each of them.
      const raw = result === undefined ? '' : JSON.stringify(result);
      if (result !== undefined) return submitVerdict(txid, result, { ...answer, raw });
      return failedVerdict(txid, new PlanchetError('merchant.no-result'), { ...answer, raw });
    });
  }

  /**
   * See {@link MinerEndpoint.status}.
   * @param txid 64 lower-case hex digits
   */
  async status(txid: string): Promise<MinerVerdict> {
    const { payload, ...answer } = await this.#http.get(`/tx/${encodeURIComponent(txid)}`, statusSchema);
    return statusVerdict(txid, payload, answer);
  }

  /** Raw bytes are half the size of hex, so they go first. */
  async #post<T>(
    path: '/tx' | '/txs',
    transactions: readonly OutgoingTransaction[],
    options: SubmitOptions,
    schema: Parameters<MapiHttp['get']>[1] & { parse(value: unknown): T },
  ): Promise<MapiAnswer<T>> {
    const asked = fieldsOf(options);
    if (this.#takesBytes) {
      try {
        const query = new URLSearchParams(Object.entries(asked).map(([name, value]) => [name, String(value)]));
        const body = Buffer.concat(transactions.map(({ rawTx }) => rawTx));
        const suffix = query.size === 0 ? '' : `?${query}`;
        return (await this.#http.postBytes(`${path}${suffix}`, schema, body)) as MapiAnswer<T>;
      } catch (error) {
        if (!(error instanceof PlanchetError) || error.detail?.status !== 415) throw error;
        this.#takesBytes = false;
      }
    }
    const elements = transactions.map(({ rawTx }) => ({ rawTx: Buffer.from(rawTx).toString('hex'), ...asked }));
    return (await this.#http.postJson(path, schema, path === '/tx' ? elements[0] : elements)) as MapiAnswer<T>;
  }

  async #fetchQuote(): Promise<SourcedQuote> {
    const { payload, source } = await this.#readQuote();
    const { fees, timestamp, expiryTime, policies, apiVersion } = payload;
    // its own clock may be another than this machine's, so only how long it is valid counts
    const validFor = Date.parse(expiryTime) - Date.parse(timestamp);
    if (validFor <= 0) throw new PlanchetError('merchant.quote-expired');
    const standard = fees.find(({ feeType }) => feeType === 'standard');
    if (!standard) throw new PlanchetError('merchant.quote-incomplete');
    const data = fees.find(({ feeType }) => feeType === 'data') ?? standard;
    const { relayFee: standardRelay } = standard;
    const { relayFee: dataRelay } = data;
    const { currentHighestBlockHash: hash, currentHighestBlockHeight: height } = payload;
    const now = this.#options.clock.now();
    return {
      standard: standard.miningFee,
      data: data.miningFee,
      relay: standardRelay && dataRelay ? { standard: standardRelay, data: dataRelay } : null,
      at: now,
      expiresAt: now + validFor,
      minerTime: Date.parse(timestamp),
      apiVersion: apiVersion || null,
      policies,
      highestBlock: hash && height !== null && height !== undefined ? { hash, height } : null,
      source,
    };
  }

  async #readQuote(): Promise<MapiAnswer<(typeof quoteSchema)['_output']>> {
    if (this.#hasPolicies) {
      try {
        return await this.#http.get('/policyQuote', quoteSchema);
      } catch (error) {
        const status = error instanceof PlanchetError ? error.detail?.status : undefined;
        if (status !== 404 && status !== 400 && status !== 405) throw error;
      }
    }
    const quote = await this.#http.get('/feeQuote', quoteSchema);
    this.#hasPolicies = false;
    return quote;
  }
}

/** Options under the names of the JSON body, which the query of a binary body shares (wire.md 3.4). */
function fieldsOf({ callback, merkleProof, dsCheck }: SubmitOptions): Record<string, string | boolean> {
  return {
    ...(callback && {
      callbackUrl: callback.url,
      callbackToken: callback.token,
      ...(callback.encryption && { callbackEncryption: callback.encryption }),
    }),
    ...(merkleProof && { merkleProof, merkleFormat: 'TSC' }),
    ...(dsCheck && { dsCheck }),
  };
}

type Answer = Pick<MinerVerdict, 'raw' | 'signature'>;

function submitVerdict(txid: string, result: SubmitPayload, { raw, signature }: Answer): MinerVerdict {
  const answer = { raw, signature };
  if (result.returnResult === 'success') {
    if (result.txid === '' || result.txid.toLowerCase() === txid)
      return { ...silent, ...answer, txid, status: 'accepted', word: 'success', reason: null, failure: null };
    return failedVerdict(txid, new PlanchetError('merchant.other-txid', { answered: result.txid, sent: txid }), answer);
  }
  const error = refusalError(result.resultDescription, result.failureRetryable === true);
  // The miner has it already, so nothing failed.
  if (error === undefined)
    return { ...silent, ...answer, txid, status: 'accepted', word: 'failure', reason: null, failure: null };
  return { ...failedVerdict(txid, error, answer), conflicts: result.conflictedWith.map(conflictOf) };
}

function conflictOf({ txid, hex }: SubmitPayload['conflictedWith'][number]): MinerVerdict['conflicts'][number] {
  return { txid, rawTx: hex && HEX.test(hex) ? fromHex(hex.toLowerCase()) : null };
}

function failedVerdict(txid: string, error: PlanchetError, { raw, signature }: Answer): MinerVerdict {
  const reason = reasonOf(error);
  const status: MinerStatus =
    error.code !== 'rejected' ? 'unclear' : reason.text === 'evicted' ? 'evicted' : 'rejected';
  return { ...silent, raw, signature, txid, status, word: 'failure', reason, failure: error.toFailure() };
}

function statusVerdict(txid: string, payload: StatusPayload, { raw, signature }: Answer): MinerVerdict {
  const base = { ...silent, raw, signature, txid };
  if (payload.returnResult === 'success') {
    const { blockHash, blockHeight } = payload;
    if (!blockHash) return { ...base, status: 'seen', word: 'success', reason: null, failure: null };
    const block = { hash: blockHash, height: blockHeight ?? -1 };
    return { ...base, status: 'mined', word: 'success', reason: null, failure: null, block };
  }
  const text = payload.resultDescription || 'no reason given';
  const error = refusalError(text);
  const { retry } = classifyRefusal(text);
  const reason = error === undefined ? null : reasonOf(error);
  if (retry === 'later')
    return { ...base, status: 'unclear', word: 'failure', reason, failure: error?.toFailure() ?? null };
  const status = text === 'evicted' ? 'evicted' : 'unknown';
  return { ...base, status, word: 'failure', reason: reason && { ...reason, text }, failure: null };
}
