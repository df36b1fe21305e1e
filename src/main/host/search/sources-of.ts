import type { Contract, Serves } from '../../../contract/index.ts';
import { type Infrastructure, loggerOf } from '../infrastructure.ts';
import type { Systems } from '../systems.ts';
import { createSearch } from './search.ts';
import {
  addressSource,
  chainSources,
  contactSource,
  gatewayKeySource,
  minerSource,
  mintSources,
  namedSource,
  redeemableSource,
  submittedSource,
} from './sources.ts';

/** The search over every service. */
export function searchOf(
  { chainData, gatewayView, merchant, studio, redeemableTokens, walletView, writer }: Systems,
  base: Infrastructure,
): Serves<Contract['search']> {
  const { view } = writer;
  return createSearch({
    clock: base.clock,
    logger: loggerOf(base, 'search'),
    names: [
      (ids) => walletView.names(ids),
      (ids) => merchant.transactions.labelsOf(ids),
      (ids) => studio.tokens.names(ids),
    ],
    sources: [
      ...chainSources(chainData),
      addressSource(walletView),
      submittedSource(merchant.transactions),
      ...studio.tokens.searched,
      redeemableSource(redeemableTokens),
      ...mintSources(studio),
      { kinds: ['address', 'transaction', 'output'], find: ({ text, limit }) => walletView.find(text, limit) },
      { kinds: ['document'], find: ({ text, limit }) => view.find(text, limit) },
      contactSource(walletView.contacts),
      minerSource(merchant.miners),
      gatewayKeySource(gatewayView.keys),
      namedSource('writerKey', () => view.namedKeys()),
    ],
  });
}
