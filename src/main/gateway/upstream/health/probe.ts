import type { Logger } from 'pino';
import type { BlockHeader } from '../../../../chain/index.ts';
import { type Network, PlanchetError } from '../../../../contract/index.ts';
import { NodeRpcError } from '../../../ports/node.ts';
import { provenHeader } from '../../blocks/block-evidence.ts';
import { blocksOfChain, chainNames } from '../../blocks/network-chains.ts';
import { rpcCodes } from '../../messages/message.ts';
import type { Upstream } from '../pool.ts';

/** Milliseconds after which an upstream that fails is looked at once more beside a look that has not ended. */
const AGAIN_MS = 500;

/** One call to one upstream. @throws NodeRpcError, PlanchetError `upstream-*` */
export type AskUpstream = (upstream: Upstream, method: string, params: readonly unknown[]) => Promise<unknown>;

export interface UpstreamProbeOptions {
  ask: AskUpstream;
  /** Told of a look that failed. */
  onFailure: (upstream: Upstream, error: unknown) => void;
  /** Told of an upstream that was asked until now and is on another chain: what it said since it was looked at before is void. */
  onUpstreamsChanged: () => void;
  network: Network;
  logger: Logger;
}

/** What an upstream answers to `getblockchaininfo`. */
interface ChainSaid {
  readonly chain: string;
  readonly height: number;
  readonly hash: string;
}

/** The best block an upstream says it has, with the header that proves its work. */
export interface Claim {
  readonly upstream: Upstream;
  readonly height: number;
  readonly hash: string;
  readonly header: BlockHeader;
}

/** Finds out of an upstream whether it is on the chain of the network, and what it claims to be its best block. */
export class UpstreamProbe {
  readonly #options: UpstreamProbeOptions;
  /** UpstreamPool that have shown every block their chain is known by: none is asked for it twice. */
  readonly #onChain = new WeakSet<Upstream>();
  /** The best block of each upstream as it was proven last: most looks find the same one. */
  readonly #proven = new WeakMap<Upstream, Pick<Claim, 'hash' | 'header'>>();
  /** Looks under way, with when they began. */
  readonly #under = new Map<Upstream, { readonly claim: Promise<Claim | undefined>; readonly began: number }>();

  constructor(options: UpstreamProbeOptions) {
    this.#options = options;
  }

  /**
   * Looks now. Never throws. Those who look at the same upstream at a time share its answers, but where it fails: what was asked of it a
   * while ago may never be answered, though it is back.
   * @returns undefined without a claim to prove
   */
  at(upstream: Upstream): Promise<Claim | undefined> {
    if (upstream.resting) return Promise.resolve(undefined);
    const under = this.#under.get(upstream);
    const now = performance.now();
    if (under !== undefined && (!upstream.failing || now - under.began < AGAIN_MS)) return under.claim;
    const claim = this.#claimOf(upstream).finally(() => {
      if (this.#under.get(upstream)?.claim === claim) this.#under.delete(upstream);
    });
    this.#under.set(upstream, { claim, began: now });
    return claim;
  }

  async #claimOf(upstream: Upstream): Promise<Claim | undefined> {
    try {
      const said = await this.#chainSaid(upstream);
      const other = await this.#otherChain(upstream, said);
      this.#bar(upstream, other);
      if (other !== undefined) return undefined;
      if (said === undefined) {
        this.doubt(upstream, silent(upstream));
        return undefined;
      }
      const { height, hash } = said;
      const proven = this.#proven.get(upstream);
      const header = proven?.hash === hash ? proven.header : await this.header(upstream, hash);
      if (header !== undefined) {
        this.#proven.set(upstream, { hash, header });
        return { upstream, height, hash, header };
      }
      this.doubt(upstream, unprovenHeight({ upstream, height }));
    } catch (error) {
      this.#options.onFailure(upstream, error);
    }
    return undefined;
  }

  /** @returns undefined where the upstream answers, but not that */
  async #chainSaid(upstream: Upstream): Promise<ChainSaid | undefined> {
    try {
      const info = (await this.#options.ask(upstream, 'getblockchaininfo', [])) as Record<string, unknown> | null;
      const { chain, blocks: height, bestblockhash: hash } = info ?? {};
      if (typeof chain !== 'string' || !Number.isSafeInteger(height) || typeof hash !== 'string') return undefined;
      return { chain, height: height as number, hash };
    } catch (error) {
      if (isRefusal(error)) return undefined;
      throw error;
    }
  }

  /** Why an upstream is not on the network's chain; undefined where nothing speaks against it. */
  async #otherChain(upstream: Upstream, said: ChainSaid | undefined): Promise<PlanchetError | undefined> {
    const { network } = this.#options;
    const chain = said?.chain ?? network;
    if (said !== undefined && !chainNames[network].includes(chain)) {
      return onOther(upstream, `it calls its chain "${chain}"`, network);
    }
    if (this.#onChain.has(upstream)) return undefined;
    const blocks = blocksOfChain[chain] ?? [];
    // one that is still catching up has not got so far
    const reached = blocks.filter((block) => block.height <= (said?.height ?? Number.POSITIVE_INFINITY));
    for (const block of reached) {
      const hash = await this.#blockAt(upstream, block.height);
      if (hash === undefined && said === undefined) return undefined;
      if (hash !== block.hash) return onOther(upstream, `its block ${block.height} is ${hash}`, network);
    }
    if (reached.length === blocks.length) this.#onChain.add(upstream);
    return undefined;
  }

  /** @returns undefined where the upstream answers, but tells no block */
  async #blockAt(upstream: Upstream, height: number): Promise<string | undefined> {
    try {
      return String(await this.#options.ask(upstream, 'getblockhash', [height]));
    } catch (error) {
      if (isRefusal(error)) return undefined;
      throw error;
    }
  }

  /** The header of a block, where the upstream has one that hashes to the block's name and proves work. */
  async header(upstream: Upstream, hash: string): Promise<BlockHeader | undefined> {
    return provenHeader(hash, await this.#options.ask(upstream, 'getblockheader', [hash, false]));
  }

  /** Takes the height of an upstream for unknown, with the reason; or has no doubt of it any more. */
  doubt(upstream: Upstream, doubt: PlanchetError | undefined): void {
    if (doubt !== undefined) upstream.height = null;
    if (doubt !== undefined && doubt.message !== upstream.doubt?.message) {
      this.#options.logger.warn({ err: doubt }, 'the height of an upstream is not believed');
    }
    upstream.doubt = doubt;
  }

  /** The upstream was looked at: it is asked from now on, or not. */
  #bar(upstream: Upstream, barred: PlanchetError | undefined): void {
    const wasAsked = upstream.probed && upstream.barred === undefined;
    if (barred !== undefined) upstream.height = null;
    if (barred !== undefined && upstream.barred === undefined) {
      this.#options.logger.warn({ err: barred }, 'an upstream is on another chain and is not asked');
    } else if (barred === undefined && upstream.barred !== undefined) {
      this.#options.logger.info({ origin: upstream.origin }, 'an upstream is on the chain of the network again');
    }
    upstream.barred = barred;
    upstream.probed = true;
    upstream.onChain = barred === undefined;
    if (wasAsked && barred !== undefined) this.#options.onUpstreamsChanged();
  }
}

/** The node answers, but not what it was asked. One that is still starting says so to everything. */
function isRefusal(error: unknown): boolean {
  return error instanceof NodeRpcError && error.code !== rpcCodes.warmUp;
}

function onOther({ origin }: Upstream, why: string, network: Network): PlanchetError {
  return new PlanchetError('upstream.wrong-network', { origin, network, why });
}

/** What is said of a claimed height. @param shown the height its headers show, where they lead anywhere */
export function unprovenHeight(
  { upstream, height }: Pick<Claim, 'upstream' | 'height'>,
  shown?: number,
): PlanchetError {
  const seen = shown === undefined ? 'its headers do not lead to a block we know' : `its headers show ${shown}`;
  return new PlanchetError('upstream.height-doubtful', { origin: upstream.origin, height, seen });
}

function silent({ origin }: Upstream): PlanchetError {
  return new PlanchetError('upstream.network-unknown', { origin });
}
