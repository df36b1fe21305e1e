import type { Logger } from 'pino';
import { fromHex } from '../../../chain/index.ts';
import { toFailure } from '../../../contract/index.ts';
import type { Merchant } from '../../ports/merchant.ts';
import { type NodeRpc, NodeRpcError, type TipSource } from '../../ports/node.ts';
import type { WalletSendRow } from '../tables.ts';
import type { Wallet } from '../wallet.ts';
import { ownerOf, type SendJournal } from './send-journal.ts';

/** Blocks below the tip in which a mined payment is looked for again when the tip changes. */
const WATCHED_BLOCKS = 100;

interface Place {
  readonly hash: string;
  readonly height: number;
}

export interface SendDeliveryOptions {
  readonly wallet: Wallet;
  readonly merchant: Merchant;
  readonly node: NodeRpc;
  readonly tip: TipSource;
  readonly logger: Logger;
  readonly journal: SendJournal;
  readonly write: (id: string, values: Partial<WalletSendRow>) => Promise<void>;
  readonly crashPoint?: (where: 'send-sent' | 'send-submitted') => void;
}

/** Brings signed payments to the miner and follows them into their blocks, and out of them where the chain changes. */
export class SendDelivery {
  readonly #options: SendDeliveryOptions;
  /** The tip for which mined payments were last looked for. */
  #watchedTip = '';

  constructor(options: SendDeliveryOptions) {
    this.#options = options;
  }

  /** Submits the one signed transaction of a payment. The miner knows it by its id, so submitting it again changes nothing. */
  async submit(row: WalletSendRow): Promise<void> {
    const { merchant, wallet, write, crashPoint, logger } = this.#options;
    const rawTx = fromHex(row.raw_tx ?? '');
    try {
      await merchant.submit(rawTx);
    } catch (error) {
      const failure = toFailure(error);
      const refused = failure.code === 'rejected';
      // a miner that has it already also says no
      if (!refused || (await this.#block(row.txid ?? '')) === undefined) {
        logger.warn({ err: error, id: row.id, txid: row.txid }, 'a payment was not taken');
        await write(row.id, { failure: JSON.stringify(failure), halted: refused ? 1 : 0 });
        if (refused) await wallet.release(ownerOf(row.id));
        return;
      }
    }
    crashPoint?.('send-sent');
    await wallet.observe(rawTx);
    await wallet.release(ownerOf(row.id));
    await write(row.id, { state: 'submitted', failure: null });
    crashPoint?.('send-submitted');
  }

  /** A submitted payment is mined once a block of the main chain holds it. */
  async follow(row: WalletSendRow): Promise<void> {
    const block = await this.#block(row.txid ?? '');
    if (block)
      await this.#options.write(row.id, { state: 'mined', block_hash: block.hash, block_height: block.height });
  }

  /** What a reorganisation took out of the chain is on its way again: it is submitted anew, for the node may have dropped it. */
  async watchMined(): Promise<void> {
    const { tip, journal, write } = this.#options;
    const current = tip.current();
    if (current === null || current.hash === this.#watchedTip) return;
    const isGone = new Map<string, boolean>();
    for (const { id, block_hash: hash } of await journal.minedSince(current.height - WATCHED_BLOCKS)) {
      if (hash === null) continue;
      const gone = isGone.get(hash) ?? (await this.#mainBlock(hash)) === undefined;
      isGone.set(hash, gone);
      if (gone) await write(id, { state: 'signed', block_hash: null, block_height: null });
    }
    this.#watchedTip = current.hash;
  }

  /** null while no block of the main chain holds it, undefined where the node does not know it. @throws PlanchetError `upstream-*` */
  async #block(txid: string): Promise<Place | null | undefined> {
    try {
      const { blockhash } = await this.#options.node.call<{ blockhash?: string }>('getrawtransaction', [txid, true]);
      return blockhash ? ((await this.#mainBlock(blockhash)) ?? null) : null;
    } catch (error) {
      if (error instanceof NodeRpcError) return undefined;
      throw error;
    }
  }

  async #mainBlock(hash: string): Promise<Place | undefined> {
    try {
      const { height } = await this.#options.node.call<{ height: number }>('getblockheader', [hash, true]);
      // Some nodes count confirmations on dead branches too: only the hash at its height shows where a block is.
      const main = await this.#options.node.call<string>('getblockhash', [height]);
      return main === hash ? { hash, height } : undefined;
    } catch (error) {
      if (error instanceof NodeRpcError) return undefined;
      throw error;
    }
  }
}
