import { type SqlBool, sql, type Transaction } from 'kysely';
import type { Logger } from 'pino';
import {
  formatOutpoint,
  inputFee,
  type Outpoint,
  parseTx,
  satoshis,
  toHex,
  type Utxo,
} from '../../../../chain/index.ts';
import { chunks } from '../../../chunks.ts';
import type { FeeQuote } from '../../../ports/merchant/merchant.ts';
import type { WriteQueue, WriterDb } from '../../queue/queue.ts';
import type { SigningKey } from '../../sending/data-transaction.ts';
import type { CoinRow, TransactionRow } from '../../storage/document.ts';
import { rowsOf } from '../../storage/sql-lists.ts';
import type { Dialect, WriterTables } from '../../storage/tables.ts';
import { type ChainSources, type CoinState, coinState } from './node-coin.ts';

/** Coins standing on more unconfirmed transactions than this wait for a block. */
const MAX_DEPTH = 200;
/** Coins that pay for one transaction together, where none can alone. */
const MOST_TOGETHER = 64;

export interface CoinPoolOptions extends ChainSources {
  queue: WriteQueue;
  logger: Logger;
}

/** The writer's own coins in the journal. */
export class CoinPool {
  readonly #options: CoinPoolOptions;
  #checked = false;

  constructor(options: CoinPoolOptions) {
    this.#options = options;
  }

  /**
   * Free coins of a key, those nearest to the chain first, locked until the transaction ends.
   * @param least satoshis that each of them has at least
   */
  async lockFree(db: Transaction<WriterTables>, key: SigningKey, limit: number, least = 0): Promise<CoinRow[]> {
    const { queue } = this.#options;
    return this.#free(db, key)
      .selectAll()
      .where('satoshis', '>=', least)
      .orderBy('depth')
      .orderBy('satoshis', 'desc')
      .limit(limit)
      .$if(queue.dialect === 'postgres', (query) => query.forUpdate().skipLocked())
      .execute();
  }

  /** The free coins with the most satoshis, locked until the transaction ends. */
  async lockLargest(db: Transaction<WriterTables>, key: SigningKey, limit = MOST_TOGETHER): Promise<CoinRow[]> {
    return this.#largest(db, key)
      .selectAll()
      .limit(limit)
      .$if(this.#options.queue.dialect === 'postgres', (query) => query.forUpdate().skipLocked())
      .execute();
  }

  /** The highest fee (satoshis) of a transaction with one input that coins pay together. */
  async mostTogether(db: WriterDb, key: SigningKey, quote: FeeQuote): Promise<number> {
    const coins = await this.#largest(db, key).select('satoshis').execute();
    const cost = inputFee(quote.standard);
    const worth = coins.map((coin) => coin.satoshis - cost).filter((value) => value > 0);
    return worth.reduce((sum, value) => sum + value, worth.length > 0 ? cost : 0);
  }

  #largest(db: WriterDb, key: SigningKey) {
    return this.#free(db, key).orderBy('satoshis', 'desc').limit(MOST_TOGETHER);
  }

  /** How many free coins a key has, and how many satoshis the largest has; also those another process has locked. */
  async countFree(db: WriterDb, key: SigningKey): Promise<{ count: number; largest: number }> {
    const { count, largest } = await this.#free(db, key)
      .select((eb) => [eb.fn.countAll<number>().as('count'), eb.fn.max<number | null>('satoshis').as('largest')])
      .executeTakeFirstOrThrow();
    return { count: Number(count), largest: Number(largest ?? 0) };
  }

  #free(db: WriterDb, key: SigningKey) {
    return db
      .selectFrom('writer_coins')
      .where('network', '=', this.#options.queue.network)
      .where('owner', '=', toHex(key.pubKeyHash))
      .where('held_by', 'is', null)
      .where('depth', '<=', MAX_DEPTH);
  }

  /** One of the coins may be what the miner did not know: all are checked again before the next round. */
  doubt(): void {
    this.#checked = false;
  }

  /**
   * Coins that are gone are of no use: a sandbox that was reset, or a chain that changed. Coins the miner has are kept where the node merely
   * does not know them yet. Change of what the miner took a moment ago is left alone, since the node may hear of it later than the miner.
   */
  async dropLost(key: SigningKey): Promise<void> {
    if (this.#checked) return;
    const { queue, logger } = this.#options;
    const coins = await queue.db
      .selectFrom('writer_coins')
      .selectAll()
      .where('network', '=', queue.network)
      .where('owner', '=', toHex(key.pubKeyHash))
      .where('held_by', 'is', null)
      .where('txid', 'not in', (eb) =>
        eb
          .selectFrom('writer_transactions')
          .select('txid')
          .where('network', '=', queue.network)
          .where('state', '=', 'submitted')
          .where(sql<SqlBool>`state <> 'proven'`),
      )
      .execute();
    for (const some of chunks(coins, 16)) {
      const states = await Promise.all(some.map((coin) => coinState(this.#options, coin)));
      for (const [index, { txid, vout }] of some.entries()) {
        const kind = states[index]?.kind;
        if (kind === 'unspent' || kind === 'unsettled') continue;
        // Another process may have spent it since: then it is held, or gone.
        const { numDeletedRows } = await queue.db
          .deleteFrom('writer_coins')
          .where('network', '=', queue.network)
          .where('txid', '=', txid)
          .where('vout', '=', vout)
          .where('held_by', 'is', null)
          .executeTakeFirst();
        if (Number(numDeletedRows) === 0) continue;
        logger.warn({ txid, vout }, 'a coin of the writer is not on the chain and is forgotten');
      }
    }
    this.#checked = true;
  }
}

/** Free coins as a round takes them: those nearest to the chain first. */
export class CoinSelection {
  #coins: CoinRow[] = [];
  readonly #known = new Set<string>();
  readonly #inputFee: number;

  constructor(coins: readonly CoinRow[], quote: FeeQuote) {
    this.add(coins);
    this.#inputFee = inputFee(quote.standard);
  }

  get left(): number {
    return this.#coins.length;
  }

  /** How many coins were ever put in. */
  get known(): number {
    return this.#known.size;
  }

  /** Puts coins behind the others, except those that were in it before. */
  add(coins: readonly CoinRow[]): void {
    for (const coin of coins) {
      const outpoint = formatOutpoint(coin);
      if (!this.#known.has(outpoint)) this.#coins.push(coin);
      this.#known.add(outpoint);
    }
  }

  /** Coins that were not needed after all are the next to be taken. */
  giveBack(coins: readonly CoinRow[]): void {
    this.#coins.unshift(...coins);
  }

  /** One coin that pays `need`, and one too small to pay alone where there is one, so that small change is used up. */
  take(need: number): CoinRow[] | undefined {
    const at = this.#coins.findIndex((coin) => coin.satoshis >= need);
    if (at < 0) return undefined;
    const [main] = this.#coins.splice(at, 1) as [CoinRow];
    const small = this.#coins.findIndex((coin) => coin.satoshis < need && coin.satoshis > 2 * this.#inputFee);
    if (small < 0) return [main];
    return [main, ...this.#coins.splice(small, 1)];
  }

  /** The largest coins, as many as it takes to pay together. @param feeWith the fee (satoshis) with so many of them */
  takeTogether(feeWith: (count: number) => number): CoinRow[] | undefined {
    const largest = this.#coins.toSorted((a, b) => b.satoshis - a.satoshis);
    const taken: CoinRow[] = [];
    let sum = 0;
    for (const coin of largest.slice(0, MOST_TOGETHER)) {
      taken.push(coin);
      sum += coin.satoshis;
      if (sum < feeWith(taken.length)) continue;
      this.#coins = this.#coins.filter((one) => !taken.includes(one));
      return taken;
    }
    return undefined;
  }
}

/** A coin of the journal as a transaction spends it. */
export function utxoOf({ txid, vout, satoshis: value }: CoinRow, key: SigningKey): Utxo {
  return { txid, vout, satoshis: satoshis(value), lockingScript: key.lockingScript };
}

/** From here on these coins are spent by the transactions named with them. */
export async function holdCoins(
  dialect: Dialect,
  db: Transaction<WriterTables>,
  spent: readonly { coin: CoinRow; by: string }[],
): Promise<void> {
  const held = spent.map(({ coin, by }) => [coin.network, coin.txid, String(coin.vout), by]);
  const rows = rowsOf(dialect, held);
  await sql`update writer_coins set held_by = spent.value ->> 3 from ${rows} as spent where network = spent.value ->> 0
    and txid = spent.value ->> 1 and vout = cast(spent.value ->> 2 as integer)`.execute(db);
}

/** A coin that a transaction would have spent which was given up for good. */
interface GivenUpCoin extends Outpoint {
  readonly network: CoinRow['network'];
  readonly owner: string;
  readonly state: CoinState;
}

/**
 * Asks what became of the coins that these transactions would have spent.
 * @param except outpoints of coins that are another transaction's
 */
export async function lookUpCoins(
  sources: ChainSources,
  rows: readonly TransactionRow[],
  except: ReadonlySet<string> = new Set(),
): Promise<GivenUpCoin[]> {
  const asked = new Set(except);
  const found: GivenUpCoin[] = [];
  for (const { network, owner, raw_tx } of rows) {
    if (owner === null) continue;
    for (const { txid, vout } of parseTx(raw_tx).inputs) {
      const outpoint = formatOutpoint({ txid, vout });
      if (asked.has(outpoint)) continue;
      asked.add(outpoint);
      found.push({ network, owner, txid, vout, state: await coinState(sources, { txid, vout }) });
    }
  }
  return found;
}

/** Coins that only these transactions held, which were given up for good, are free again, or gone. */
export async function recoverCoins(
  db: Transaction<WriterTables>,
  found: readonly GivenUpCoin[],
  heldBy: readonly string[],
): Promise<void> {
  for (const { network, owner, txid, vout, state } of found) {
    const there = { network, txid, vout, held_by: null };
    if (state.kind === 'unsettled') {
      await db
        .updateTable('writer_coins')
        .set({ held_by: null })
        .where('network', '=', network)
        .where('txid', '=', txid)
        .where('vout', '=', vout)
        .where('held_by', 'in', heldBy)
        .execute();
      continue;
    }
    const known = await db
      .deleteFrom('writer_coins')
      .where('network', '=', network)
      .where('txid', '=', txid)
      .where('vout', '=', vout)
      .where('held_by', 'in', heldBy)
      .returning('satoshis')
      .executeTakeFirst();
    if (state.kind !== 'unspent') continue;
    const { coin, inBlock } = state;
    await db
      .insertInto('writer_coins')
      .values({ ...there, owner, satoshis: known?.satoshis ?? coin.satoshis, depth: inBlock ? 0 : 1 })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}
