import type { Logger } from 'pino';
import { parseHeader } from '../../chain/index.ts';
import { type Network, reasonText, type Tip } from '../../contract/index.ts';
import type { ChainData, FindKept, TipSource, ToldMempool } from '../ports/chain-data.ts';
import type { Clock } from '../ports/clock.ts';
import type { ChainHeader } from '../ports/headers.ts';
import type { Outbound } from '../ports/outbound.ts';
import { bothChainData } from './both-chain-data.ts';
import { chosenChainData } from './chosen-chain-data.ts';
import type { ChainRules } from './headers/chain-rules.ts';
import { HeaderStore } from './headers/header-store.ts';
import { PublicHeaders } from './headers/public/public-headers.ts';
import { withKept } from './kept.ts';
import { FollowedMempool } from './node/followed-mempool.ts';
import { createNodeChainData } from './node/node-chain-data.ts';
import { createNodeHeaders, type HeaderReaders } from './node/node-headers.ts';
import { createPublicChainData } from './public/public-chain-data.ts';
import { createToldMempool } from './public/told-mempool.ts';
import { outputFinders, transactionSources } from './public/transaction-sources.ts';
import { PublicSources, type SourceKeys } from './sources/public-sources.ts';

export interface FollowedChain {
  /** The tip by whoever is asked about the chain. */
  readonly tips: TipSource;
  readonly chainData: ChainData;
  /** The mempool as a public service tells it, whether they are asked about the chain or not. */
  readonly toldMempool: ToldMempool;
  /** The verified headers; to be started and stopped. */
  readonly headers: HeaderStore;
  /** Holders of mined transactions in this program; others may be added. */
  readonly kept: FindKept[];
  /** The public services, whether they are asked about the chain or not. */
  readonly sources: PublicSources;
}

export interface ChainDataOptions {
  readonly network: Network;
  /** Folder of the network. */
  readonly dataDir: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly node: { readonly readers: HeaderReaders; readonly tip: TipSource; readonly zmqAddress: () => string };
  readonly outbound: Outbound;
  /** The setting of that name. */
  readonly publicSources: () => string;
  /** The setting of that name. */
  readonly joinUrl: () => string;
  /** Left out where no service has a key. */
  readonly sourceKeys?: SourceKeys;
  /** Whether public services are asked, and not the node; a setting may change it while the program runs. */
  readonly isPublic: () => boolean;
  /** Whether public services are asked what the node cannot answer. */
  readonly isBoth?: () => boolean;
  /** Rules other than those of the network. */
  readonly rules?: ChainRules;
}

/** The chain as a node tells it, or as public services do: whoever is chosen when a question comes. */
export function createChainData(options: ChainDataOptions): FollowedChain {
  const { network, clock, logger, node, isPublic, isBoth = () => false } = options;
  const sources = new PublicSources({ ...options, text: options.publicSources, keys: options.sourceKeys });
  const publicHeaders = new PublicHeaders({ sources, network, clock, isAsked: isPublic });
  const headers = new HeaderStore({
    ...options,
    sources: (signal) => (isPublic() ? publicHeaders.until(signal) : [createNodeHeaders(node.readers, signal)]),
    tip: { onTip: (listener) => allOf(node.tip.onTip(listener), publicHeaders.onTip(listener)) },
  });
  const mempool = new FollowedMempool({
    address: () => (isPublic() ? '' : node.zmqAddress()),
    onTip: (listener) => node.tip.onTip(listener),
    clock,
    logger,
  });
  const kept: FindKept[] = [];
  const nodeData = withKept(createNodeChainData(node.readers.node, headers, mempool), { finders: kept, headers });
  const ranked = () => headers.standings.ranked(transactionSources(sources));
  const publicData = createPublicChainData({
    kept,
    headers,
    network,
    clock,
    sources: ranked,
    finders: () => outputFinders(sources),
    onInvalid: ({ name }, reason) => {
      headers.standings.lied(name);
      logger.warn({ source: name, reason: reasonText(reason) }, 'A public service sent what does not hold.');
    },
  });
  const tips: TipSource = {
    // the first block is in the program: before anybody has answered it says nothing of the chain
    current: () =>
      isPublic()
        ? headers.tip && (headers.tip.height > 0 || headers.isAgreed)
          ? tipOf(headers.tip)
          : null
        : node.tip.current(),
    onTip: (listener) =>
      allOf(
        node.tip.onTip((tip) => void (isPublic() || listener(tip))),
        headers.onChange(({ tip }) => void (isPublic() && listener(tipOf(tip)))),
      ),
  };
  const both = bothChainData(nodeData, publicData);
  const chainData = chosenChainData(
    () => (isPublic() ? publicData : isBoth() ? both : nodeData),
    (listener) => mempool.onTransaction(listener),
  );
  return { kept, headers, tips, sources, chainData, toldMempool: createToldMempool(ranked) };
}

function allOf(...stops: readonly (() => void)[]): () => void {
  return () => {
    for (const stop of stops) stop();
  };
}

function tipOf({ hash, height, header }: ChainHeader): Tip {
  return { hash, height, time: parseHeader(header).time * 1_000 };
}
