import { PlanchetError } from '../../../../contract/index.ts';
import type { ConsoleContext, GatewayPort } from '../../context.ts';
import { os } from '../base.ts';

export const gateway = {
  status: os.gateway.status.handler(({ context }) => required(context).status()),
  traffic: os.gateway.traffic.handler(({ context, signal }) => required(context).traffic(signal)),
  params: os.gateway.params.handler(({ context, input }) => required(context).callParams(input.number)),
  bodies: os.gateway.bodies.handler(({ context, input }) => required(context).callBodies(input.number)),
  replay: os.gateway.replay.handler(({ context, input, signal }) => required(context).replayCall(input.number, signal)),
  history: os.gateway.history.handler(({ context }) => required(context).history()),
  commands: os.gateway.commands.handler(({ context }) => required(context).commands()),
  keys: {
    list: os.gateway.keys.list.handler(({ context }) => required(context).listKeys()),
    create: os.gateway.keys.create.handler(({ context, input }) => required(context).createKey(input)),
    revoke: os.gateway.keys.revoke.handler(({ context, input }) => required(context).revokeKey(input.id)),
    restore: os.gateway.keys.restore.handler(({ context, input }) => required(context).restoreKey(input.id)),
  },
  origins: {
    list: os.gateway.origins.list.handler(({ context }) => required(context).listOrigins()),
    pair: os.gateway.origins.pair.handler(({ context, input }) => required(context).pairOrigin(input.origin)),
    unpair: os.gateway.origins.unpair.handler(({ context, input }) => required(context).unpairOrigin(input.origin)),
    restore: os.gateway.origins.restore.handler(({ context, input }) => required(context).restoreOrigin(input.origin)),
    requests: os.gateway.origins.requests.handler(({ context }) => required(context).pairingRequests()),
    decide: os.gateway.origins.decide.handler(({ context, input }) => required(context).decidePairing(input)),
  },
  test: os.gateway.test.handler(({ context, input }) => required(context).test(input)),
  connection: os.gateway.connection.handler(({ context }) => required(context).connection()),
  revealPassword: os.gateway.revealPassword.handler(({ context }) => required(context).revealPassword()),
  rotatePassword: os.gateway.rotatePassword.handler(({ context }) => required(context).rotatePassword()),
};

export const zmq = {
  counts: os.zmq.counts.handler(({ context }) => required(context).zmqCounts()),
  feed: os.zmq.feed.handler(({ context, signal }) => required(context).zmqFeed(signal)),
};

function required({ gateway: port }: ConsoleContext): GatewayPort {
  if (port !== undefined) return port;
  throw new PlanchetError('console.gateway-missing');
}
