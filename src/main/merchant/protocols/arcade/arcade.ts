import { callbacks } from '../arc/callbacks.ts';
import { termsAt } from '../arc/policy.ts';
import { MinerHttp } from '../miner-http.ts';
import type { MinerProtocol } from '../protocol.ts';
import { ArcadeEndpoint } from './arcade-endpoint.ts';

/** Arcade, version 2. What it reports comes over a stream that is opened here, so it is asked for no callback. */
export const arcade: MinerProtocol = {
  client: (options) => new ArcadeEndpoint(options),
  terms: (options) => termsAt(new MinerHttp(options)),
  callbacks: { ...callbacks, asked: () => ({}) },
};
