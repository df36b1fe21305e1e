import type { Logger } from 'pino';
import { fromHex } from '../../chain/index.ts';
import {
  type Failure,
  PlanchetError,
  type TrackedTransaction,
  type TransactionOrigin,
  toFailure,
  transactionStates,
} from '../../contract/index.ts';
import type { ChainData } from '../ports/chain-data.ts';
import type { Merchant } from '../ports/merchant/merchant.ts';
import type { TransactionTracker } from '../ports/merchant/transactions.ts';
import type { FundingWallet } from '../ports/wallet.ts';
import type { JobJournal } from './job-journal.ts';
import type { JobRow } from './job-row.ts';

/** Newest jobs whose blocks are looked at again after a start. */
const LOOKED_AT = 200;
/** States of a transaction that was mined and that no block of the main chain holds now. */
const backStates: readonly string[] = ['stale', 'evicted', 'submitted', 'seen', 'double-spent'];

export interface DeliveryOptions<Row extends JobRow> {
  readonly wallet: Pick<FundingWallet, 'noteSigned' | 'observe' | 'release'>;
  readonly merchant: Merchant;
  readonly chainData: ChainData;
  readonly tracker: Pick<TransactionTracker, 'track' | 'get'>;
  /** The origin under which the transactions are tracked. */
  readonly origin: TransactionOrigin;
  readonly logger: Logger;
  readonly journal: JobJournal<Row>;
  /** The name under which the wallet holds what a job spends. */
  readonly ownerOf: (id: string) => string;
  readonly write: (id: string, values: Partial<JobRow>) => Promise<void>;
  /** Where a test may end the process: after everything that another party or the disk has taken note of. */
  readonly crashPoint: (where: DeliveryPoint) => void;
}

export type DeliveryPoint = 'sent' | 'seen' | 'submitted' | 'mined';

/** Submits signed transactions and takes note of what the tracker finds of them, also through reorganisations. */
export class Delivery<Row extends JobRow> {
  readonly #options: DeliveryOptions<Row>;
  /** Transactions that may have left their block since they were last looked at. */
  readonly #doubted = new Set<string>();
  #isFirst = true;

  constructor(options: DeliveryOptions<Row>) {
    this.#options = options;
  }

  /** Submits the one signed transaction of a job. The miner knows it by its id, so submitting it again changes nothing. */
  async submit(row: Row): Promise<void> {
    const { merchant, wallet, ownerOf, write, crashPoint, logger } = this.#options;
    const rawTx = fromHex(row.raw_tx ?? '');
    // A miner that refuses the bytes may keep them.
    await wallet.noteSigned(ownerOf(row.id), rawTx);
    try {
      await merchant.submit(rawTx, feeOf(row));
    } catch (error) {
      const failure = await this.#whyNotTaken(row, error);
      if (failure !== undefined) {
        const refused = failure.code === 'rejected';
        logger.warn({ err: error, id: row.id, txid: row.txid }, 'a transaction was not taken');
        // first, so that it is done again where the store refuses it: what is halted is not looked at any more
        if (refused) await wallet.release(ownerOf(row.id));
        await write(row.id, { failure: JSON.stringify(failure), halted: refused ? 1 : 0 });
        return;
      }
    }
    crashPoint('sent');
    await wallet.observe(rawTx);
    await wallet.release(ownerOf(row.id));
    crashPoint('seen');
    await write(row.id, { state: 'submitted', failure: null });
    crashPoint('submitted');
  }

  /**
   * A submitted transaction is mined once a block of the main chain holds it. One that lost against another is submitted again, so that the
   * miner says why it is refused.
   */
  async follow(row: Row): Promise<void> {
    const { write, crashPoint } = this.#options;
    const tracked = await this.#tracked(row);
    if (tracked?.state === 'double-spent') await write(row.id, { state: 'signed' });
    if (tracked === undefined || tracked.block === null || !transactionStates.is(tracked.state, 'mined')) return;
    await write(row.id, { state: 'mined', block_hash: tracked.block.hash, block_height: tracked.block.height });
    crashPoint('mined');
  }

  /** Goes on with a refused transaction that a block holds after all: another miner had it. */
  async followRefused(row: Row): Promise<void> {
    const { wallet, write } = this.#options;
    if (!(await this.#isMined(row))) return;
    await wallet.observe(fromHex(row.raw_tx ?? ''));
    // The next request for the same is told of it once.
    const told = new PlanchetError('wallet.refused-mined', { txid: row.txid ?? '' }).toFailure();
    await write(row.id, { state: 'submitted', halted: 0, failure: JSON.stringify(told) });
    await this.follow(row);
  }

  /** The transaction may have left its block. */
  doubt(txid: string): void {
    this.#doubted.add(txid);
  }

  /** Transactions that a reorganisation took out of the chain are submitted again, since the node may have dropped them. */
  async watchMined(): Promise<void> {
    const { journal, write } = this.#options;
    if (!this.#isFirst && this.#doubted.size === 0) return;
    const doubted = [...this.#doubted];
    // What is doubted from here on is looked at again, since its state may have been read before.
    this.#doubted.clear();
    try {
      const newest = this.#isFirst ? await journal.newest(LOOKED_AT) : [];
      for (const row of [...newest, ...(await journal.minedAmong(doubted))]) {
        if (row.state !== 'mined') continue;
        const tracked = await this.#tracked(row);
        if (tracked !== undefined && backStates.includes(tracked.state))
          await write(row.id, { state: 'signed', block_hash: null, block_height: null });
      }
    } catch (error) {
      for (const txid of doubted) this.#doubted.add(txid);
      throw error;
    }
    this.#isFirst = false;
  }

  /**
   * A refusal counts only once the node and the miner were asked and do not have the transaction: a miner may refuse what it already has,
   * or what another one took whose answer was lost. @returns undefined where it was taken
   */
  async #whyNotTaken(row: Row, error: unknown): Promise<Failure | undefined> {
    const { chainData, merchant } = this.#options;
    const txid = row.txid ?? '';
    const failure = toFailure(error);
    if (failure.code !== 'rejected') return failure;
    if (await this.#isMined(row)) return undefined;
    try {
      const isKnown = (await chainData.placeOf(txid)).basis !== 'unknown' || (await merchant.status(txid)).known;
      return isKnown ? undefined : failure;
    } catch (unanswered) {
      return toFailure(unanswered);
    }
  }

  async #isMined({ txid }: Row): Promise<boolean> {
    const tracked = await this.#options.tracker.get(txid ?? '');
    return tracked !== undefined && transactionStates.is(tracked.state, 'mined');
  }

  /** Undefined for one that was not tracked until now. */
  async #tracked(row: Row): Promise<TrackedTransaction | undefined> {
    const { txid, raw_tx: rawTx } = row;
    const { tracker, origin } = this.#options;
    const found = await tracker.get(txid ?? '');
    if (found === undefined && rawTx !== null)
      await tracker.track([{ rawTx: fromHex(rawTx), origin, fee: feeOf(row) }]);
    return found;
  }
}

/** The fee of what was approved, in satoshis. */
function feeOf({ review }: JobRow): number | undefined {
  return review === null ? undefined : (JSON.parse(review) as { fee?: number }).fee;
}
