import type { Logger } from 'pino';
import { fromHex } from '../../chain/index.ts';
import { toFailure } from '../../contract/index.ts';
import type { Merchant } from '../ports/merchant.ts';
import type { NodeRpc, TipSource } from '../ports/node.ts';
import type { FundingWallet } from '../ports/wallet.ts';
import { blockOf, mainBlock } from './block-place.ts';
import type { JobJournal } from './job-journal.ts';
import type { JobRow } from './job-row.ts';

/** Blocks below the tip in which a mined transaction is looked for again when the tip changes. */
const WATCHED_BLOCKS = 100;

export interface DeliveryOptions<Row extends JobRow> {
  readonly wallet: Pick<FundingWallet, 'observe' | 'release'>;
  readonly merchant: Merchant;
  readonly node: NodeRpc;
  readonly tip: TipSource;
  readonly logger: Logger;
  readonly journal: JobJournal<Row>;
  /** The name under which the wallet holds what a job spends. */
  readonly ownerOf: (id: string) => string;
  readonly write: (id: string, values: Partial<JobRow>) => Promise<void>;
  /** Where a test may end the process: after everything that another party or the disk has taken note of. */
  readonly crashPoint: (where: DeliveryPoint) => void;
}

export type DeliveryPoint = 'sent' | 'seen' | 'submitted' | 'mined';

/** Submits signed transactions and follows them to their blocks, also through reorganisations. */
export class Delivery<Row extends JobRow> {
  readonly #options: DeliveryOptions<Row>;
  /** The tip for which mined transactions were last looked for. */
  #watchedTip = '';

  constructor(options: DeliveryOptions<Row>) {
    this.#options = options;
  }

  /** Submits the one signed transaction of a job. The miner knows it by its id, so submitting it again changes nothing. */
  async submit(row: Row): Promise<void> {
    const { merchant, node, wallet, ownerOf, write, crashPoint, logger } = this.#options;
    const rawTx = fromHex(row.raw_tx ?? '');
    try {
      await merchant.submit(rawTx);
    } catch (error) {
      const failure = toFailure(error);
      const refused = failure.code === 'rejected';
      // A miner may also refuse what it already has.
      if (!refused || (await blockOf(node, row.txid ?? '')) === undefined) {
        logger.warn({ err: error, id: row.id, txid: row.txid }, 'a transaction was not taken');
        await write(row.id, { failure: JSON.stringify(failure), halted: refused ? 1 : 0 });
        if (refused) await wallet.release(ownerOf(row.id));
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

  /** A submitted transaction is mined once a block of the main chain holds it. */
  async follow(row: Row): Promise<void> {
    const { node, write, crashPoint } = this.#options;
    const block = await blockOf(node, row.txid ?? '');
    if (!block) return;
    await write(row.id, { state: 'mined', block_hash: block.hash, block_height: block.height });
    crashPoint('mined');
  }

  /** Transactions that a reorganisation took out of the chain are submitted again, since the node may have dropped them. */
  async watchMined(): Promise<void> {
    const { tip, node, journal, write } = this.#options;
    const current = tip.current();
    if (current === null || current.hash === this.#watchedTip) return;
    const isGone = new Map<string, boolean>();
    for (const { id, block_hash: hash } of await journal.minedSince(current.height - WATCHED_BLOCKS)) {
      if (hash === null) continue;
      const gone = isGone.get(hash) ?? (await mainBlock(node, hash)) === undefined;
      isGone.set(hash, gone);
      if (gone) await write(id, { state: 'signed', block_hash: null, block_height: null });
    }
    this.#watchedTip = current.hash;
  }
}
