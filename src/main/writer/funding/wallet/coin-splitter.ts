import { type SqlBool, sql, type Transaction } from 'kysely';
import {
  addSatoshis,
  feeFor,
  inputFee,
  isWorthSpending,
  P2PKH_INPUT_BYTES,
  P2PKH_OUTPUT_BYTES,
  type Satoshis,
  satoshis,
  serializeTx,
  toHex,
} from '../../../../chain/index.ts';
import { PlanchetError, toFailure } from '../../../../contract/index.ts';
import { classifyRefusal } from '../../../merchant/refusals.ts';
import type { BatchMerchant, FeeQuote } from '../../../ports/merchant/merchant.ts';
import type { SettingsView } from '../../../ports/settings.ts';
import type { FundingWallet } from '../../../ports/wallet.ts';
import { requireTaken } from '../../../transaction-jobs/miner-limits.ts';
import type { WriteQueue, WriterDb } from '../../queue/queue.ts';
import { isSignedFormOf, type SigningKey, unsignedTx } from '../../sending/data-transaction.ts';
import { newTransaction } from '../../sending/new-transaction.ts';
import type { TransactionRow } from '../../storage/document.ts';
import type { WriterTables } from '../../storage/tables.ts';
import { backOff, capReached, refuseOverCaps } from '../funding.ts';
import type { CoinPool } from './coin-pool.ts';

/** The first split; later ones double until the setting's number is reached. */
const FIRST_COINS = 16;
/** Inputs a split is reckoned with before the wallet chose them. */
const USUAL_INPUTS = 8;
const SPLIT_OWNER = 'writer:split';

export interface CoinSplitterOptions {
  queue: WriteQueue;
  pool: CoinPool;
  wallet: FundingWallet;
  settings: SettingsView;
  merchant: Pick<BatchMerchant, 'terms'>;
  /** Called when a split was journalled, so that the pipeline looks for work. */
  wake: () => void;
}

/** Splits coins off the wallet ahead of need, one transaction at a time. What goes wrong is kept for whoever finds no coin. */
export class CoinSplitter {
  readonly #options: CoinSplitterOptions;
  #running: Promise<void> | undefined;
  #degraded: PlanchetError | undefined;
  #failures = 0;
  /** After a refusal the next split waits: the miner would refuse it as well. */
  #after = 0;
  #wanted = FIRST_COINS;

  constructor(options: CoinSplitterOptions) {
    this.#options = options;
  }

  /** How many coins the next split makes. */
  get wanted(): number {
    return this.#wanted;
  }

  /** The coins ran out: more are made at once from now on. */
  grow(): void {
    this.#wanted = Math.min(this.#wanted * 2, this.#options.settings.current().writerPoolCoins);
  }

  /**
   * Begins a split unless one runs.
   * @param shortage the fee (satoshis) that no coin could pay; left out where coins are split ahead of need
   */
  begin(key: SigningKey, quote: FeeQuote, shortage?: number): void {
    if (this.#options.queue.clock.now() < this.#after) return;
    this.#running ??= this.#make(key, quote, shortage)
      .then(
        (made) => {
          // The cause of the last failure is gone.
          this.#degraded = undefined;
          if (made) this.#options.wake();
        },
        (error: unknown) => {
          this.#degraded = new PlanchetError(toFailure(error));
        },
      )
      .finally(() => {
        this.#running = undefined;
      });
  }

  /** Why there are no coins; undefined while a split is on its way. */
  async degraded(): Promise<PlanchetError | undefined> {
    await this.#running;
    return this.#degraded;
  }

  async taken(rows: readonly TransactionRow[]): Promise<void> {
    const splits = rows.filter(({ kind }) => kind === 'split');
    for (const row of splits) await this.#options.wallet.observe(row.raw_tx);
    if (splits.length === 0) return;
    this.#degraded = undefined;
    this.#failures = 0;
    this.#after = 0;
  }

  async refused(row: TransactionRow): Promise<void> {
    const { wallet, queue } = this.#options;
    await wallet.release(SPLIT_OWNER);
    await wallet.follow();
    this.#degraded = refusal(row.last_error);
    this.#after = queue.clock.now() + backOff(this.#failures, 'rejected');
    this.#failures += 1;
  }

  /**
   * Where others share the database, one process splits at a time, and knows what the others split: they may have the same wallet. The
   * lock is the database transaction's, so a process that stood still for long has lost it together with the right to journal its split.
   * @returns false where one is on its way already, its coins are there, or there is nothing worth splitting
   */
  async #make(key: SigningKey, quote: FeeQuote, shortage: number | undefined): Promise<boolean> {
    const { queue, wallet, settings } = this.#options;
    const isOwn = ({ owner }: TransactionRow): boolean => owner === toHex(key.pubKeyHash);
    const journal = async (db: Transaction<WriterTables>, row: TransactionRow): Promise<void> => {
      const { writerDailySpend } = settings.current();
      try {
        // Documents may have been paid for while it was signed, so that it would pass the cap now.
        await queue.insertTransactions(db, [{ row, documents: [], firstVout: 0 }], writerDailySpend);
      } catch (error) {
        await wallet.release(SPLIT_OWNER);
        throw error;
      }
    };
    if (queue.dialect === 'sqlite') {
      const signed = await this.#onTheirWay(queue.db, ['signed']);
      if (signed.some(isOwn) || (await this.#hasNoNeed(queue.db, key, quote, shortage))) return false;
      const row = await this.#split(key, quote, shortage, await queue.spentToday());
      if (row === undefined) return false;
      await queue.db.transaction().execute((db) => journal(db, row));
      return true;
    }
    return queue.db.transaction().execute(async (db) => {
      await sql`select pg_advisory_xact_lock(hashtext(${`planchet split ${queue.network}`}))`.execute(db);
      const known = await this.#onTheirWay(db, ['signed', 'submitted', 'seen']);
      if (known.some((row) => row.state === 'signed' && isOwn(row))) return false;
      if (await this.#hasNoNeed(db, key, quote, shortage)) return false;
      for (const { raw_tx } of known) await wallet.observe(raw_tx);
      // The others are in blocks, which this wallet may not have read yet: this process may have stood still.
      await wallet.follow();
      const row = await this.#split(key, quote, shortage, await queue.spentToday(db));
      if (row === undefined) return false;
      await journal(db, row);
      return true;
    });
  }

  /** Asks first what is to come: what has come meanwhile is among the coins then. */
  async #hasNoNeed(db: WriterDb, key: SigningKey, quote: FeeQuote, shortage: number | undefined): Promise<boolean> {
    return (await this.#mustWait(db, key, quote, shortage)) || (await this.#isSupplied(db, key, quote, shortage));
  }

  /** Whether the wallet has nothing to split while change of documents is still to come, which may pay for those that wait. */
  async #mustWait(db: WriterDb, key: SigningKey, quote: FeeQuote, shortage: number | undefined): Promise<boolean> {
    if (shortage === undefined) return false;
    const most = this.#options.wallet.most((inputs) => splitFee(1, inputs, quote));
    const isShort = most < leastCoin(shortage, quote);
    return isShort && (await this.#isChangeComing(db, key));
  }

  /** Change of a transaction is a coin once a miner has it. */
  async #isChangeComing(db: WriterDb, key: SigningKey): Promise<boolean> {
    const coming = await db
      .selectFrom('writer_transactions')
      .select('id')
      .where('network', '=', this.#options.queue.network)
      .where('kind', '=', 'documents')
      .where('state', '=', 'signed')
      .where('owner', '=', toHex(key.pubKeyHash))
      .limit(1)
      .executeTakeFirst();
    return coming !== undefined;
  }

  /**
   * Whether there are coins enough after all: those of the last split, or coins that another process had locked. Without this a shortage
   * that more coins do not end would split the whole wallet.
   */
  async #isSupplied(db: WriterDb, key: SigningKey, quote: FeeQuote, shortage: number | undefined): Promise<boolean> {
    const { count, largest } = await this.#options.pool.countFree(db, key);
    return shortage === undefined ? count * 2 >= this.#wanted : largest >= leastCoin(shortage, quote);
  }

  /** Splits in these states, oldest first. */
  #onTheirWay(db: WriterDb, states: readonly TransactionRow['state'][]): Promise<TransactionRow[]> {
    return db
      .selectFrom('writer_transactions')
      .selectAll()
      .where('network', '=', this.#options.queue.network)
      .where('kind', '=', 'split')
      .where('state', 'in', states)
      .where(sql<SqlBool>`state <> 'proven'`)
      .orderBy('created_at')
      .orderBy('id')
      .execute();
  }

  /** @returns a signed split, whose coins the wallet holds for it; undefined where nobody waits for a coin and the wallet cannot make a whole one */
  async #split(
    key: SigningKey,
    quote: FeeQuote,
    shortage: number | undefined,
    spentToday: number,
  ): Promise<TransactionRow | undefined> {
    const { queue, wallet, settings, merchant } = this.#options;
    // Left over where the process ended between the reservation and the journal.
    await wallet.release(SPLIT_OWNER);
    const { writerPoolCoinSatoshis, writerPoolCoins, writerDailySpend, maxFeeSatoshis } = settings.current();
    // A coin pays its document and leaves change worth having, so that it can pay for more.
    const least = leastCoin(shortage ?? 0, quote);
    const value = Math.max(
      writerPoolCoinSatoshis,
      least,
      (shortage ?? 0) + 2 * feeFor(P2PKH_INPUT_BYTES + P2PKH_OUTPUT_BYTES, quote.standard),
    );
    const most = Math.min(maxFeeSatoshis, writerDailySpend - spentToday);
    const wanted = Math.min(this.#wanted, writerPoolCoins, coinsWithin(most, quote));
    const count = affordable(wallet, value, wanted, quote);
    if (count === 0 && shortage === undefined) return undefined;
    // One coin of what there is: its change pays for the next documents, which so need no split of their own.
    const each = count === 0 ? Math.max(least, Math.min(value, largestCoin(wallet, quote))) : value;
    const outputs = Array.from({ length: Math.max(1, count) }, () => ({
      satoshis: satoshis(each),
      script: key.lockingScript,
    }));
    const total = satoshis(each * outputs.length);
    const feeOf = (inputs: number): Satoshis => splitFee(outputs.length, inputs, quote);
    const coins = await wallet.reserve(SPLIT_OWNER, total, feeOf);
    const paid = satoshis(addSatoshis(...coins.map((coin) => coin.satoshis)) - total);
    const change = satoshis(paid - feeOf(coins.length));
    const keeps = isWorthSpending(change, quote.standard);
    const fee = keeps ? feeOf(coins.length) : paid;
    if (fee > most) {
      await wallet.release(SPLIT_OWNER);
      if (fee <= maxFeeSatoshis) throw capReached(writerDailySpend);
      throw new PlanchetError('writer.split-fee-too-high', { fee });
    }
    const tx = unsignedTx(coins, keeps ? [...outputs, { satoshis: change, script: wallet.lockingScript() }] : outputs);
    try {
      refuseOverCaps(fee, settings.current(), spentToday, tx);
      await requireTaken(tx, fee, merchant);
    } catch (error) {
      await wallet.release(SPLIT_OWNER);
      throw error;
    }
    const unsigned = serializeTx(tx);
    const signed = await wallet.sign(unsigned, coins);
    if (!isSignedFormOf(signed, unsigned)) throw new PlanchetError('writer.other-transaction-signed');
    // A split that is refused may be mined all the same: the next one spends one of its coins.
    await wallet.noteSigned(SPLIT_OWNER, signed);
    return newTransaction(queue, {
      kind: 'split',
      source: 'wallet',
      owner: toHex(key.pubKeyHash),
      state: 'signed',
      raw_tx: signed,
      fee,
      documents: 0,
    });
  }
}

/** Why there are no coins after a miner refused a split, by the miner's reason. */
function refusal(reason: string | null): PlanchetError {
  if (reason === null) return new PlanchetError('writer.split-refused-without-reason');
  const { code } = classifyRefusal(reason);
  const isCoinGone = code === 'double-spend' || code === 'missing-inputs';
  return new PlanchetError(isCoinGone ? 'writer.split-coin-gone' : 'writer.split-refused', { reason });
}

/** A coin of so many satoshis pays this fee whatever the caps say of a transaction without change, as change is left of it. */
export function leastCoin(fee: number, quote: FeeQuote): number {
  return fee + Math.max(inputFee(quote.standard), 1) + 1;
}

/** Satoshis of the largest coin that can be split off a wallet. */
export function largestCoin(wallet: Pick<FundingWallet, 'most'>, quote: FeeQuote): number {
  return wallet.most((inputs) => splitFee(1, Math.max(USUAL_INPUTS, inputs), quote));
}

function splitFee(outputs: number, inputs: number, quote: FeeQuote): Satoshis {
  const bytes = 16 + inputs * P2PKH_INPUT_BYTES + (outputs + 1) * P2PKH_OUTPUT_BYTES;
  return feeFor(bytes, quote.standard);
}

/** How many coins a split may make so that it costs at most so many satoshis, with some inputs; never none. */
function coinsWithin(most: number, quote: FeeQuote): number {
  const each = Math.max(1, feeFor(P2PKH_OUTPUT_BYTES, quote.standard));
  return Math.max(1, Math.floor((most - splitFee(0, USUAL_INPUTS, quote)) / each));
}

/** How many coins of a value the wallet can make, where it pays for all that are wanted. */
function affordable(wallet: Pick<FundingWallet, 'most'>, value: number, wanted: number, quote: FeeQuote): number {
  const most = wallet.most((inputs) => splitFee(wanted, Math.max(USUAL_INPUTS, inputs), quote));
  return Math.min(wanted, Math.floor(most / value));
}
