import { foreignBounds } from '../../../foreign-json.ts';
import type { MinerProtocol } from '../protocol.ts';
import { ArcEndpoint, arcHttp } from './arc-endpoint.ts';
import { callbacks } from './callbacks.ts';
import { isPolicy } from './policy.ts';

/** ARC, versions 1.0 to 1.4. */
export const arc: MinerProtocol = {
  client: (options) => new ArcEndpoint(options),
  terms: async (options) => {
    const { status, text } = await arcHttp(options).call('/policy', foreignBounds.minerTerms);
    return { status, given: isPolicy(text) };
  },
  callbacks,
};
