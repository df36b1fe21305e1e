import type { z } from 'zod';
import type { QuoteSource } from '../../../../contract/index.ts';
import type { ForeignBounds } from '../../../foreign-json.ts';
import { failedAnswer, MinerHttp, type MinerHttpOptions, type RequestBody } from '../miner-http.ts';
import type { KeyCheck } from './merchant-keys.ts';
import { openAnswer } from './open-answer.ts';

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
   * @param bounds what the answer may be, and the payload in its envelope
   * @param body makes it a POST
   * @returns the payload of a checked envelope, as `schema` reads it, and who signed it
   * @throws PlanchetError `upstream-unreachable`, `upstream-timeout`, `upstream-error`, `merchant-key-changed`, `unauthorized`,
   *   `api-key-missing`, `vault-locked`
   */
  async call<T>(path: string, schema: z.ZodType<T>, bounds: ForeignBounds, body?: RequestBody): Promise<MapiAnswer<T>> {
    const answer = await this.#http.call(path, bounds, body);
    if (answer.status !== 200) throw failedAnswer(answer);
    const { base, text } = answer;
    const { payload, signer } = openAnswer(text, schema, bounds);
    // Last, so that the key of something that is no merchant API is not remembered.
    const source = await this.#keys.check(base, signer);
    return { payload, source, raw: text, signature: signer === null ? 'unsigned' : 'valid' };
  }
}
