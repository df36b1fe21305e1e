import { foreignBounds, jsonOf } from '../../../foreign-json.ts';
import type { MinerProtocol } from '../protocol.ts';
import { ArcEndpoint, arcHttp } from './arc-endpoint.ts';
import { callbacks } from './callbacks.ts';

/** ARC, versions 1.0 to 1.4. */
export const arc: MinerProtocol = {
  client: (options) => new ArcEndpoint(options),
  terms: async (options) => {
    const { status, text } = await arcHttp(options).call('/policy', foreignBounds.minerTerms);
    const answer = jsonOf(text) as { policy?: unknown } | null | undefined;
    return { status, given: typeof answer?.policy === 'object' };
  },
  callbacks,
};
