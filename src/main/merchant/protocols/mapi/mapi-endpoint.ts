import { fromHex } from '../../../../chain/index.ts';
import { PlanchetError } from '../../../../contract/index.ts';
import { foreignBounds } from '../../../foreign-json.ts';
import type { Clock } from '../../../ports/clock.ts';
import type {
  MinerEndpoint,
  MinerVerdict,
  NamedMiner,
  OutgoingTransaction,
  SubmitOptions,
} from '../../../ports/merchant/miners.ts';
import type { RequestBody } from '../miner-http.ts';
import { validFor } from '../quote-validity.ts';
import { inBodies, leftoverOf, MAX_BODY_BYTES } from './batches.ts';
import { type MapiAnswer, MapiHttp, type MapiHttpOptions } from './mapi-http.ts';
import {
  batchSchema,
  type OutputPayload,
  outputsSchema,
  type QuotePayload,
  quoteSchema,
  type SubmitPayload,
  statusSchema,
  submitSchema,
} from './payloads.ts';
import { failedVerdict, quoteOf, type SourcedQuote, statusVerdict, submitVerdict } from './verdicts.ts';

export interface MapiEndpointOptions extends MapiHttpOptions {
  miner: NamedMiner;
  clock: Clock;
}

export type MinerOutput =
  | { readonly state: 'unspent'; readonly satoshis: number | null; readonly script: Uint8Array | null }
  | { readonly state: 'missing' }
  /** @property by the transaction that spends it, where the miner names it */
  | { readonly state: 'spent'; readonly by: string | null };

const SATOSHIS_A_BSV = 100_000_000;

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
  /** Bytes of a request's body; less once the miner has refused one of that size, until it takes all that are filled to it. */
  #maxBytes = MAX_BODY_BYTES;
  /** Endpoints of before 1.4.0 have fee quotes alone. */
  #hasPolicies = true;

  constructor(options: MapiEndpointOptions) {
    this.id = options.miner.id;
    this.name = options.miner.name;
    this.#http = new MapiHttp(options);
    this.#options = options;
  }

  /** See {@link MinerEndpoint.quote}. Concurrent calls share one request. */
  async quote(remaining = 0): Promise<SourcedQuote> {
    const from = this.#options.url();
    const cached = this.#quote;
    const isFresh = cached?.from === from && validFor(cached.quote, this.#options.clock.now()) > remaining;
    if (isFresh && this.#options.keys.isTrusted(cached.quote.source)) return cached.quote;
    if (this.#asking?.from !== from) {
      const answer = this.#readQuote().then(({ payload, source }) => {
        const quote = quoteOf(payload, source, this.#options.clock.now());
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

  /** See {@link MinerEndpoint.submit}. What is too large for one request goes in several, one after the other. */
  async submit(transactions: readonly OutgoingTransaction[], options: SubmitOptions = {}): Promise<MinerVerdict[]> {
    const verdicts: MinerVerdict[] = [];
    let bodies = inBodies(transactions, this.#takesBytes ? this.#maxBytes : Math.floor(this.#maxBytes / 2));
    let mayGrow = bodies.length > 1;
    for (let body = bodies.shift(); body !== undefined; body = bodies.shift()) {
      try {
        verdicts.push(...(await this.#submitBody(body, options)));
      } catch (error) {
        if (!(error instanceof PlanchetError)) throw error;
        if (error.detail?.status === 413 && body.length > 1) {
          mayGrow = false;
          this.#maxBytes = Math.ceil(body.reduce((sum, { rawTx }) => sum + rawTx.length, 0) / 2);
          bodies = inBodies([body, ...bodies].flat(), this.#maxBytes);
          continue;
        }
        // Nothing was answered yet, so the caller may ask another miner for all of them.
        if (verdicts.length === 0) throw error;
        const rest = transactions.slice(verdicts.length);
        return [...verdicts, ...rest.map(({ txid }) => failedVerdict(txid, error, { raw: '', signature: 'none' }))];
      }
    }
    if (mayGrow) this.#maxBytes = Math.min(MAX_BODY_BYTES, this.#maxBytes * 2);
    return verdicts;
  }

  async #submitBody(transactions: readonly OutgoingTransaction[], options: SubmitOptions): Promise<MinerVerdict[]> {
    const [only] = transactions as readonly [OutgoingTransaction];
    if (transactions.length === 1) {
      const { payload, ...answer } = await this.#post('/tx', transactions, options, submitSchema);
      return [submitVerdict(only.txid, payload, answer)];
    }
    const { payload, ...answer } = await this.#post('/txs', transactions, options, batchSchema);
    const byTxid = new Map<string, SubmitPayload>();
    for (const result of payload.txs) {
      const txid = result.txid.toLowerCase();
      // Of two results for one transaction the worse counts.
      if (byTxid.get(txid)?.returnResult !== 'failure') byTxid.set(txid, result);
    }
    const leftover = leftoverOf(transactions, payload.txs);
    return transactions.map(({ txid }) => {
      const result = byTxid.get(txid) ?? leftover;
      // The envelope of thousands is not stored once for each of them.
      const raw = result === undefined ? '' : JSON.stringify(result);
      if (result !== undefined) return submitVerdict(txid, result, { ...answer, raw });
      return failedVerdict(txid, new PlanchetError('merchant.no-result'), { ...answer, raw });
    });
  }

  /**
   * What the miner knows of outputs, those of its mempool included; version 1.5.0 alone has this.
   * @returns one for each outpoint, in the same order
   * @throws PlanchetError `upstream-*` also where the miner does not have it, `unauthorized`, `merchant-key-changed`
   */
  async outputs(outpoints: readonly { readonly txid: string; readonly vout: number }[]): Promise<MinerOutput[]> {
    const path = '/txouts?includeMempool=true&returnField=scriptPubKey&returnField=value&returnField=confirmations';
    const asked = outpoints.map(({ txid, vout }) => ({ txid, n: vout }));
    const { payload } = await this.#http.call(path, outputsSchema, foreignBounds.minerVerdicts, jsonBody(asked));
    if (payload.returnResult !== 'success' || payload.txouts.length !== outpoints.length)
      throw new PlanchetError('merchant.no-result');
    return payload.txouts.map(outputOf);
  }

  /**
   * See {@link MinerEndpoint.status}.
   * @param txid 64 lower-case hex digits
   */
  async status(txid: string): Promise<MinerVerdict> {
    // from 1.5.0 on, the answer has the proof if it is asked for
    const asked = hasProofs(this.#quote?.quote.apiVersion) ? '?merkleProof=true&merkleFormat=TSC' : '';
    const path = `/tx/${encodeURIComponent(txid)}${asked}`;
    const { payload, ...answer } = await this.#http.call(path, statusSchema, foreignBounds.minerVerdict);
    return statusVerdict(txid, payload, answer);
  }

  /** Raw bytes are half the size of hex, so they go first. */
  async #post<T>(
    path: '/tx' | '/txs',
    transactions: readonly OutgoingTransaction[],
    options: SubmitOptions,
    schema: Parameters<MapiHttp['call']>[1] & { parse(value: unknown): T },
  ): Promise<MapiAnswer<T>> {
    const asked = fieldsOf(options);
    const bounds = path === '/tx' ? foreignBounds.minerVerdict : foreignBounds.minerVerdicts;
    if (this.#takesBytes) {
      try {
        const query = new URLSearchParams(Object.entries(asked).map(([name, value]) => [name, String(value)]));
        const content = Buffer.concat(transactions.map(({ rawTx }) => rawTx));
        const body = { type: 'application/octet-stream', content } as const;
        const suffix = query.size === 0 ? '' : `?${query}`;
        return (await this.#http.call(`${path}${suffix}`, schema, bounds, body)) as MapiAnswer<T>;
      } catch (error) {
        if (!(error instanceof PlanchetError) || error.detail?.status !== 415) throw error;
        this.#takesBytes = false;
      }
    }
    const elements = transactions.map(({ rawTx }) => ({ rawTx: Buffer.from(rawTx).toString('hex'), ...asked }));
    const body = jsonBody(path === '/tx' ? elements[0] : elements);
    return (await this.#http.call(path, schema, bounds, body)) as MapiAnswer<T>;
  }

  async #readQuote(): Promise<MapiAnswer<QuotePayload>> {
    if (this.#hasPolicies) {
      try {
        return await this.#http.call('/policyQuote', quoteSchema, foreignBounds.minerTerms);
      } catch (error) {
        const status = error instanceof PlanchetError ? error.detail?.status : undefined;
        if (status !== 404 && status !== 400 && status !== 405) throw error;
      }
    }
    const quote = await this.#http.call('/feeQuote', quoteSchema, foreignBounds.minerTerms);
    this.#hasPolicies = false;
    return quote;
  }
}

function jsonBody(value: unknown): RequestBody {
  return { type: 'application/json', content: JSON.stringify(value) };
}

function hasProofs(version: string | null | undefined): boolean {
  const [major = 0, minor = 0] = (version ?? '').split('.').map(Number);
  return major > 1 || (major === 1 && minor >= 5);
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

function outputOf({ error, scriptPubKey, value, collidedWith }: OutputPayload): MinerOutput {
  if (error === 'spent') return { state: 'spent', by: collidedWith?.txid ?? null };
  if (error !== '') return { state: 'missing' };
  return {
    state: 'unspent',
    satoshis: typeof value === 'number' ? Math.round(value * SATOSHIS_A_BSV) : null,
    script: typeof scriptPubKey === 'string' ? fromHex(scriptPubKey.toLowerCase()) : null,
  };
}
