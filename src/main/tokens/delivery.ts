import type { Logger } from 'pino';
import { fromHex } from '../../chain/index.ts';
import { toFailure } from '../../contract/index.ts';
import type { Merchant } from '../ports/merchant.ts';
import type { TipSource } from '../ports/node.ts';
import type { TokenWallet } from '../ports/wallet.ts';
import type { ChainReader } from './chain-reader.ts';
import { type Journal, ownerOf } from './journal.ts';
import type { JobRow } from './tables.ts';

/** Blocks below the tip in which a mined transaction is looked for again when the tip changes. */
const WATCHED_BLOCKS = 100;

/** Where a test may end the process: after everything that another party or the disk has taken note of. */
export const tokenCrashPoints = [
  'token-built',
  'token-reviewed',
  'token-signed',
  'token-sent',
  'token-seen',
  'token-submitted',
  'token-mined',
] as const;
type TokenCrashPoint = (typeof tokenCrashPoints)[number];

export interface DeliveryOptions {
  readonly wallet: TokenWallet;
  readonly merchant: Merchant;
  readonly tip: TipSource;
  readonly logger: Logger;
  readonly chain: ChainReader;
  readonly journal: Journal;
  readonly write: (id: string, values: Partial<JobRow>) => Promise<void>;
  readonly crashPoint?: (where: TokenCrashPoint) => void;
}

/** Submits signed transactions and follows them to their blocks, also through reorganisations. */
export class Delivery {
  readonly #options: DeliveryOptions;
  /** The tip for which mined transactions were last looked for. */
  #watchedTip = '';

  constructor(options: DeliveryOptions) {
    this.#options = options;
  }

  /** Sends the one signed transaction of a job. The miner knows it by its id, so sending it again changes nothing. */
  async submit(row: JobRow): Promise<void> {
    const { merchant, wallet, chain, write, crashPoint, logger } = this.#options;
    const rawTx = fromHex(row.raw_tx ?? '');
    try {
      await merchant.submit(rawTx);
    } catch (error) {
      const failure = toFailure(error);
      const refused = failure.code === 'rejected';
      // A miner may also refuse what it already has.
      if (!refused || (await chain.block(row.txid ?? '')) === undefined) {
        logger.warn({ err: error, id: row.id, txid: row.txid }, 'a token transaction was not taken');
        await write(row.id, { failure: JSON.stringify(failure), halted: refused ? 1 : 0 });
        if (refused) await wallet.release(ownerOf(row.id));
        return;
      }
    }
    crashPoint?.('token-sent');
    await wallet.observe(rawTx);
    await wallet.release(ownerOf(row.id));
    crashPoint?.('token-seen');
    await write(row.id, { state: 'submitted', failure: null });
    crashPoint?.('token-submitted');
  }

  /** A submitted transaction is mined once a block of the main chain holds it. */
  async follow(row: JobRow): Promise<void> {
    const { chain, write, crashPoint } = this.#options;
    const block = await chain.block(row.txid ?? '');
    if (!block) return;
    await write(row.id, { state: 'mined', block_hash: block.hash, block_height: block.height });
    crashPoint?.('token-mined');
  }

  /** Transactions that a reorganisation removed from the chain are sent again, since the node may have dropped them. */
  async watchMined(): Promise<void> {
    const { tip, chain, journal, write } = this.#options;
    const current = tip.current();
    if (current === null || current.hash === this.#watchedTip) return;
    const isGone = new Map<string, boolean>();
    for (const { id, block_hash: hash } of await journal.minedSince(current.height - WATCHED_BLOCKS)) {
      if (hash === null) continue;
      const gone = isGone.get(hash) ?? (await chain.mainBlock(hash)) === undefined;
      isGone.set(hash, gone);
      if (gone) await write(id, { state: 'signed', block_hash: null, block_height: null });
    }
    this.#watchedTip = current.hash;
  }
}
