import {
  type LazyTx,
  plainBytes,
  readHex,
  type Sentence,
  type Steps,
  scanSingleTx,
  sentence,
  sentenceOf,
  serializeTx,
  type Tx,
  txidOf,
} from '../../chain/index.ts';
import { TraceError } from '../errors.ts';
import type { TraceBudget } from './budget.ts';

/**
 * Fetches a transaction by its txid, as bytes, hex or parsed; undefined if it is unknown.
 * @param signal the trace's signal, if it has one
 */
export type FetchTx = (txid: string, signal?: AbortSignal) => Promise<Uint8Array | string | Tx | undefined>;

/** Transactions by txid, each fetched once and checked against its txid. Stored as bytes: parsed ones take twenty times the memory. */
export class TxLoader {
  readonly #fetchTx: FetchTx;
  readonly #budget: TraceBudget;
  readonly #known = new Map<string, LazyTx>();

  constructor(fetchTx: FetchTx, budget: TraceBudget) {
    this.#fetchTx = fetchTx;
    this.#budget = budget;
  }

  /** How many of these have not been fetched yet. */
  missing(txids: ReadonlySet<string>): number {
    let missing = 0;
    for (const txid of txids) if (!this.#known.has(txid)) missing += 1;
    return missing;
  }

  /** @throws TokenError `trace-invalid`, `trace-unavailable`, `trace-limit`, `trace-aborted` */
  async load(txid: string): Promise<LazyTx> {
    const known = this.#known.get(txid);
    if (known) return known;
    this.#budget.take('maxFetches', 1, txid);
    const given = await this.#fetch(txid);
    if (given === undefined || given === null) throw broken(txid, 'it is not known');
    // counted before it is processed
    if (typeof given === 'string') this.#budget.take('maxFetchedBytes', Math.ceil(given.length / 2), txid);
    else if (given instanceof Uint8Array) this.#budget.take('maxFetchedBytes', given.length, txid);
    const walked = await this.#budget.run(this.#read(txid, given), txid);
    const hashed = txidOf(walked.raw);
    if (hashed !== txid) throw broken(txid, sentence('what was given for it is {hash}', { hash: hashed }));
    this.#known.set(txid, walked);
    return walked;
  }

  async #fetch(txid: string): Promise<unknown> {
    try {
      return await this.#budget.waitFor(async () => this.#fetchTx(txid, this.#budget.signal), txid);
    } catch (error) {
      if (error instanceof TraceError && error.code === 'trace-aborted') throw error;
      this.#budget.requireGoing(txid);
      const message = sentence('The transaction {txid} could not be fetched.', { txid });
      throw new TraceError('trace-unavailable', txid, message, {}, { cause: error });
    }
  }

  *#read(txid: string, given: unknown): Steps<LazyTx> {
    try {
      let bytes: Uint8Array;
      if (typeof given === 'string') bytes = yield* readHex(given);
      // a copy, because the caller may modify its array
      else if (given instanceof Uint8Array) bytes = plainBytes(given).slice();
      else {
        bytes = serializeTx(given as Tx);
        this.#budget.take('maxFetchedBytes', bytes.length, txid);
      }
      return yield* scanSingleTx(bytes);
    } catch (error) {
      if (error instanceof TraceError) throw error;
      throw broken(txid, 'what was given for it is no transaction', error);
    }
  }
}

/** The error for a history that does not lead back to its contract. */
export function broken(txid: string, why: string | Sentence, cause?: unknown): TraceError {
  const options = cause === undefined ? undefined : { cause };
  const text = sentence('The history breaks at transaction {txid}: {why}.', { txid, why: sentenceOf(why, {}) });
  return new TraceError('trace-invalid', txid, text, {}, options);
}
