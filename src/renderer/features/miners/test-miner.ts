import type { Miner, MinerQuote } from '../../../contract/index.ts';

export function quoteOf(changes: Partial<MinerQuote> = {}): MinerQuote {
  return {
    standard: { satoshis: 500, bytes: 1_000 },
    data: { satoshis: 500, bytes: 1_000 },
    relay: null,
    at: 0,
    expiresAt: Date.now() + 600_000,
    minerTime: null,
    apiVersion: '1.4.0',
    policies: {},
    highestBlock: null,
    source: null,
    ...changes,
  };
}

/** A working miner, for tests. */
export function minerOf(changes: Partial<Miner> = {}): Miner {
  return {
    id: 'default',
    name: 'Default',
    kind: 'mapi',
    url: 'https://miner.example/mapi',
    enabled: true,
    builtIn: false,
    hasKey: true,
    keyStyle: 'bearer',
    pinnedKey: null,
    quote: quoteOf(),
    failure: null,
    key: null,
    requests: { succeeded: 3, failed: 0 },
    latencyMs: 12,
    ...changes,
  };
}
