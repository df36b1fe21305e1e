import { formatOutpoint, type Outpoint, parseOutpoint } from '../../../chain/index.ts';
import { isOver } from '../../async/left-until.ts';
import type { ChainData } from '../../ports/chain-data.ts';
import type { Clock } from '../../ports/clock.ts';
import type { CoinStore } from '../coins/storage/coin-store.ts';

/** How often coins are asked about that nobody has reason to doubt, and how many: that is one request, and one to each source about a single coin. */
const ROUND_MS = 1_200_000;
const A_ROUND = 20;
/** Doubtful coins that are asked about in one pass, one request each: an index that calls all coins spent holds up nothing. */
const A_PASS = 20;

export type ClaimedSpent = (outpoints: readonly Outpoint[]) => Promise<readonly Outpoint[]>;

/**
 * Asks by their outpoints whether coins are spent. A history of an address lists no spend of an inscription, and may hide any. What spends a coin
 * counts by its bytes; where somebody says that one is spent and nobody has what spends it, the coin is disputed.
 */
export class SpendWatch {
  readonly #coinStore: CoinStore;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #claimed: ClaimedSpent | undefined;
  /** Coins that were asked about, the longest ago first. */
  readonly #asked = new Set<string>();
  /** Doubtful coins that are to be asked about, one by one. */
  readonly #waiting = new Set<string>();
  #roundAt = Number.NEGATIVE_INFINITY;

  /** @param claimed says which of all unspent coins are spent, where somebody knows it of all of them */
  constructor(coinStore: CoinStore, clock: Pick<Clock, 'now'>, claimed?: ClaimedSpent) {
    this.#coinStore = coinStore;
    this.#clock = clock;
    this.#claimed = claimed;
  }

  /**
   * @param taken ids of transactions whose coins came just now
   * @returns the ids of what spends coins, shown by its bytes
   * @throws PlanchetError `chain.sources-unavailable`
   */
  async look(chain: ChainData, taken: ReadonlySet<string>): Promise<string[]> {
    const coinStore = this.#coinStore;
    const isUnspent = (outpoint: string): boolean => coinStore.coins.get(outpoint)?.spentBy === null;
    const unspent = [...coinStore.coins.keys()].filter(isUnspent);
    for (const outpoint of this.#asked) if (!coinStore.coins.has(outpoint)) this.#asked.delete(outpoint);
    for (const outpoint of this.#waiting) if (!isUnspent(outpoint)) this.#waiting.delete(outpoint);
    const fresh = unspent.filter((outpoint) => taken.has(parseOutpoint(outpoint).txid));
    const round = this.#round(unspent);
    const claimed =
      (await this.#claimed?.(unspent.map(parseOutpoint))) ??
      (await chain.claimedSpent([...new Set([...fresh, ...round])].map(parseOutpoint)));
    const [single] = round;
    const disputed = [...coinStore.disputes.keys()].filter(isUnspent);
    for (const outpoint of [...claimed.map(formatOutpoint), ...disputed]) this.#waiting.add(outpoint);
    if (single !== undefined) this.#waiting.add(single);
    const spenders: string[] = [];
    for (const outpoint of [...this.#waiting].slice(0, A_PASS)) {
      const { spender, claimedBy, deniedBy, silent } = await chain.spends(parseOutpoint(outpoint));
      if (spender !== undefined) spenders.push(spender.txid);
      // who said so and is away has not taken it back
      const stands = coinStore.disputes.get(outpoint)?.sources.filter((source) => silent.includes(source)) ?? [];
      const sources = [...claimedBy, ...stands];
      const isDisputed = spender === undefined && sources.length > 0;
      const of = sources.length + deniedBy.length;
      await coinStore.change((edit) => edit.dispute(outpoint, isDisputed ? { sources, of } : null));
      // while it is disputed, the next pass puts it behind the others
      this.#waiting.delete(outpoint);
    }
    await forgetDisputes(coinStore, goneOf(coinStore));
    return spenders;
  }

  /** The coins that were asked about longest ago, where it is time for them. */
  #round(unspent: readonly string[]): string[] {
    const now = this.#clock.now();
    if (!isOver(ROUND_MS, this.#roundAt, now)) return [];
    this.#roundAt = now;
    const never = unspent.filter((outpoint) => !this.#asked.has(outpoint));
    const before = [...this.#asked].filter((outpoint) => this.#coinStore.coins.get(outpoint)?.spentBy === null);
    const round = [...never, ...before].slice(0, A_ROUND);
    for (const outpoint of round) {
      this.#asked.delete(outpoint);
      this.#asked.add(outpoint);
    }
    return round;
  }
}

/**
 * Ends disputes where blocks are searched: who has them all says whether a coin is unspent. Where it does not, the dispute stays.
 * @param waiting disputed coins that were not asked about yet: some are in each pass
 */
export async function settleDisputes(coinStore: CoinStore, chain: ChainData, waiting: Set<string>): Promise<void> {
  const settled = goneOf(coinStore);
  for (const outpoint of coinStore.disputes.keys()) if (!settled.has(outpoint)) waiting.add(outpoint);
  for (const outpoint of [...waiting].slice(0, A_PASS)) {
    waiting.delete(outpoint);
    const isUnspent = async () => (await chain.output(parseOutpoint(outpoint))).value?.state === 'unspent';
    if (await isUnspent().catch(() => false)) settled.add(outpoint);
  }
  await forgetDisputes(coinStore, settled);
}

/** Disputes about coins that are spent or gone, which are of no use any more. */
function goneOf({ coins, disputes }: CoinStore): Set<string> {
  return new Set([...disputes.keys()].filter((outpoint) => coins.get(outpoint)?.spentBy !== null));
}

async function forgetDisputes(coinStore: CoinStore, outpoints: ReadonlySet<string>): Promise<void> {
  if (outpoints.size === 0) return;
  await coinStore.change((edit) => {
    for (const outpoint of outpoints) edit.dispute(outpoint, null);
  });
}
