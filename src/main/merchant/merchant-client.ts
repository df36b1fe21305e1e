import { isRateAbove, txidOf } from '../../chain/index.ts';
import { type MinerQuote, PlanchetError } from '../../contract/index.ts';
import type { BatchMerchant, FeeQuote, Merchant } from '../ports/merchant.ts';
import type { MinerEndpoint, MinerVerdict } from '../ports/miners.ts';
import type { SettingsView } from '../ports/settings.ts';

export interface MerchantClientOptions {
  /** The miner that is asked. @throws PlanchetError if none is switched on */
  miner: () => MinerEndpoint;
  settings: Pick<SettingsView, 'current'>;
}

/** One miner as the services use it: fee quotes within the price limit, submission and status. */
export class MerchantClient implements BatchMerchant {
  readonly #options: MerchantClientOptions;

  constructor(options: MerchantClientOptions) {
    this.#options = options;
  }

  /**
   * The miner's fee quote, cached until it expires. A price above the setting `maxFeeRate` is refused, whoever signed it.
   * @throws PlanchetError `fee-too-high`, `merchant-key-changed`, `upstream-*`, `unauthorized`, `api-key-missing`
   */
  async feeQuote(): Promise<FeeQuote> {
    const quote = await this.#options.miner().quote();
    refuseRateAbove(this.#options.settings.current().maxFeeRate, quote);
    const { standard, data, expiresAt, source } = quote;
    return { standard, data, expiresAt, ...(source && { source }) };
  }

  /**
   * Hands a signed transaction to the miner. If the miner has it already, that is a success, since a step may be repeated after a crash.
   * @throws PlanchetError `rejected` with the miner's text; `upstream-error` where the miner failed and a later attempt may succeed;
   *   `upstream-*`, `unauthorized`, `api-key-missing`
   */
  async submit(rawTx: Uint8Array): Promise<{ txid: string }> {
    const [failure] = await this.submitAll([rawTx]);
    if (failure !== undefined) throw failure;
    return { txid: txidOf(rawTx) };
  }

  /** See {@link BatchMerchant.submitAll}. */
  async submitAll(rawTxs: readonly Uint8Array[]): Promise<(PlanchetError | undefined)[]> {
    const verdicts = await this.#options.miner().submit(rawTxs.map((rawTx) => ({ txid: txidOf(rawTx), rawTx })));
    return verdicts.map(errorOf);
  }

  /**
   * What the miner knows of a transaction.
   * @param txid 64 lower-case hex digits
   * @throws PlanchetError `upstream-*` also where its nodes do not agree, `unauthorized`, `api-key-missing`
   */
  async status(txid: string): ReturnType<Merchant['status']> {
    const verdict = await this.#options.miner().status(txid);
    const error = errorOf(verdict);
    if (error !== undefined) throw error;
    if (verdict.status === 'unknown' || verdict.status === 'evicted')
      return { known: false, reason: verdict.reason?.text ?? '' };
    const { block } = verdict;
    return {
      known: true,
      blockHash: block?.hash ?? null,
      blockHeight: block === null || block.height < 0 ? null : block.height,
    };
  }
}

function errorOf({ failure }: MinerVerdict): PlanchetError | undefined {
  return failure === null ? undefined : new PlanchetError(failure);
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
