import { type MinerKind, type MinerQuote, PlanchetError, type Reason } from '../../../../contract/index.ts';
import { foreignBounds } from '../../../foreign-json.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { MinerEndpoint, MinerVerdict, NamedMiner, OutgoingTransaction } from '../../../ports/merchant/miners.ts';
import type { KnownTransactions } from '../../../ports/merchant/transactions.ts';
import type { HttpAnswer, MinerHttp, MinerHttpOptions } from '../miner-http.ts';
import { ArcPolicy, complaintOf } from './policy.ts';
import { type Answer, silent, verdictOf } from './verdicts.ts';

/** Transactions of one request that are sent again with their parents. */
const MAX_COMPLETED = 100;

export interface ArcStyleOptions extends MinerHttpOptions {
  miner: NamedMiner;
  clock: Clock;
  /** Where the parents of a transaction are found that the miner does not know. */
  known?: KnownTransactions;
}

/** What ARC and its successor Arcade have in common. Nothing that they say is signed, and a proof counts only once it leads to a known header. */
export abstract class ArcStyleEndpoint implements MinerEndpoint {
  readonly id: string;
  readonly name: string;
  abstract readonly kind: MinerKind;
  protected readonly http: MinerHttp;
  protected readonly known: KnownTransactions | undefined;
  readonly #policy: ArcPolicy;

  constructor(http: MinerHttp, options: ArcStyleOptions) {
    this.id = options.miner.id;
    this.name = options.miner.name;
    this.http = http;
    this.known = options.known;
    this.#policy = new ArcPolicy(http, options);
  }

  /** See {@link MinerEndpoint.submit}. */
  abstract submit(transactions: readonly OutgoingTransaction[]): Promise<MinerVerdict[]>;

  /** @throws PlanchetError `upstream-error` for what is neither a status nor an error about a transaction */
  protected abstract readonly read: (answer: HttpAnswer) => Answer;

  /** See {@link MinerEndpoint.quote}. */
  quote(remaining = 0): Promise<MinerQuote> {
    return this.#policy.quote(remaining);
  }

  /** See {@link MinerEndpoint.complaint}. Not every service has this address. */
  complaint(): Promise<Reason | null> {
    return complaintOf(this.http);
  }

  /** See {@link MinerEndpoint.status}. */
  async status(txid: string): Promise<MinerVerdict> {
    const answer = await this.http.call(`/tx/${encodeURIComponent(txid)}`, foreignBounds.minerVerdict);
    if (answer.status === 404) return { ...silent, txid, status: 'unknown', word: 'UNKNOWN', raw: answer.text };
    return verdictOf(txid, this.read(answer), answer.text);
  }

  /**
   * Sends again what the miner lacks the parents of, and puts the new verdicts in their places.
   * @param again sends one with its parents; undefined where they are not known here either
   */
  protected async complete(
    transactions: readonly OutgoingTransaction[],
    verdicts: MinerVerdict[],
    lacksParents: (verdict: MinerVerdict) => boolean,
    again: (transaction: OutgoingTransaction, known: KnownTransactions) => Promise<MinerVerdict | undefined>,
  ): Promise<MinerVerdict[]> {
    const { known } = this;
    if (known === undefined) return verdicts;
    let left = MAX_COMPLETED;
    for (const [index, transaction] of transactions.entries()) {
      const first = verdicts[index];
      if (first === undefined || !lacksParents(first) || left-- <= 0) continue;
      try {
        verdicts[index] = (await again(transaction, known)) ?? first;
      } catch (error) {
        // what the miner said first still stands
        if (!(error instanceof PlanchetError)) throw error;
      }
    }
    return verdicts;
  }
}
