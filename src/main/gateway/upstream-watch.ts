import { type BlockHeader, fromHex, headerHash, meetsTarget, parseHeader, workOf } from '../../chain/index.ts';
import { type Network, PlanchetError } from '../../contract/index.ts';
import { type Clock, type Logger, NodeRpcError } from '../ports.ts';
import { blocksOfChain, chainNames } from './network-chains.ts';
import type { Upstream, Upstreams } from './upstreams.ts';

/** How often the upstreams are looked at. */
const WATCH_MS = 5_000;
/** Headers read back from a best block to one whose height is known: two days of blocks. */
const LONGEST_WALK = 288;
/** A chain known this lately is within the reach of the walk: an upstream whose blocks do not lead to it is not believed. */
const BELIEVED_MS = 86_400_000;
/** Blocks whose heights are remembered. */
const KNOWN_BLOCKS = 2_000;
/** On the main network the work of a block differs from that of one near it by less than this factor. */
const WORK_FACTOR = 4n;

/** One call to one upstream. @throws NodeRpcError, PlanchetError `upstream-*` */
type AskUpstream = (upstream: Upstream, method: string, params: readonly unknown[]) => Promise<unknown>;

export interface UpstreamWatchOptions {
  upstreams: Upstreams;
  /** All of them; an address list that was changed is read anew. @throws PlanchetError `settings-invalid` */
  all: () => readonly Upstream[];
  ask: AskUpstream;
  /** Told of a look that failed. */
  onFailure: (upstream: Upstream, error: unknown) => void;
  network: Network;
  clock: Clock;
  logger: Logger;
}

/** The best block an upstream says it has, with the header that proves its work. */
interface Claim {
  readonly upstream: Upstream;
  readonly height: number;
  readonly hash: string;
  readonly header: BlockHeader;
}

interface KnownBlock {
  readonly height: number;
  readonly bits: number;
}

/**
 * Looks at the upstreams from time to time: whether each is on the chain of the network, and how high its best block is. A height is
 * believed as far as headers show it: the best block's header is hashed, held against its target, and followed back to a block whose
 * height is known. Where none is known yet, the block most upstreams tell the same height of is the first, and where that decides
 * nothing the newest, then the lowest.
 */
export class UpstreamWatch {
  readonly #options: UpstreamWatchOptions;
  readonly #known = new Map<string, KnownBlock>();
  /** Upstreams that have shown every block their chain is known by: none is asked for it twice. */
  readonly #onChain = new WeakSet<Upstream>();
  /** The best block of each upstream as it was proven last: most looks find the same one. */
  readonly #proven = new WeakMap<Upstream, Pick<Claim, 'hash' | 'header'>>();
  /** When an upstream's best block was last found to be part of the known chain. */
  #knownAt = Number.NEGATIVE_INFINITY;
  /** More than one upstream told of the block the known chain began with. */
  #agreed = false;

  constructor(options: UpstreamWatchOptions) {
    this.#options = options;
  }

  /** @returns what ends it */
  start(): () => void {
    let cancel = (): void => {};
    let watching = true;
    const round = (): void => {
      // A list that cannot be read is told to whoever calls.
      const looked = this.look().catch(() => {});
      void looked.then(() => {
        if (watching) cancel = this.#options.clock.after(WATCH_MS, round);
      });
    };
    round();
    return () => {
      watching = false;
      cancel();
    };
  }

  /** Looks at every upstream now. */
  async look(): Promise<void> {
    const { all, clock, upstreams } = this.#options;
    const claims = (await Promise.all(all().map((upstream) => this.#claimOf(upstream)))).filter(
      (claim) => claim !== undefined,
    );
    const unlinked = await this.#believeLinked(claims);
    const lost = unlinked.length === claims.length && this.#mayBeginAnew();
    if (unlinked.length > 0 && (lost || !this.#agreed)) await this.#begin(claims);
    else for (const claim of unlinked) this.#doubt(claim.upstream, unshown(claim));
    if (claims.some(({ upstream }) => upstream.height !== null)) this.#knownAt = clock.now();
    upstreams.compareHeights();
  }

  async #claimOf(upstream: Upstream): Promise<Claim | undefined> {
    try {
      const info = (await this.#options.ask(upstream, 'getblockchaininfo', [])) as Record<string, unknown> | null;
      const { chain, blocks: height, bestblockhash: hash } = info ?? {};
      if (typeof chain !== 'string' || !Number.isSafeInteger(height) || typeof hash !== 'string') {
        this.#doubt(upstream, silent(upstream));
        return undefined;
      }
      const other = await this.#otherChain(upstream, chain, height as number);
      this.#bar(upstream, other);
      if (other !== undefined) return undefined;
      const proven = this.#proven.get(upstream);
      const header = proven?.hash === hash ? proven.header : await this.#header(upstream, hash);
      if (header !== undefined) {
        this.#proven.set(upstream, { hash, header });
        return { upstream, height: height as number, hash, header };
      }
      this.#doubt(upstream, unshown({ upstream, height: height as number }));
    } catch (error) {
      if (error instanceof NodeRpcError) this.#doubt(upstream, silent(upstream));
      this.#options.onFailure(upstream, error);
    }
    return undefined;
  }

  /** Why an upstream is not on the network's chain; undefined where nothing speaks against it. */
  async #otherChain(upstream: Upstream, chain: string, height: number): Promise<PlanchetError | undefined> {
    const { network, ask } = this.#options;
    if (!chainNames[network].includes(chain)) return onOther(upstream, `it calls its chain "${chain}"`, network);
    if (this.#onChain.has(upstream)) return undefined;
    const blocks = blocksOfChain[chain] ?? [];
    // one that is still catching up has not got so far
    const reached = blocks.filter((block) => block.height <= height);
    for (const block of reached) {
      const hash = await ask(upstream, 'getblockhash', [block.height]);
      if (hash !== block.hash) return onOther(upstream, `its block ${block.height} is ${String(hash)}`, network);
    }
    if (reached.length === blocks.length) this.#onChain.add(upstream);
    return undefined;
  }

  /** The header of a block, where the upstream has one that hashes to the block's name and proves work. */
  async #header(upstream: Upstream, hash: string): Promise<BlockHeader | undefined> {
    const raw = await this.#options.ask(upstream, 'getblockheader', [hash, false]);
    if (typeof raw !== 'string' || !/^[0-9a-f]{160}$/.test(raw)) return undefined;
    const bytes = fromHex(raw);
    const header = parseHeader(bytes);
    return headerHash(bytes) === hash && meetsTarget(hash, header.bits) ? header : undefined;
  }

  /** Takes the heights of those whose blocks lead to the known chain. @returns the others */
  async #believeLinked(claims: readonly Claim[]): Promise<Claim[]> {
    const linked = await Promise.all(claims.map((claim) => this.#believe(claim)));
    return claims.filter((_, index) => !linked[index]);
  }

  async #believe(claim: Claim): Promise<boolean> {
    const { upstream } = claim;
    try {
      const height = await this.#heightOf(claim);
      if (height === undefined) {
        upstream.height = null;
        return false;
      }
      this.#doubt(upstream, height === claim.height ? undefined : unshown(claim, height));
      upstream.height = height;
      return true;
    } catch (error) {
      upstream.height = null;
      this.#options.onFailure(upstream, error);
      return false;
    }
  }

  /** Height of a best block by the headers between it and a block of known height. */
  async #heightOf({ upstream, hash, header }: Claim): Promise<number | undefined> {
    const path: { hash: string; bits: number }[] = [];
    let at = hash;
    let next: BlockHeader | undefined = header;
    while (!this.#known.has(at)) {
      next ??= await this.#header(upstream, at);
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

  /** The sandbox's chain is put back and made anew at will, by its owner. */
  #mayBeginAnew(): boolean {
    const { network, clock } = this.#options;
    return network === 'sandbox' || clock.now() - this.#knownAt > BELIEVED_MS;
  }

  /** Begins the known chain with one of the claims. */
  async #begin(claims: readonly Claim[]): Promise<void> {
    const hardest = claims.reduce((most, { header }) => (workOf(header.bits) > workOf(most) ? header.bits : most), 0);
    const rated = await Promise.all(
      claims.map(async (claim) => {
        const own = await this.#tells(claim.upstream, claim);
        const others = claims.filter(({ upstream }) => upstream !== claim.upstream);
        const agree = await Promise.all(others.map(({ upstream }) => this.#tells(upstream, claim)));
        return { claim, own, votes: agree.filter(Boolean).length };
      }),
    );
    const [best] = rated
      .filter(({ claim, own }) => own && !this.#isCheap(claim.header.bits, hardest))
      .sort(
        (a, b) => b.votes - a.votes || b.claim.header.time - a.claim.header.time || a.claim.height - b.claim.height,
      );
    this.#known.clear();
    if (best !== undefined) {
      this.#agreed = best.votes > 0;
      this.#know(best.claim.hash, best.claim.height, best.claim.header.bits);
    }
    for (const claim of await this.#believeLinked(claims)) this.#doubt(claim.upstream, unshown(claim));
  }

  /** Whether an upstream says of a block that it is in its chain, at the height that is claimed. */
  async #tells(upstream: Upstream, { hash, height }: Claim): Promise<boolean> {
    try {
      const told = (await this.#options.ask(upstream, 'getblockheader', [hash, true])) as Record<
        string,
        unknown
      > | null;
      return told?.height === height && typeof told.confirmations === 'number' && told.confirmations > 0;
    } catch {
      return false;
    }
  }

  #know(hash: string, height: number, bits: number): void {
    this.#known.set(hash, { height, bits });
    const [oldest] = this.#known.keys();
    if (this.#known.size > KNOWN_BLOCKS && oldest !== undefined) this.#known.delete(oldest);
  }

  #doubt(upstream: Upstream, doubt: PlanchetError | undefined): void {
    if (doubt !== undefined) upstream.height = null;
    if (doubt !== undefined && doubt.message !== upstream.doubt?.message) {
      this.#options.logger.warn({ err: doubt }, 'the height of an upstream is not believed');
    }
    upstream.doubt = doubt;
  }

  #bar(upstream: Upstream, barred: PlanchetError | undefined): void {
    if (barred !== undefined) upstream.height = null;
    if (barred !== undefined && upstream.barred === undefined) {
      this.#options.logger.warn({ err: barred }, 'an upstream is on another chain and is not asked');
    } else if (barred === undefined && upstream.barred !== undefined) {
      this.#options.logger.info({ origin: upstream.origin }, 'an upstream is on the chain of the network again');
    }
    upstream.barred = barred;
  }
}

function onOther({ origin }: Upstream, why: string, network: Network): PlanchetError {
  return new PlanchetError('upstream-error', `The node at ${origin} is on another chain than "${network}": ${why}.`, {
    hint: 'Set bitcoinRpcUrl to nodes of the active network, or switch the network.',
  });
}

function unshown({ upstream, height }: Pick<Claim, 'upstream' | 'height'>, shown?: number): PlanchetError {
  const seen = shown === undefined ? 'its headers do not lead to a block we know' : `its headers show ${shown}`;
  return new PlanchetError('upstream-error', `The node at ${upstream.origin} claims height ${height}, but ${seen}.`, {
    hint: 'It is asked after the others. Remove it from bitcoinRpcUrl unless you know why.',
  });
}

function silent({ origin }: Upstream): PlanchetError {
  return new PlanchetError('upstream-error', `The node at ${origin} does not tell which chain it is on.`, {
    hint: 'Check that the address is the RPC address of a full node that answers getblockchaininfo.',
  });
}
