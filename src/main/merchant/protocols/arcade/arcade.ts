import { foreignBounds } from '../../../foreign-json.ts';
import { callbacks } from '../arc/callbacks.ts';
import { isPolicy } from '../arc/policy.ts';
import type { MinerProtocol } from '../protocol.ts';
import { ArcadeEndpoint, arcadeHttp } from './arcade-endpoint.ts';

/** Arcade, version 2. What it reports comes over a stream that is opened here, so it is asked for no callback. */
export const arcade: MinerProtocol = {
  client: (options) => new ArcadeEndpoint(options),
  terms: async (options) => {
    const { status, text } = await arcadeHttp(options).call('/policy', foreignBounds.minerTerms);
    return { status, given: isPolicy(text) };
  },
  callbacks: { ...callbacks, asked: () => ({}) },
};
