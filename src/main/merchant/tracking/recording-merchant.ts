import { txidOf } from '../../../chain/index.ts';
import { PlanchetError, type TransactionOrigin, toFailure } from '../../../contract/index.ts';
import type { BatchMerchant, FeeQuote, Merchant } from '../../ports/merchant.ts';
import type { MinerVerdict, NamedMiner } from '../../ports/miners.ts';
import type { TransactionTracker } from '../../ports/transactions.ts';

export interface RecordingMerchantOptions {
  merchant: BatchMerchant;
  tracker: TransactionTracker;
  /** The miner that `merchant` submits to. */
  miner: NamedMiner;
  origin: TransactionOrigin;
}

/** The merchant API as one service uses it: what it submits is tracked under its name, before it is sent. */
export class RecordingMerchant implements BatchMerchant {
  readonly #options: RecordingMerchantOptions;

  constructor(options: RecordingMerchantOptions) {
    this.#options = options;
  }

  feeQuote(): Promise<FeeQuote> {
    return this.#options.merchant.feeQuote();
  }

  async submit(rawTx: Uint8Array): Promise<{ txid: string }> {
    const { merchant, tracker, origin } = this.#options;
    await tracker.track([{ rawTx, origin }]);
    try {
      const result = await merchant.submit(rawTx);
      await this.#answered(txidOf(rawTx), undefined);
      return result;
    } catch (error) {
      await this.#answered(txidOf(rawTx), error);
      throw error;
    }
  }

  async submitAll(rawTxs: readonly Uint8Array[]): Promise<(PlanchetError | undefined)[]> {
    const { merchant, tracker, origin } = this.#options;
    await tracker.track(rawTxs.map((rawTx) => ({ rawTx, origin })));
    const results = await merchant.submitAll(rawTxs);
    for (const [index, rawTx] of rawTxs.entries()) await this.#answered(txidOf(rawTx), results[index]);
    return results;
  }

  status(txid: string): ReturnType<Merchant['status']> {
    return this.#options.merchant.status(txid);
  }

  async #answered(txid: string, error: unknown): Promise<void> {
    const { tracker, miner } = this.#options;
    await tracker.answered(miner, 'submit', error === undefined ? accepted(txid) : refused(txid, error));
  }
}

const silent = { failure: null, block: null, bump: null, conflicts: [], raw: '', signature: 'none' } as const;

function accepted(txid: string): MinerVerdict {
  return { ...silent, txid, status: 'accepted', word: 'success', reason: null };
}

function refused(txid: string, error: unknown): MinerVerdict {
  const { code, message, hint, detail } = toFailure(error);
  const isRefusal = error instanceof PlanchetError && code === 'rejected';
  const text = typeof detail?.reason === 'string' ? detail.reason : message;
  const refusal = typeof detail?.refusal === 'string' ? detail.refusal : code;
  return {
    ...silent,
    txid,
    status: isRefusal ? 'rejected' : 'unclear',
    word: 'failure',
    reason: { code: refusal, text, advice: hint ?? '', retriedByItself: !isRefusal },
  };
}
