import type { ServiceName } from '../common.ts';

/** Which services take a changed key only after a restart of their own; keys not listed take effect at once. */
export const settingRestarts: Readonly<Record<string, readonly (ServiceName | 'application')[]>> = {
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
};

/** When a saved value takes effect: at once, when its service restarts, or when Planchet starts the next time. */
export function settingApplies(key: string): 'at once' | 'service restart' | 'next start' {
  const restarts = settingRestarts[key] ?? [];
  if (restarts.includes('application')) return 'next start';
  return restarts.length > 0 ? 'service restart' : 'at once';
}
