import { addSatoshis, subsidyAt } from '../../../../chain/index.ts';
import { type BlockPlan, type BlockTransaction, makeBlock, type NewBlock } from '../consensus/blocks.ts';
import { policy } from '../consensus/consensus.ts';
import type { Ledger } from '../ledger.ts';
import type { Mempool } from '../mempool/mempool.ts';
import type { MempoolEntry } from '../mempool/mempool-entry.ts';

export interface BlockMakerOptions {
  readonly ledger: Ledger;
  readonly mempool: Mempool;
  /** Milliseconds. */
  readonly now: () => number;
}

/** Builds blocks from mempool transactions, on the tip or as side blocks. */
export class BlockMaker {
  readonly #options: BlockMakerOptions;

  constructor(options: BlockMakerOptions) {
    this.#options = options;
  }

  /** Builds a block on the tip from the mempool, without connecting it. @param payTo locking script of the coinbase */
  next(payTo: Uint8Array): Promise<NewBlock> {
    const { ledger, mempool } = this.#options;
    const chosen = chooseTransactions(mempool);
    const { hash, height, medianTime } = ledger.tip;
    return this.#make({
      height: height + 1,
      previousHash: hash,
      time: this.#timeAfter(medianTime),
      payTo,
      reward: chosen.reduce((reward, { fee }) => addSatoshis(reward, fee), subsidyAt(height + 1)),
      // parsed once here, because entries would parse it again for every rule
      transactions: chosen.map(({ txid, tx, raw }) => ({ txid, tx, raw })),
    });
  }

  /**
   * Builds a block on any known block and stores it as a side block.
   * @param transactions parents before children
   * @returns its hash
   */
  async beside(previousHash: string, payTo: Uint8Array, transactions: readonly BlockTransaction[]): Promise<string> {
    const { ledger } = this.#options;
    const previous = await ledger.context(previousHash);
    if (previous === undefined) throw new Error(`block ${previousHash} is not known`);
    const height = previous.height + 1;
    const time = this.#timeAfter(previous.medianTime);
    const block = await this.#make({ height, previousHash, time, payTo, reward: subsidyAt(height), transactions });
    await ledger.keep(block);
    return block.hash;
  }

  /** Seconds: now, or the minimum time after that median. */
  #timeAfter(medianTime: number): number {
    return Math.max(Math.floor(this.#options.now() / 1000), medianTime + 1);
  }

  /** Builds a block with a new hash: two of the same second on one parent would otherwise be equal. */
  async #make(plan: BlockPlan): Promise<NewBlock> {
    for (let extraNonce = 0; ; extraNonce++) {
      const block = makeBlock({ ...plan, extraNonce });
      if (!(await this.#options.ledger.has(block.hash))) return block;
    }
  }
}

function chooseTransactions(mempool: Mempool): MempoolEntry[] {
  const chosen: MempoolEntry[] = [];
  let bytes = 0;
  for (const entry of mempool.entries()) {
    bytes += entry.raw.length;
    // stopping at the first that does not fit keeps parents before children
    if (bytes > policy.maxMinedBlockBytes) break;
    chosen.push(entry);
  }
  return chosen;
}
