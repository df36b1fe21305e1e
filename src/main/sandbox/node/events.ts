import type { Logger } from 'pino';
import type { ChainTip } from './chainstate/chainstate.ts';
import { serializeNewBlock } from './consensus/blocks.ts';
import { reject } from './consensus/validate.ts';
import type { ChainStep } from './ledger.ts';
import type { Removal } from './mempool/acceptance.ts';
import type {
  DisconnectListener,
  RefusalListener,
  RemovalListener,
  RemovedTransaction,
  TipListener,
  TransactionsListener,
} from './types.ts';

/** The origin of a block, in the node's terms. */
export interface BlockOrigin {
  readonly hash: string;
  readonly source: 'submitblock' | 'reconsiderblock';
}

/** Notifies listeners of the node's events. A failing listener is logged, because the chain has already changed. */
export class NodeEvents {
  readonly tips: Listeners<TipListener>;
  readonly transactions: Listeners<TransactionsListener>;
  readonly disconnects: Listeners<DisconnectListener>;
  readonly removals: Listeners<RemovalListener>;
  readonly refusals: Listeners<RefusalListener>;
  readonly #now: () => number;

  /** @param now milliseconds */
  constructor(logger: Logger, now: () => number) {
    this.#now = now;
    this.tips = new Listeners(logger);
    this.transactions = new Listeners(logger);
    this.disconnects = new Listeners(logger);
    this.removals = new Listeners(logger);
    this.refusals = new Listeners(logger);
  }

  /** Reports a chain change step by step. @param origin of the block that started the change */
  chain(steps: readonly ChainStep[], origin?: BlockOrigin): void {
    const last = steps.findLast(({ kind }) => kind === 'connected');
    for (const step of steps) {
      if (step.kind === 'connected') this.#connected(step, step === last);
      else if (step.kind === 'disconnected') {
        const { hash, transactions } = step.block;
        this.disconnects.tell({
          hash,
          height: step.height,
          transactions: transactions.map(({ txid, raw }) => ({ txid, raw })),
        });
      } else if (step.kind === 'refused') this.refusedBlock(step, origin);
      else this.removals.tell(removalOf(step));
    }
  }

  /** Reports the transaction for which a block was refused, if there is one. */
  refusedBlock({ block, height, error }: Omit<ChainStep & { kind: 'refused' }, 'kind'>, origin?: BlockOrigin): void {
    const { culprit } = error;
    if (culprit === undefined) return;
    const { txid, raw, reason = error.reason } = culprit;
    const { hash, header } = block;
    const origins = origin?.hash === hash ? [origin.source] : [];
    this.refusals.tell({
      txid,
      raw,
      code: reject.invalid,
      reason,
      from: { block: { hash, height, time: header.time, origins } },
      standard: false,
      nonFinal: reason === 'bad-txns-nonfinal',
      time: this.#now(),
    });
  }

  removed(removed: readonly Removal[]): void {
    for (const { entry, reason } of removed) this.removals.tell({ txid: entry.txid, raw: entry.raw, reason });
  }

  #connected({ block, fromMempool, tip }: ChainStep & { kind: 'connected' }, newest: boolean): void {
    if (this.tips.none) return;
    let raw: Uint8Array | undefined;
    this.tips.tell(publicTip(tip), {
      hash: block.hash,
      newest,
      raw: () => (raw ??= serializeNewBlock(block).raw),
      transactions: block.transactions.map(({ txid, raw }) => ({ txid, raw, fromMempool: fromMempool.has(txid) })),
    });
  }
}

class Listeners<L extends (...args: never[]) => void> {
  readonly #all = new Set<L>();
  readonly #logger: Logger;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  get none(): boolean {
    return this.#all.size === 0;
  }

  /** @returns a function that removes the listener */
  add(listener: L): () => void {
    this.#all.add(listener);
    return () => this.#all.delete(listener);
  }

  tell(...args: Parameters<L>): void {
    for (const listener of [...this.#all]) {
      try {
        listener(...args);
      } catch (error) {
        this.#logger.error({ err: error }, 'a listener of the sandbox node failed');
      }
    }
  }
}

/** A tip as reported to listeners: `time` is its header's, in milliseconds. */
export function publicTip({ hash, height, time }: ChainTip): Parameters<TipListener>[0] {
  return { hash, height, time: time * 1000 };
}

function removalOf(step: ChainStep & { kind: 'collision' | 'dropped' }): RemovedTransaction {
  const { txid, raw } = step.entry;
  return step.kind === 'dropped'
    ? { txid, raw, reason: 'reorg' }
    : { txid, raw, reason: 'collision-in-block-tx', collidedWith: step.collidedWith, blockHash: step.blockHash };
}
