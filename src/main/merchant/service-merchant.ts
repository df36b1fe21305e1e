import { isRateAbove, txidOf } from '../../chain/index.ts';
import { type MinerQuote, PlanchetError, type TransactionOrigin } from '../../contract/index.ts';
import { endsWithin } from '../clock.ts';
import type { BatchMerchant, FeeQuote, Merchant, MinerTerms } from '../ports/merchant/merchant.ts';
import type { MinerEndpoint, Miners } from '../ports/merchant/miners.ts';
import type { SettingsView } from '../ports/settings.ts';
import { policyOf } from './policy.ts';
import type { Submitter } from './submission/submitter.ts';

/** A miner that has not told its terms by then is left out: payments and documents wait for them. */
const TERMS_MS = 3_000;

export interface ServiceMerchantOptions {
  miners: Miners;
  submitter: Submitter;
  settings: Pick<SettingsView, 'current'>;
  /** What is submitted is tracked under this name. */
  origin: TransactionOrigin;
}

/** The miners as one service uses them: fee quotes within the price limit, submission and status. */
export class ServiceMerchant implements BatchMerchant {
  readonly #options: ServiceMerchantOptions;

  constructor(options: ServiceMerchantOptions) {
    this.#options = options;
  }

  /**
   * The fee quote of the first miner that gives one, cached until it expires. A price above the setting `maxFeeRate` is refused, whoever signed it.
   * @throws PlanchetError `fee-too-high`, `merchant-key-changed`; where no miner gives one, why the first did not: `upstream-*`, `unauthorized`,
   *   `api-key-missing`
   */
  async feeQuote(): Promise<FeeQuote> {
    const quote = await this.#quote();
    refuseRateAbove(this.#options.settings.current().maxFeeRate, quote);
    const { standard, data, expiresAt, source } = quote;
    return { standard, data, expiresAt, policy: policyOf(quote), ...(source && { source }) };
  }

  /** See {@link Merchant.terms}. */
  async terms(): Promise<MinerTerms[]> {
    const told = this.#options.miners.usable().map(async (miner) => {
      const terms = termsOf(miner).catch(() => undefined);
      return (await endsWithin(terms, TERMS_MS)) ? terms : undefined;
    });
    return (await Promise.all(told)).filter((terms) => terms !== undefined);
  }

  /**
   * Hands a signed transaction to the miners. If one has it already, that is a success, since a step may be repeated after a crash.
   * @throws PlanchetError `rejected` with the miner's text; `upstream-error` where the miner failed and a later attempt may succeed;
   *   `upstream-*`, `unauthorized`, `api-key-missing`
   */
  async submit(rawTx: Uint8Array, fee?: number): Promise<{ txid: string }> {
    const [failure] = await this.#send([rawTx], [fee]);
    if (failure !== undefined) throw failure;
    return { txid: txidOf(rawTx) };
  }

  /** See {@link BatchMerchant.submitAll}. */
  async submitAll(rawTxs: readonly Uint8Array[], fees?: readonly number[]): Promise<(PlanchetError | undefined)[]> {
    const errors = await this.#send(rawTxs, fees);
    const [first] = errors;
    // No miner was reached, so the outcome of every transaction is unknown.
    if (first !== undefined && errors.every((error) => error?.code === first.code && isUnanswered(error))) throw first;
    return errors;
  }

  /**
   * What the miners know of a transaction. It is unknown only where each of them says so: one that fails may be the one that took it.
   * @param txid 64 lower-case hex digits
   * @throws PlanchetError where none knows it and one failed: `upstream-*` also where its nodes do not agree, `unauthorized`, `api-key-missing`
   */
  async status(txid: string): ReturnType<Merchant['status']> {
    let unknown: Awaited<ReturnType<Merchant['status']>> | undefined;
    const failures: unknown[] = [];
    for (const miner of this.#miners()) {
      try {
        const answer = await this.#statusAt(miner, txid);
        if (answer.known) return answer;
        unknown ??= answer;
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0 || unknown === undefined) throw failures[0];
    return unknown;
  }

  async #statusAt(miner: MinerEndpoint, txid: string): ReturnType<Merchant['status']> {
    const verdict = await miner.status(txid);
    await this.#options.submitter.prove(miner, [verdict]);
    // ARC remembers what it rejected: that is an answer, not a failed request
    const isAnswer = verdict.failure === null || verdict.word === 'REJECTED';
    if (isAnswer && ['unknown', 'evicted', 'rejected'].includes(verdict.status))
      return { known: false, reason: verdict.reason?.text ?? '' };
    const error = verdict.failure === null ? undefined : new PlanchetError(verdict.failure);
    // The request was refused, not the transaction: on a rejection the caller would release coins that the network may have spent.
    if (error?.code === 'rejected')
      throw new PlanchetError(
        'merchant.answer-refused',
        { status: verdict.word, reason: `: ${verdict.reason?.text ?? ''}` },
        { cause: error },
      );
    if (error !== undefined) throw error;
    const { block } = verdict;
    return {
      known: true,
      blockHash: block?.hash ?? null,
      blockHeight: block === null || block.height < 0 ? null : block.height,
    };
  }

  async #quote(): Promise<MinerQuote> {
    const failures: unknown[] = [];
    for (const miner of this.#miners()) {
      try {
        return await miner.quote();
      } catch (error) {
        // Only a person can accept another key. Asking the next miner would hide the change.
        if (error instanceof PlanchetError && error.code === 'merchant-key-changed') throw error;
        failures.push(error);
      }
    }
    throw failures[0];
  }

  async #send(
    rawTxs: readonly Uint8Array[],
    fees?: readonly (number | undefined)[],
  ): Promise<(PlanchetError | undefined)[]> {
    const { submitter, origin } = this.#options;
    const results = await submitter.submit(rawTxs.map((rawTx, index) => ({ rawTx, origin, fee: fees?.[index] })));
    return results.map(({ error }) => error);
  }

  /** @throws PlanchetError `upstream-unreachable` where none can be used */
  #miners(): MinerEndpoint[] {
    const miners = this.#options.miners.usable();
    if (miners.length === 0) throw new PlanchetError('merchant.no-miner');
    return miners;
  }
}

async function termsOf(miner: MinerEndpoint): Promise<MinerTerms> {
  const quote = await miner.quote();
  return { name: miner.name, standard: quote.standard, data: quote.data, policy: policyOf(quote) };
}

/** Failures of a whole request: the miner was not asked, or its answer was not used. */
function isUnanswered({ code, detail }: PlanchetError): boolean {
  return code !== 'rejected' && detail?.refusal === undefined;
}

/** @throws PlanchetError `fee-too-high` for a quote above so many satoshis per 1,000 bytes */
function refuseRateAbove(maxFeeRate: number, { standard, data }: MinerQuote): void {
  const dear = [standard, data].find((rate) => isRateAbove(rate, maxFeeRate));
  if (dear === undefined) return;
  const { satoshis, bytes } = dear;
  throw new PlanchetError(
    'merchant.fee-too-high',
    { satoshis, bytes, maxFeeRate },
    { detail: { satoshis, bytes, maxFeeRate } },
  );
}
