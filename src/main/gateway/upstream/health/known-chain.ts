import { type BlockHeader, workOf } from '../../../../chain/index.ts';
import type { Network } from '../../../../contract/index.ts';
import { provenHeight } from '../../blocks/block-evidence.ts';
import { blocksOfChain, easiestBits } from '../../blocks/network-chains.ts';
import type { Upstream } from '../pool.ts';
import type { AskUpstream, Claim, UpstreamProbe } from './probe.ts';

/** Most headers to read from a best block back to one of known height: two days of blocks. */
const LONGEST_WALK = 288;
/** Most blocks to remember. */
const KNOWN_BLOCKS = 2_000;
/** On the main network, the work of two nearby blocks differs by less than this factor. */
const WORK_FACTOR = 4n;
/** The same for a block and the newest built-in block of the network. */
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
  /** Whether more than one upstream confirmed the first block. */
  agreed = false;

  constructor(options: KnownChainOptions) {
    this.#options = options;
  }

  /**
   * Computes the height of a best block from the headers between it and a block of known height.
   * @returns undefined if the headers do not lead to such a block
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

  /** Starts again with the best of the claims. */
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

  /** The height of a best block according to its coinbase, if the upstream has it. */
  async #shown({ upstream, hash, header }: Claim): Promise<number | undefined> {
    try {
      return provenHeight(hash, header, await this.#options.ask(upstream, 'getblockheader', [hash, 2]));
    } catch {
      return undefined;
    }
  }

  /** Whether the work of a best block is plausible for the network. On the main network, it is compared with a block that all nodes have. */
  async #hasWork({ upstream, header }: Claim): Promise<boolean> {
    const { network } = this.#options;
    if (workOf(header.bits) < workOf(easiestBits[network])) return false;
    const landmark = network === 'main' ? blocksOfChain.get('main')?.at(-1) : undefined;
    if (landmark === undefined) return true;
    try {
      const beside = await this.#options.probe.header(upstream, landmark.hash);
      return beside === undefined || workOf(header.bits) * FLOOR_FACTOR >= workOf(beside.bits);
    } catch {
      return true;
    }
  }

  /** Whether an upstream has a block at the claimed height of its chain. */
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
