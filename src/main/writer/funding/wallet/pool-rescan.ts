import type { Logger } from 'pino';
import { equalBytes, toHex, type Utxo } from '../../../../chain/index.ts';
import { PlanchetError } from '../../../../contract/index.ts';
import { FollowLoop } from '../../../chain-data/following/follow-loop.ts';
import type { ChainData, TipSource } from '../../../ports/chain-data.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { WriteQueue } from '../../queue/queue.ts';
import type { SigningKey } from '../../sending/data-transaction.ts';

/** Blocks after the tip of the beginning that are looked through too: what waited then is in one of them. */
const SETTLING_BLOCKS = 6;
/** How far the scan is journalled, in blocks: after a stop it goes on from there. */
const STEP_BLOCKS = 50;
const AGAIN_MS = 10_000;

export interface PoolRescanOptions {
  queue: WriteQueue;
  chainData: ChainData;
  tips: Pick<TipSource, 'current'>;
  clock: Clock;
  logger: Logger;
  /** Key of the writer's own coins; undefined while there is no wallet or it is locked. */
  own: () => SigningKey | undefined;
  /** The first block that can hold coins of the wallet's seed; null while that is not known. */
  birthHeight: () => number | null;
  /** Called when coins were found. */
  wake: () => void;
}

/**
 * Finds the writer's own coins on the chain where the journal knows nothing of them: after `writer.db` was lost, or the seed was restored
 * on another machine. It runs once for each owner, beside everything else.
 */
export class PoolRescan {
  readonly #options: PoolRescanOptions;
  readonly #looks: FollowLoop;
  /** Owner and tip up to which everything is looked through: what is left is in later blocks. */
  #reached = '';
  #isDone = false;

  constructor(options: PoolRescanOptions) {
    this.#options = options;
    this.#looks = new FollowLoop({
      clock: options.clock,
      look: (signal) => this.#scan(signal),
      pauseMs: () => (this.#isDone ? undefined : AGAIN_MS),
      onTrouble: (error) =>
        options.logger.warn({ err: error }, 'the chain cannot be looked through for coins of the writer'),
    });
  }

  start(): void {
    void this.#looks.start();
  }

  stop(): Promise<void> {
    return this.#looks.stop();
  }

  async #scan(signal: AbortSignal): Promise<void> {
    const { tips, own } = this.#options;
    const chainData = this.#options.chainData.until(signal);
    const key = own();
    if (key === undefined) return;
    const owner = toHex(key.pubKeyHash);
    const best = tips.current()?.hash;
    const reached = `${owner} ${best}`;
    if (best !== undefined && reached === this.#reached) return;
    const { height: tip } = (await chainData.tip()).value;
    const range = await this.#range(owner, tip);
    if (range === undefined) return;
    let { next } = range;
    while (next <= Math.min(range.last, tip)) {
      const end = Math.min(next + STEP_BLOCKS - 1, range.last, tip);
      const found: Utxo[] = [];
      for (; next <= end; next++) {
        signal.throwIfAborted();
        found.push(...(await this.#coinsIn(chainData, next, owner, key.lockingScript)));
      }
      await this.#journal(owner, found, next);
    }
    this.#reached = reached;
    this.#isDone = next > range.last;
  }

  /** What is left to be looked through. A journal that has transactions of this owner knows its coins. */
  async #range(owner: string, tip: number): Promise<{ next: number; last: number } | undefined> {
    const { queue, birthHeight } = this.#options;
    const { db, network } = queue;
    const row = await db
      .selectFrom('writer_scans')
      .selectAll()
      .where('network', '=', network)
      .where('owner', '=', owner)
      .executeTakeFirst();
    if (row !== undefined) return { next: row.next_height, last: row.last_height };
    const known = await db
      .selectFrom('writer_transactions')
      .select('id')
      .where('network', '=', network)
      .where('owner', '=', owner)
      .limit(1)
      .executeTakeFirst();
    const last = tip + SETTLING_BLOCKS;
    const next = known === undefined ? birthHeight() : last + 1;
    if (next === null) return undefined;
    await db
      .insertInto('writer_scans')
      .values({ network, owner, next_height: next, last_height: last })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    return { next, last };
  }

  async #coinsIn(chainData: ChainData, height: number, owner: string, lockingScript: Uint8Array): Promise<Utxo[]> {
    const { value: hash } = await chainData.hashAt(height);
    if (hash === undefined) return [];
    const { basis, value: found } = await chainData.search({ hash, height }, { keys: new Set([owner]) });
    const coins = (found?.transactions ?? []).flatMap(({ txid, outputs }) =>
      outputs.flatMap(({ vout, satoshis, script }): Utxo[] =>
        script && equalBytes(script, lockingScript) ? [{ txid, vout, satoshis, lockingScript }] : [],
      ),
    );
    // Anybody can make a block that pays; only the verified headers show that it is part of the chain.
    if (basis === 'unknown' || (coins.length > 0 && basis !== 'proven'))
      throw new PlanchetError('chain.block-unverified', { hash });
    const unspent: Utxo[] = [];
    for (const coin of coins) {
      // What was spent since, in a later block or by what waits, is left out.
      if ((await chainData.output(coin)).value?.state === 'unspent') unspent.push(coin);
    }
    return unspent;
  }

  async #journal(owner: string, found: readonly Utxo[], next: number): Promise<void> {
    const { queue, logger, wake } = this.#options;
    const { network } = queue;
    await queue.db.transaction().execute(async (db) => {
      for (const { txid, vout, satoshis: value } of found) {
        // One satoshi would be a token. What this journal made itself it follows already.
        if (value <= 1) continue;
        const own = await db
          .selectFrom('writer_transactions')
          .select('id')
          .where('network', '=', network)
          .where('txid', '=', txid)
          .executeTakeFirst();
        if (own !== undefined) continue;
        await db
          .insertInto('writer_coins')
          .values({ network, txid, vout, owner, satoshis: value, depth: 0, held_by: null })
          .onConflict((conflict) => conflict.doNothing())
          .execute();
      }
      await db
        .updateTable('writer_scans')
        .set({ next_height: next })
        .where('network', '=', network)
        .where('owner', '=', owner)
        .execute();
    });
    if (found.length === 0) return;
    logger.info({ coins: found.length, height: next - 1 }, 'coins of the writer were found on the chain');
    wake();
  }
}
