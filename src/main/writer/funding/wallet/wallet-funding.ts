import type { Transaction } from 'kysely';
import type { Logger } from 'pino';
import {
  addSatoshis,
  equalBytes,
  highestFee,
  parseTx,
  type Satoshis,
  serializeTx,
  type Tx,
  toHex,
  type Utxo,
} from '../../../../chain/index.ts';
import { PlanchetError, type Settings } from '../../../../contract/index.ts';
import type { ChainData } from '../../../ports/chain-data.ts';
import type { BatchMerchant, FeeQuote, MinerTerms } from '../../../ports/merchant/merchant.ts';
import type { SettingsView } from '../../../ports/settings.ts';
import type { FundingWallet } from '../../../ports/wallet.ts';
import { minerTerms } from '../../../transaction-jobs/miner-limits.ts';
import { overPolicy } from '../../acceptance/policy.ts';
import { nextDueAt } from '../../queue/due-work.ts';
import { lockAccepted } from '../../queue/lock-accepted.ts';
import type { NewTransaction, WriteQueue } from '../../queue/queue.ts';
import { buildDataTransaction, dataFee, SigningKey } from '../../sending/data-transaction.ts';
import { grouped, halved } from '../../sending/document-groups.ts';
import { type SendOutcome, sendToMiner } from '../../sending/miner-outcome.ts';
import { newTransaction } from '../../sending/new-transaction.ts';
import { journalReplacement } from '../../sending/replacement.ts';
import { type CoinRow, idsOf, type TransactionRow } from '../../storage/document.ts';
import type { WriterTables } from '../../storage/tables.ts';
import { writeCodes } from '../../write-errors.ts';
import { capReached, type Funding, type FundingRound, type Replacement, refuseOverCaps } from '../funding.ts';
import { CoinPool, CoinSelection, holdCoins, utxoOf } from './coin-pool.ts';
import { CoinSplitter, largestCoin, leastCoin } from './coin-splitter.ts';

/** Transactions built in one round, and their documents: a round takes a millisecond or two, in which nobody else has the database. */
const ROUND = 8;
const ROUND_DOCUMENTS = 64;
const ROUND_BYTES = 8_000_000;
/** Coins a transaction that replaces another may have besides those it must spend. */
const MORE_COINS = 16;

export interface WalletFundingOptions {
  queue: WriteQueue;
  wallet: FundingWallet;
  /** Private key (32 bytes) of the writer's own coins. @throws PlanchetError `wallet-missing` | `vault-locked` */
  poolKey: () => Uint8Array;
  merchant: BatchMerchant;
  chainData: ChainData;
  settings: SettingsView;
  logger: Logger;
  /** Called when coins arrived or a split was journalled, so that the pipeline looks for work. */
  wake: () => void;
}

/**
 * Pays from coins of its own, which it splits off the wallet ahead of need: documents then need no coin selection, do not wait for each
 * other's change, and leave the wallet's coins to other jobs. The key of these coins comes from the wallet's seed.
 */
export class WalletFunding implements Funding {
  readonly source = 'wallet';
  readonly #options: WalletFundingOptions;
  readonly #pool: CoinPool;
  readonly #splitter: CoinSplitter;
  #key: SigningKey | undefined;

  constructor(options: WalletFundingOptions) {
    this.#options = options;
    this.#pool = new CoinPool(options);
    this.#splitter = new CoinSplitter({ ...options, pool: this.#pool });
  }

  async payable(): Promise<undefined> {
    return undefined;
  }

  async advance(): Promise<FundingRound> {
    const { queue, merchant } = this.#options;
    const key = this.#poolKey();
    if ((await nextDueAt(queue, 'accepted')) === undefined) return { touched: [], more: false };
    await this.#pool.dropLost(key);
    const quote: TermsNow = { ...(await merchant.feeQuote()), miners: await minerTerms(merchant) };
    const { tooDearFrom, ...round } = await this.#payAndSplit(key, quote);
    const { degraded } = round;
    if (degraded?.code !== 'funds-insufficient' || tooDearFrom === undefined) return round;
    // What one document lacks may be enough for those behind it.
    const most = await this.#mostPayable(key, quote);
    if (most < dataFee([new Uint8Array()], quote, 1)) return round;
    const { tooDearFrom: _, ...others } = await this.#payAndSplit(key, quote, most);
    const touched = [...round.touched, ...others.touched];
    if (others.degraded !== undefined) return { ...others, touched };
    return { touched, more: others.more, held: true, blocked: degraded, tooDearFrom };
  }

  /**
   * One round, and the beginning of a split where coins are short.
   * @param mostEach leaves out documents whose fee is higher, in satoshis, and puts each into a transaction of its own
   */
  async #payAndSplit(key: SigningKey, quote: TermsNow, mostEach?: number): Promise<FundingRound> {
    const { queue, settings } = this.#options;
    const round = await queue.relaxed((db) => this.#round(db, key, quote, settings.current(), mostEach));
    // What some wait for is not split for others ahead of their need.
    const fewLeft = mostEach === undefined && round.free * 2 < this.#splitter.wanted;
    if (round.shortage !== undefined || fewLeft) {
      if (round.shortage !== undefined && round.built > 0) this.#splitter.grow();
      this.#splitter.begin(key, quote, round.shortage);
    }
    const degraded = round.degraded ?? (round.shortage === undefined ? undefined : await this.#splitter.degraded());
    return {
      touched: round.touched,
      more: round.built > 0 && round.shortage === undefined && degraded === undefined,
      held: round.shortage !== undefined,
      ...(degraded === undefined ? {} : { degraded }),
      ...(round.shortBytes === undefined ? {} : { tooDearFrom: round.shortBytes }),
    };
  }

  /** The highest fee (satoshis) that the coins pay together, or one that can be split off the wallet. */
  async #mostPayable(key: SigningKey, quote: FeeQuote): Promise<number> {
    const { queue, wallet } = this.#options;
    const together = await this.#pool.mostTogether(queue.db, key, quote);
    return Math.max(together, largestCoin(wallet, quote) - leastCoin(0, quote));
  }

  async send(rows: readonly TransactionRow[]): Promise<SendOutcome[]> {
    return sendToMiner(this.#options.merchant, rows);
  }

  async taken(rows: readonly TransactionRow[]): Promise<void> {
    await this.#splitter.taken(rows);
  }

  async refused(row: TransactionRow): Promise<void> {
    this.#pool.doubt();
    if (row.kind === 'split') await this.#splitter.refused(row);
  }

  async replace({ old, documents, coins }: Replacement): Promise<boolean> {
    const { queue, merchant, settings } = this.#options;
    const key = this.#poolKey();
    if (!coins.every(({ lockingScript }) => equalBytes(lockingScript, key.lockingScript)))
      throw new PlanchetError('writer.other-wallet');
    const scripts = parseTx(old.raw_tx)
      .outputs.slice(0, documents.length)
      .map(({ script }) => script);
    const quote = await merchant.feeQuote();
    const overLimits = overPolicy(await minerTerms(merchant), scripts);
    if (overLimits !== undefined) throw overLimits;
    return queue.db.transaction().execute(async (db) => {
      const paying = [...coins];
      const added: CoinRow[] = [];
      const has = (): number => addSatoshis(...paying.map((coin) => coin.satoshis));
      const missing = dataFee(scripts, quote, coins.length + 1) - has();
      // One that pays alone, which may lie behind smaller ones, or else several.
      const large = await this.#pool.lockFree(db, key, 1, missing);
      const more = large.length > 0 ? large : await this.#pool.lockLargest(db, key, MORE_COINS);
      while (has() < dataFee(scripts, quote, paying.length)) {
        const coin = more.shift();
        if (coin === undefined) {
          this.#splitter.begin(key, quote, missing);
          throw new PlanchetError('writer.no-coins-for-fee');
        }
        added.push(coin);
        paying.push(utxoOf(coin, key));
      }
      const { tx, fee } = buildDataTransaction(scripts, paying, key.lockingScript, quote);
      const caps = settings.current();
      refuseOverCaps(fee, caps, await queue.spentToday(db), tx);
      const row = newTransaction(queue, {
        kind: 'documents',
        source: 'wallet',
        owner: toHex(key.pubKeyHash),
        state: 'signed',
        raw_tx: serializeTx(key.sign(tx, paying)),
        fee,
        documents: documents.length,
      });
      const replacement = { row, documents, firstVout: 0 };
      if (!(await journalReplacement(queue, db, old, replacement, caps.writerDailySpend))) return false;
      const held = added.map((coin) => ({ coin, by: row.id }));
      await holdCoins(queue.dialect, db, held);
      return true;
    });
  }

  #poolKey(): SigningKey {
    const { wallet, poolKey } = this.#options;
    if (wallet.status().state !== 'ready') wallet.address();
    this.#key ??= new SigningKey(poolKey());
    return this.#key;
  }

  async #round(
    db: Transaction<WriterTables>,
    key: SigningKey,
    quote: TermsNow,
    settings: Settings,
    mostEach: number | undefined,
  ): Promise<Round> {
    const { queue } = this.#options;
    const perTransaction = mostEach === undefined ? settings.writerDocumentsPerTransaction : 1;
    const transactions = Math.max(
      1,
      Math.min(queue.scheduler.batchSize(ROUND), Math.floor(ROUND_DOCUMENTS / perTransaction)),
    );
    const mostData = mostEach === undefined ? undefined : dataBytesFor(mostEach, quote);
    const wanted = { maxBytes: ROUND_BYTES, mostData };
    const documents = await lockAccepted(queue, db, transactions * perTransaction, wanted);
    const coins = await this.#pool.lockFree(db, key, ROUND * 2);
    const bodies = await queue.bodies(db, idsOf(documents));
    const selection = new CoinSelection(coins, quote);
    const touched: string[] = [];
    const added: NewTransaction[] = [];
    const spentCoins: { coin: CoinRow; by: string }[] = [];
    let left = settings.writerDailySpend - (await queue.spentToday(db));
    let short: Pick<Round, 'shortage' | 'shortBytes'> = {};
    let degraded: PlanchetError | undefined;
    const groups = [...grouped(documents, bodies, perTransaction)];
    for (let group = groups.shift(); group !== undefined; group = groups.shift()) {
      const { scripts } = group;
      const need = dataFee(scripts, quote, 1);
      if (mostEach !== undefined && need > mostEach) continue;
      const overLimits = overPolicy(quote.miners, scripts);
      if ((need > settings.maxFeeSatoshis || overLimits !== undefined) && scripts.length > 1) {
        // The cap and the limits of miners speak of one transaction: apart they may be within them.
        groups.unshift(...halved(group));
        continue;
      }
      if (overLimits !== undefined || need > settings.maxFeeSatoshis) {
        const caps = { fee: need, limit: settings.maxFeeSatoshis };
        const failure = (overLimits ?? new PlanchetError('writer.fee-too-high', caps)).toFailure();
        for (const row of group.documents) {
          await queue.documentDied(db, row, failure, overLimits ? writeCodes.body : writeCodes.funding);
          touched.push(row.id);
        }
        continue;
      }
      if (need > left) {
        degraded = capReached(settings.writerDailySpend);
        break;
      }
      const dearest = dataFee(scripts, quoteOf(settings.maxFeeRate), 1);
      if (need > dearest) {
        // No coin whatever could pay for it.
        degraded = new PlanchetError('writer.fee-rate-too-high', { fee: need, limit: dearest });
        break;
      }
      const caps = { need, most: Math.min(left, settings.maxFeeSatoshis), maxFeeRate: settings.maxFeeRate };
      let paid = pay(scripts, selection, key, quote, caps);
      if (paid === undefined) {
        // Coins that can pay may lie behind smaller ones.
        selection.add(await this.#pool.lockFree(db, key, selection.known + ROUND * 2, need));
        paid = pay(scripts, selection, key, quote, caps);
      }
      if (paid === undefined && mostEach !== undefined) {
        // The wallet has no such coin to split off.
        selection.add(await this.#pool.lockLargest(db, key));
        paid = payTogether(scripts, selection, key, quote, caps);
      }
      if (paid === undefined) {
        const shortBytes = group.documents.reduce((sum, { body_bytes }) => sum + body_bytes, 0);
        short = { shortage: need, shortBytes };
        break;
      }
      const { coins: paying, utxos, tx, fee } = paid;
      const row = newTransaction(queue, {
        kind: 'documents',
        source: 'wallet',
        owner: toHex(key.pubKeyHash),
        state: 'signed',
        raw_tx: serializeTx(key.sign(tx, utxos)),
        fee,
        documents: group.documents.length,
      });
      left -= fee;
      added.push({ row, documents: group.documents, firstVout: 0 });
      for (const coin of paying) spentCoins.push({ coin, by: row.id });
      for (const document of group.documents) touched.push(document.id);
    }
    await queue.insertTransactions(db, added, settings.writerDailySpend);
    await holdCoins(queue.dialect, db, spentCoins);
    return {
      touched,
      built: added.length,
      free: coins.length < ROUND * 2 ? selection.left : this.#splitter.wanted,
      ...short,
      ...(degraded === undefined ? {} : { degraded }),
    };
  }
}

/** What the miners in use ask and take now. */
interface TermsNow extends FeeQuote {
  readonly miners: readonly MinerTerms[];
}

/** The result of one round. */
interface Round {
  /** Ids of those that went on or died. */
  readonly touched: string[];
  /** Transactions. */
  readonly built: number;
  readonly free: number;
  /** The fee (satoshis) that no coin could pay, and the bytes of the documents it was for. */
  readonly shortage?: number;
  readonly shortBytes?: number;
  readonly degraded?: PlanchetError;
}

/** Bytes of data that a fee (satoshis) pays for, at most. */
function dataBytesFor(fee: number, quote: FeeQuote): number {
  const { data } = quote;
  const rest = fee - dataFee([new Uint8Array()], quote, 1);
  return data.satoshis === 0 ? Number.MAX_SAFE_INTEGER : Math.floor((rest * data.bytes) / data.satoshis);
}

/** The quote of a miner that asks for so many satoshis per 1,000 bytes. */
function quoteOf(rate: number): FeeQuote {
  const each = { satoshis: rate, bytes: 1_000 };
  return { standard: each, data: each, expiresAt: 0 };
}

/** What a transaction may cost: satoshis, and satoshis per 1,000 bytes. */
interface Caps {
  readonly most: number;
  readonly maxFeeRate: number;
}

/** A transaction with the coins it spends. */
interface Paid {
  readonly coins: CoinRow[];
  readonly utxos: Utxo[];
  readonly tx: Tx;
  readonly fee: Satoshis;
}

/**
 * Pays for these scripts with coins of the selection. What a transaction costs is more than `need` where it spends a second coin or leaves too
 * little to be change; coins with which it would cost more than `most` (satoshis) or `maxFeeRate` (satoshis per 1,000 bytes) stay in the
 * selection.
 */
function pay(
  scripts: readonly Uint8Array[],
  selection: CoinSelection,
  key: SigningKey,
  quote: FeeQuote,
  { need, ...caps }: Caps & { need: number },
): Paid | undefined {
  const unused: CoinRow[] = [];
  try {
    for (;;) {
      const taken = selection.take(need);
      if (taken === undefined) return undefined;
      for (let count = taken.length; count > 0; count--) {
        const paid = payWith(taken.slice(0, count), scripts, key, quote, caps);
        if (paid === undefined) continue;
        unused.push(...taken.slice(count));
        return paid;
      }
      unused.push(...taken);
    }
  } finally {
    selection.giveBack(unused);
  }
}

/** Pays with several coins, none of which could pay alone. */
function payTogether(
  scripts: readonly Uint8Array[],
  selection: CoinSelection,
  key: SigningKey,
  quote: FeeQuote,
  caps: Caps,
): Paid | undefined {
  const coins = selection.takeTogether((count) => dataFee(scripts, quote, count));
  if (coins === undefined) return undefined;
  const paid = payWith(coins, scripts, key, quote, caps);
  if (paid === undefined) selection.giveBack(coins);
  return paid;
}

/** @returns undefined where it would cost more than the caps allow */
function payWith(
  coins: CoinRow[],
  scripts: readonly Uint8Array[],
  key: SigningKey,
  quote: FeeQuote,
  { most, maxFeeRate }: Caps,
): Paid | undefined {
  const utxos = coins.map((coin) => utxoOf(coin, key));
  const { tx, fee } = buildDataTransaction(scripts, utxos, key.lockingScript, quote);
  return fee > most || fee > highestFee(tx, maxFeeRate) ? undefined : { coins, utxos, tx, fee };
}
