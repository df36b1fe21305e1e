import type { MinerProtocol } from '../protocol.ts';
import { ArcEndpoint, arcHttp } from './arc-endpoint.ts';
import { callbacks } from './callbacks.ts';
import { termsAt } from './policy.ts';

/** ARC, versions 1.0 to 1.4. */
export const arc: MinerProtocol = {
  client: (options) => new ArcEndpoint(options),
  terms: (options) => termsAt(arcHttp(options)),
  callbacks,
};
