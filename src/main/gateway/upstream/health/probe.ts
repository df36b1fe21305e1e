import type { Logger } from 'pino';
import type { BlockHeader } from '../../../../chain/index.ts';
import { type Network, type Phrase, PlanchetError, phrase } from '../../../../contract/index.ts';
import { NodeRpcError } from '../../../ports/node.ts';
import { provenHeader } from '../../blocks/block-evidence.ts';
import { blocksOfChain, chainNames } from '../../blocks/network-chains.ts';
import { rpcCodes } from '../../messages/message.ts';
import type { Upstream } from '../pool.ts';

/** Milliseconds after which a failing upstream is probed again, even if the last probe has not ended. */
const AGAIN_MS = 500;

/** One call to one upstream. @throws NodeRpcError, PlanchetError `upstream-*` */
export type AskUpstream = (upstream: Upstream, method: string, params: readonly unknown[]) => Promise<unknown>;

export interface UpstreamProbeOptions {
  ask: AskUpstream;
  /** Called when a probe fails. */
  onFailure: (upstream: Upstream, error: unknown) => void;
  /** Called when an upstream that was in use is found on another chain. Its answers since the last probe are invalid. */
  onUpstreamsChanged: () => void;
  network: Network;
  logger: Logger;
}

/** The fields of `getblockchaininfo` that are used here. */
interface ReportedChain {
  readonly chain: string;
  readonly height: number;
  readonly hash: string;
}

/** The best block that an upstream reports, with the header that proves its work. */
export interface Claim {
  readonly upstream: Upstream;
  readonly height: number;
  readonly hash: string;
  readonly header: BlockHeader;
}

/** Finds out whether an upstream is on the network's chain, and which best block it claims. */
export class UpstreamProbe {
  readonly #options: UpstreamProbeOptions;
  /** Upstreams that have every built-in block of their chain. They are not asked for these blocks again. */
  readonly #onChain = new WeakSet<Upstream>();
  /** The last verified best block of each upstream. Most probes find the same one. */
  readonly #proven = new WeakMap<Upstream, Pick<Claim, 'hash' | 'header'>>();
  /** Pending probes and when they started. */
  readonly #under = new Map<Upstream, { readonly claim: Promise<Claim | undefined>; readonly began: number }>();

  constructor(options: UpstreamProbeOptions) {
    this.#options = options;
  }

  /**
   * Probes an upstream now. Never throws. Concurrent probes of the same upstream share one, unless it fails: an older call may never be
   * answered, even if the upstream is back.
   * @returns undefined if it claims no block that can be verified
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
      const reported = await this.#reportedChain(upstream);
      const other = await this.#otherChain(upstream, reported);
      this.#bar(upstream, other);
      if (other !== undefined) return undefined;
      if (reported === undefined) {
        this.doubt(upstream, new PlanchetError('upstream.network-unknown', { origin: upstream.origin }));
        return undefined;
      }
      const { height, hash } = reported;
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

  /** @returns undefined if the answer does not contain it */
  async #reportedChain(upstream: Upstream): Promise<ReportedChain | undefined> {
    const info = (await this.#ask(upstream, 'getblockchaininfo', [])) as Record<string, unknown> | null | undefined;
    const { chain, blocks: height, bestblockhash: hash } = info ?? {};
    if (typeof chain !== 'string' || !Number.isSafeInteger(height) || typeof hash !== 'string') return undefined;
    return { chain, height: height as number, hash };
  }

  /** Why an upstream is not on the network's chain; undefined if it may be. */
  async #otherChain(upstream: Upstream, reported: ReportedChain | undefined): Promise<PlanchetError | undefined> {
    const { network } = this.#options;
    const chain = reported?.chain ?? network;
    if (reported !== undefined && !chainNames[network].includes(chain)) {
      return onOther(upstream, phrase('reason.chain-named', { chain }), network);
    }
    if (this.#onChain.has(upstream)) return undefined;
    const blocks = blocksOfChain.get(chain) ?? [];
    // an upstream that is still syncing has not reached the later ones
    const reached = blocks.filter((block) => block.height <= (reported?.height ?? Number.POSITIVE_INFINITY));
    for (const block of reached) {
      const hash = await this.#ask(upstream, 'getblockhash', [block.height]);
      if (hash === undefined && reported === undefined) return undefined;
      if (hash !== block.hash)
        return onOther(upstream, phrase('reason.block-other', { height: block.height, hash: String(hash) }), network);
    }
    if (reached.length === blocks.length) this.#onChain.add(upstream);
    return undefined;
  }

  /** @returns undefined if the node answers with an error of its own. A node that is still starting answers every call with one */
  async #ask(upstream: Upstream, method: string, params: readonly unknown[]): Promise<unknown> {
    try {
      return await this.#options.ask(upstream, method, params);
    } catch (error) {
      if (error instanceof NodeRpcError && error.code !== rpcCodes.warmUp) return undefined;
      throw error;
    }
  }

  /** The verified header of a block; undefined if the upstream has none that hashes to the block and proves its work. */
  async header(upstream: Upstream, hash: string): Promise<BlockHeader | undefined> {
    return provenHeader(hash, await this.#options.ask(upstream, 'getblockheader', [hash, false]));
  }

  /** Marks the height of an upstream as unknown, with the reason; undefined removes the mark. */
  doubt(upstream: Upstream, doubt: PlanchetError | undefined): void {
    if (doubt !== undefined) upstream.height = null;
    if (doubt !== undefined && doubt.message !== upstream.doubt?.message) {
      this.#options.logger.warn({ err: doubt }, 'the height of an upstream is not believed');
    }
    upstream.doubt = doubt;
  }

  /** Records the result of a probe: whether the upstream may be asked from now on. */
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

function onOther({ origin }: Upstream, why: Phrase, network: Network): PlanchetError {
  return new PlanchetError('upstream.wrong-network', { origin, network, why });
}

/** The error for a claimed height that is not proven. @param shown the height according to its headers, if they lead to a known block */
export function unprovenHeight(claim: Pick<Claim, 'upstream' | 'height'>, shown?: number): PlanchetError {
  const { upstream, height } = claim;
  const seen =
    shown === undefined ? phrase('reason.headers-unknown') : phrase('reason.headers-show', { height: shown });
  return new PlanchetError('upstream.height-doubtful', { origin: upstream.origin, height, seen });
}
