import { foreignBounds, jsonOf } from '../../../foreign-json.ts';
import { MinerHttp } from '../miner-http.ts';
import type { MinerProtocol } from '../protocol.ts';
import { callbacks } from './callbacks.ts';
import { MapiEndpoint } from './mapi-endpoint.ts';

/** The merchant API, versions 1.2.0 to 1.5.0. */
export const mapi: MinerProtocol = {
  client: (options) => new MapiEndpoint(options),
  terms: async (options) => {
    const { status, text } = await new MinerHttp(options).call('/feeQuote', foreignBounds.minerTerms);
    const answer = jsonOf(text) as { payload?: unknown } | null | undefined;
    return { status, given: typeof answer?.payload === 'string' };
  },
  callbacks,
};
