import { formatOutpoint, type Outpoint, parseTx, txidOf, type Utxo } from '../../../chain/index.ts';
import { PlanchetError } from '../../../contract/index.ts';
import { type ChainSources, coinState } from '../funding/wallet/node-coin.ts';
import type { WriteQueue } from '../queue/queue.ts';
import type { TransactionRow } from '../storage/document.ts';

/** How many of our own unmined transactions are followed back from a coin that nobody knows. */
const MAX_ANCESTORS = 25;

/** What can still happen to a transaction that was given up. */
export type RetryVerdict =
  /** The miner or the node has it, or one it replaced. */
  | { readonly kind: 'alive'; readonly row: TransactionRow }
  /** It may still be mined, unless what writes its documents again spends these outputs. */
  | { readonly kind: 'possible'; readonly coins: readonly Utxo[] }
  /** A block holds another transaction that spends what it spends. */
  | { readonly kind: 'impossible' }
  /** Cannot be decided yet. */
  | { readonly kind: 'undecided'; readonly failure: PlanchetError }
  /** What it spends is known to nobody: it may come back together with its parents. */
  | { readonly kind: 'unknown' };

type InputState = { kind: 'unspent'; coin: Utxo } | { kind: 'spent' | 'contested' | 'unknown' };

export interface RetryJudgeOptions extends ChainSources {
  queue: WriteQueue;
}

/** Decides whether a refused transaction can still be mined. */
export class RetryJudge {
  readonly #options: RetryJudgeOptions;

  constructor(options: RetryJudgeOptions) {
    this.#options = options;
  }

  /**
   * @param row a dead transaction that nothing replaced yet. Those it replaced itself are judged with it: each must be out of the question,
   * or lose a coin to the next one.
   * @throws PlanchetError `upstream-*`
   */
  async judge(row: TransactionRow): Promise<RetryVerdict> {
    const { queue, chainData } = this.#options;
    const line = await this.#replacedBy(row);
    const coins: Utxo[] = [];
    let unknown = false;
    let contested = false;
    for (const one of line) {
      const states = await Promise.all(
        parseTx(one.raw_tx).inputs.map((input) => this.#stateOf(input, one.fee_tx, MAX_ANCESTORS)),
      );
      if (states.some(({ kind }) => kind === 'spent')) continue;
      const unspent = states.flatMap((state) => (state.kind === 'unspent' ? [state.coin] : []));
      if (unspent.length > 0) coins.push(...unspent);
      else if (states.some(({ kind }) => kind === 'contested')) contested = true;
      else unknown = true;
    }
    // Asked after the coins: a transaction that spent one of them before it was looked at is known by now.
    const { height } = (await chainData.tip()).value;
    for (const one of line) if (await this.#isKnown(one)) return { kind: 'alive', row: one };
    // The node may know more blocks than the miner. A block that was looked through and holds the transaction has settled it.
    if ((await this.#scannedHeight()) < height)
      return { kind: 'undecided', failure: new PlanchetError('writer.retry-scanning') };
    for (const { id } of line) {
      if ((await queue.transaction(id))?.state !== 'dead')
        return { kind: 'undecided', failure: new PlanchetError('writer.retry-changed') };
    }
    if (contested) return { kind: 'undecided', failure: new PlanchetError('writer.retry-contested') };
    if (unknown) return { kind: 'unknown' };
    const distinct = new Map(coins.map((coin) => [formatOutpoint(coin), coin]));
    return distinct.size === 0 ? { kind: 'impossible' } : { kind: 'possible', coins: [...distinct.values()] };
  }

  /** The transaction and all that were given up before it for the same documents. */
  async #replacedBy(row: TransactionRow): Promise<TransactionRow[]> {
    const { db } = this.#options.queue;
    const line = [row];
    for (const { id } of line) {
      const earlier = await db.selectFrom('writer_transactions').selectAll().where('replaced_by', '=', id).execute();
      line.push(...earlier);
    }
    return line;
  }

  async #stateOf(outpoint: Outpoint, feeTx: Uint8Array | null, ancestors: number): Promise<InputState> {
    const { merchant } = this.#options;
    const state = await coinState(this.#options, outpoint);
    if (state.kind === 'spent') return state;
    // Spent in no block, or by nobody knows what.
    if (state.kind !== 'unspent' && state.kind !== 'unknown') return { kind: 'contested' };
    const { txid, vout } = outpoint;
    const raw = feeTx !== null && txidOf(feeTx) === txid ? feeTx : await this.#ownTransaction(txid);
    if (state.kind === 'unspent') {
      const made = raw && parseTx(raw).outputs[vout];
      // The node's word alone counts only for a coin that a scan found: no signature holds for a wrong value.
      const coin = made ? { txid, vout, satoshis: made.satoshis, lockingScript: made.script } : state.coin;
      return { kind: 'unspent', coin };
    }
    if (raw === undefined || ancestors === 0) return { kind: 'unknown' };
    for (const input of parseTx(raw).inputs) {
      const { kind } = await this.#stateOf(input, null, ancestors - 1);
      // What the parent spends is gone, and not to the parent: it can never be mined, nor can anything that spends it.
      if (kind === 'spent' && !(await merchant.status(txid)).known) return { kind: 'spent' };
    }
    return { kind: 'unknown' };
  }

  async #ownTransaction(txid: string): Promise<Uint8Array | undefined> {
    const { queue } = this.#options;
    const own = await queue.db
      .selectFrom('writer_transactions')
      .select('raw_tx')
      .where('network', '=', queue.network)
      .where('txid', '=', txid)
      .executeTakeFirst();
    return own?.raw_tx;
  }

  async #isKnown({ txid }: TransactionRow): Promise<boolean> {
    const { chainData, merchant } = this.#options;
    if ((await merchant.status(txid)).known) return true;
    return (await chainData.transaction(txid)).basis !== 'unknown';
  }

  async #scannedHeight(): Promise<number> {
    const { queue } = this.#options;
    const row = await queue.db
      .selectFrom('writer_blocks')
      .select((eb) => eb.fn.max('height').as('height'))
      .where('network', '=', queue.network)
      .executeTakeFirst();
    return row?.height ?? -1;
  }
}
