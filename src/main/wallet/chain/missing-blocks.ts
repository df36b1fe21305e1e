import type { Outpoint } from '../../../chain/index.ts';
import { PlanchetError } from '../../../contract/index.ts';
import type { ChainData } from '../../ports/chain-data.ts';
import { highestPaid } from '../coins/storage/used-keys.ts';
import { keysText, searchedForAll } from './followed-keys.ts';
import { HistoryScan, type HistoryScanOptions, type Reading } from './history-scan.ts';

export type MissingBlocksOptions = Omit<HistoryScanOptions, 'to' | 'claimedSpent'>;

/**
 * Takes the wallet past blocks that its node does not have any more, by what public services list of its keys: each transaction counts by its bytes
 * and its path to a verified header. The blocks that the node has are searched afterwards.
 */
export class MissingBlocks {
  readonly #options: MissingBlocksOptions;
  #scan: HistoryScan | undefined;

  constructor(options: MissingBlocksOptions) {
    this.#options = options;
  }

  /** Undefined while nothing is looked up. */
  get reading(): Reading | undefined {
    return this.#scan?.reading;
  }

  /**
   * @param from the height of a block that the node lacks
   * @param lacking how the node said so
   * @param awaited hashes of keys that a payment is expected for
   * @throws `lacking` where nobody else is asked, PlanchetError `wallet.missing-not-told` where nobody else answers, `wallet.history-cut` where
   *   nobody tells all of an address: the missing blocks may pay it; what was taken until then stays
   */
  async take(from: number, lacking: PlanchetError, awaited: readonly string[], signal: AbortSignal): Promise<void> {
    const node = this.#options.chainData.until(signal);
    const services = node.beside;
    if (services === undefined) throw lacking;
    const to = await this.#lastMissing(node, from, signal);
    const { keys, coinStore } = this.#options;
    this.#scan = new HistoryScan({
      ...this.#options,
      chainData: services,
      to,
      claimedSpent: (outpoints) => spentOf(node, outpoints),
    });
    try {
      // payments may make the wallet follow further keys
      for (let known = -1; known < keys.all.length; ) {
        const all = keys.all;
        const further = all.filter((key) => !searchedForAll(coinStore.state.keys, [key]));
        const hashes = all.map(({ pubKeyHash }) => pubKeyHash);
        const { value: history } = await services.history(hashes, awaited);
        if (history === undefined) throw lacking;
        await this.#scan.take(history, new Set(further.map(({ pubKeyHash }) => pubKeyHash)), signal);
        await coinStore.change((edit) => edit.setState({ keys: keysText(all) }));
        const [cut] = history.cut ?? [];
        if (cut !== undefined) throw new PlanchetError('wallet.history-cut', cut);
        known = all.length;
        await keys.prepare?.(highestPaid(coinStore.used)).catch(() => undefined);
      }
    } catch (error) {
      if (!(error instanceof PlanchetError) || error.id !== 'chain.sources-unavailable') throw error;
      const values = { node: node.name, height: from, reason: error.values?.reasons ?? '' };
      throw new PlanchetError('wallet.missing-not-told', values, { cause: error });
    } finally {
      this.#scan = undefined;
    }
  }

  /** The last block that the node lacks: it has all above it. */
  async #lastMissing(node: ChainData, from: number, signal: AbortSignal): Promise<number> {
    const { headers } = this.#options;
    const has = async (height: number): Promise<boolean> => {
      signal.throwIfAborted();
      const hash = headers.at(height)?.hash;
      return hash !== undefined && (await node.holds({ height, hash }));
    };
    let last = from;
    let above = headers.tip?.height ?? from;
    if (!(await has(above))) return above;
    while (above - last > 1) {
      const middle = (last + above) >> 1;
      if (await has(middle)) above = middle;
      else last = middle;
    }
    return last;
  }
}

/** A pruned node has all unspent outputs: what it has not, and does not wait to be spent either, a block spent. */
async function spentOf(node: ChainData, outpoints: readonly Outpoint[]): Promise<readonly Outpoint[]> {
  const states = (await node.outputs(outpoints, 'states')) ?? [];
  const spent: Outpoint[] = [];
  for (const [index, outpoint] of outpoints.entries()) {
    const { value } = states[index] ?? (await node.output(outpoint));
    if (value === undefined) spent.push(outpoint);
  }
  return spent;
}
