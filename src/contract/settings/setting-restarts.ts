import type { ServiceName } from '../common.ts';

const restarts: ReadonlyMap<string, readonly (ServiceName | 'application')[]> = new Map(
  Object.entries<readonly (ServiceName | 'application')[]>({
    network: ['application'],
    consoleAddress: ['application'],
    metricsBind: ['application'],
    otlpEndpoint: ['application'],
    otlpSamplePercent: ['application'],
    databaseUrl: ['writer'],
    writerMaxBytes: ['writer'],
    rpcBind: ['gateway'],
    rpcUsername: ['gateway'],
    rpcPassword: ['gateway'],
    gatewayCacheBytes: ['gateway'],
    gatewayDiskCacheBytes: ['gateway'],
    zmqAddress: ['zmq'],
    bitcoinZmqUrl: ['zmq'],
    writerBind: ['writer'],
    callbackBind: ['callbacks'],
    walletSigner: ['application'],
    walletUrl: ['application'],
    'sandbox.bind': ['application'],
    'sandbox.zmqAddress': ['application'],
    'sandbox.chronicleHeight': ['application'],
  }),
);

/** Which services take a changed key only after a restart of their own; none where it takes effect at once. */
export function restartsOf(key: string): readonly (ServiceName | 'application')[] {
  return restarts.get(key) ?? [];
}

/** When a saved value takes effect: at once, when its service restarts, or when Planchet starts the next time. */
export function settingApplies(key: string): 'at once' | 'service restart' | 'next start' {
  const services = restartsOf(key);
  if (services.includes('application')) return 'next start';
  return services.length > 0 ? 'service restart' : 'at once';
}
