import { type ChainDataOptions, createChainData, type FollowedChain } from '../../chain-data/create-chain-data.ts';
import type { HeaderReaders } from '../../chain-data/node/node-headers.ts';
import { systemClock } from '../../clock.ts';
import { PublicAnswers, type PublicAnswersOptions } from '../public/public-answers.ts';
import { quiet } from './upstream.ts';

/** The chain as public services tell it where there is no node. Its headers are to be started and closed. */
export function followedChain(
  options: Pick<ChainDataOptions, 'dataDir' | 'publicSources'> & Partial<ChainDataOptions>,
): FollowedChain {
  return createChainData({
    network: 'sandbox',
    clock: systemClock,
    logger: quiet,
    node: {
      readers: { node: { call: nobody } } as unknown as HeaderReaders,
      tip: { current: () => null, onTip: () => () => undefined },
      zmqAddress: () => '',
    },
    joinUrl: () => '',
    outbound: () => undefined,
    isPublic: () => true,
    ...options,
  });
}

/** What answers where there is no node. @param options those that differ, beside what it asks */
export function publicAnswers(
  options: Pick<PublicAnswersOptions, 'headers' | 'chainData'> & Partial<PublicAnswersOptions>,
): PublicAnswers {
  return new PublicAnswers({
    network: 'sandbox',
    clock: systemClock,
    source: () => 'public',
    mostTransactions: () => 100,
    ownSince: async () => undefined,
    ...options,
  });
}

async function nobody(): Promise<never> {
  throw new Error('there is no node');
}
