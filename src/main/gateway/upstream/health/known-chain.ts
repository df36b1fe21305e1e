import { type BlockHeader, workOf } from '../../../../chain/index.ts';
import type { Network } from '../../../../contract/index.ts';
import { provenHeight } from '../../blocks/block-evidence.ts';
import { blocksOfChain, easiestBits } from '../../blocks/network-chains.ts';
import type { Upstream } from '../pool.ts';
import type { AskUpstream, Claim, UpstreamProbe } from './probe.ts';

/** Headers read back from a best block to one whose height is known: two days of blocks. */
const LONGEST_WALK = 288;
/** Blocks whose heights are remembered. */
const KNOWN_BLOCKS = 2_000;
/** On the main network the work of a block differs from that of one near it by less than this factor. */
const WORK_FACTOR = 4n;
/** And from that of the last block all nodes of the network have in common by less than this one. */
const FLOOR_FACTOR = 256n;

interface KnownBlock {
  readonly height: number;
  readonly bits: number;
}

export interface KnownChainOptions {
  ask: AskUpstream;
  probe: Pick<UpstreamProbe, 'header'>;
  network: Network;
}

/** The newest blocks whose heights are known. */
export class KnownChain {
  readonly #options: KnownChainOptions;
  readonly #known = new Map<string, KnownBlock>();
  /** More than one upstream told of the block this began with. */
  agreed = false;

  constructor(options: KnownChainOptions) {
    this.#options = options;
  }

  /**
   * Height of a best block by the headers between it and a block of known height.
   * @returns undefined where they do not lead to one
   * @throws NodeRpcError, PlanchetError `upstream-*`
   */
  async heightOf({ upstream, hash, header }: Claim): Promise<number | undefined> {
    const path: { hash: string; bits: number }[] = [];
    let at = hash;
    let next: BlockHeader | undefined = header;
    while (!this.#known.has(at)) {
      next ??= await this.#options.probe.header(upstream, at);
      if (next === undefined || path.length === LONGEST_WALK) return undefined;
      path.push({ hash: at, bits: next.bits });
      at = next.previousHash;
      next = undefined;
      if (/^0+$/.test(at)) return undefined;
    }
    const from = this.#known.get(at) as KnownBlock;
    if (path.some(({ bits }) => this.#isCheap(bits, from.bits))) return undefined;
    for (const [index, block] of path.entries()) this.#know(block.hash, from.height + path.length - index, block.bits);
    return from.height + path.length;
  }

  #isCheap(bits: number, beside: number): boolean {
    return this.#options.network === 'main' && workOf(bits) * WORK_FACTOR < workOf(beside);
  }

  /** Begins anew with the best of the claims. */
  async begin(claims: readonly Claim[]): Promise<void> {
    const hardest = claims.reduce((most, { header }) => (workOf(header.bits) > workOf(most) ? header.bits : most), 0);
    const rated = await Promise.all(
      claims.map(async (claim) => {
        const shown = await this.#shown(claim);
        const own = shown !== undefined || (await this.#tells(claim.upstream, claim));
        const others = claims.filter(({ upstream }) => upstream !== claim.upstream);
        const agree = await Promise.all(others.map(({ upstream }) => this.#tells(upstream, claim)));
        const enough = own && (await this.#hasWork(claim));
        return { claim, shown, enough, votes: agree.filter(Boolean).length };
      }),
    );
    const [best] = rated
      .filter(({ claim, enough }) => enough && !this.#isCheap(claim.header.bits, hardest))
      .sort(
        (a, b) =>
          Number(b.shown !== undefined) - Number(a.shown !== undefined) ||
          b.votes - a.votes ||
          b.claim.header.time - a.claim.header.time ||
          a.claim.height - b.claim.height,
      );
    this.#known.clear();
    if (best !== undefined) {
      this.agreed = best.votes > 0;
      this.#know(best.claim.hash, best.shown ?? best.claim.height, best.claim.header.bits);
    }
  }

  /** The height of a best block by its first transaction, where the upstream has it. */
  async #shown({ upstream, hash, header }: Claim): Promise<number | undefined> {
    try {
      return provenHeight(hash, header, await this.#options.ask(upstream, 'getblockheader', [hash, 2]));
    } catch {
      return undefined;
    }
  }

  /** Whether a best block took work that is possible on the network: measured on the main network by a block that all nodes have. */
  async #hasWork({ upstream, header }: Claim): Promise<boolean> {
    const { network } = this.#options;
    if (workOf(header.bits) < workOf(easiestBits[network])) return false;
    const landmark = network === 'main' ? blocksOfChain.main?.at(-1) : undefined;
    if (landmark === undefined) return true;
    try {
      const beside = await this.#options.probe.header(upstream, landmark.hash);
      return beside === undefined || workOf(header.bits) * FLOOR_FACTOR >= workOf(beside.bits);
    } catch {
      return true;
    }
  }

  /** Whether an upstream says of a block that it is in its chain, at the height that is claimed. */
  async #tells(upstream: Upstream, { hash, height }: Claim): Promise<boolean> {
    try {
      return (await this.#options.ask(upstream, 'getblockhash', [height])) === hash;
    } catch {
      return false;
    }
  }

  #know(hash: string, height: number, bits: number): void {
    this.#known.set(hash, { height, bits });
    const [oldest] = this.#known.keys();
    if (this.#known.size > KNOWN_BLOCKS && oldest !== undefined) this.#known.delete(oldest);
  }
}
