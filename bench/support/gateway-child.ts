/** The gateway and its ZMQ relay alone, in a process of their own. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { settingsSchema } from '../../src/contract/index.ts';
import { systemClock } from '../../src/main/clock.ts';
import { createChainView } from '../../src/main/gateway/chain/create-chain-view.ts';
import { GatewayService } from '../../src/main/gateway/gateway.ts';
import { NodeClient } from '../../src/main/gateway/upstream/client.ts';
import { ZmqRelayService } from '../../src/main/gateway/zmq/relay.ts';

const [bitcoinRpcUrl = '', bitcoinZmqUrl = ''] = process.argv.slice(2);
const current = settingsSchema.parse({ rpcBind: ':0', zmqAddress: 'tcp://:0', rpcPassword: 'bench' });
const settings = { current: () => current, onChange: () => () => {} };
const endpoints = () => ({ baseUrl: '', consoleBaseUrl: '', mapiUrl: '', bitcoinRpcUrl, bitcoinZmqUrl });
const clock = systemClock;
const logger = pino({ level: 'silent' });
const node = new NodeClient({ endpoints, settings, network: 'sandbox', clock, logger, apiKey: () => undefined });
const dataDir = mkdtempSync(join(tmpdir(), 'planchet-bench-gateway-'));
const credentialsAreDefault = () => true;
const chain = createChainView({ node, settings, network: 'sandbox', clock });
const gateway = new GatewayService({
  node,
  chain,
  settings,
  endpoints,
  network: 'sandbox',
  clock,
  dataDir,
  credentialsAreDefault,
  logger,
});
const zmq = new ZmqRelayService({ settings, endpoints, node, clock, credentialsAreDefault, logger });
const { address = '' } = await gateway.start();
const { address: zmqAddress = '' } = await zmq.start();
process.send?.({ port: Number(new URL(address).port), zmq: zmqAddress });
process.on('message', (asked) => {
  if (asked === 'rss') globalThis.gc?.();
  const { user, system } = process.cpuUsage();
  process.send?.(asked === 'rss' ? process.memoryUsage().rss : user + system);
});
process.on('disconnect', () => process.exit(0));
