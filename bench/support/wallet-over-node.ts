import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { settingsSchema } from '../../src/contract/index.ts';
import { createChainData } from '../../src/main/chain-data/create-chain-data.ts';
import { systemClock } from '../../src/main/clock.ts';
import type { NodeClient } from '../../src/main/gateway/upstream/client.ts';
import type { NodeRpc } from '../../src/main/ports/node.ts';
import type { SecretName } from '../../src/main/ports/secrets.ts';
import { openStore } from '../../src/main/store/store.ts';
import { walletMigrations } from '../../src/main/wallet/migrations.ts';
import type { WalletTables } from '../../src/main/wallet/tables.ts';
import { Wallet } from '../../src/main/wallet/wallet.ts';

const NETWORK = 'sandbox';

export interface WalletOverNode {
  readonly wallet: Wallet;
  /** The node from now on. */
  use(client: NodeClient): void;
  close(): Promise<void>;
}

/** A new wallet with its own headers over a node that comes later. It looks at the chain when it is told to. */
export async function openWalletOverNode(): Promise<WalletOverNode> {
  const dataDir = mkdtempSync(join(tmpdir(), 'planchet-bench-'));
  const logger = pino({ level: 'warn' });
  let client: NodeClient | undefined;
  const used = (): NodeClient => {
    if (client === undefined) throw new Error('there is no node yet');
    return client;
  };
  const node: NodeRpc = {
    name: 'node',
    call: async (method, params, options) => used().call(method, params, options),
    readBlock: async (hash, options) => used().readBlock(hash, options),
  };
  const tip = { current: () => null, onTip: () => () => undefined };
  const { chainData, headers } = createChainData({
    network: NETWORK,
    dataDir,
    clock: systemClock,
    logger,
    node: { readers: { node }, tip, zmqAddress: () => '' },
    outbound: () => undefined,
    publicSources: () => '',
    joinUrl: () => '',
    isPublic: () => false,
  });
  const store = await openStore<WalletTables>({ file: join(dataDir, 'wallet.db'), migrations: walletMigrations });
  const secrets = new Map<SecretName, Uint8Array>();
  const wallet = await Wallet.open({
    network: NETWORK,
    secrets: {
      locked: false,
      get: (name) => secrets.get(name)?.slice(),
      set: async (name, value) => void secrets.set(name, Uint8Array.from(value)),
      delete: async (name) => void secrets.delete(name),
    },
    clock: { now: systemClock.now, after: () => () => undefined },
    store,
    settings: { current: () => settingsSchema.parse({}) },
    chainData,
    headers,
    tips: tip,
    notices: { add: () => undefined, dismiss: () => undefined },
    scripts: () => Promise.reject(new Error('nothing waits in the mempool')),
    events: { publish: () => undefined },
    logger,
  });
  return {
    wallet,
    use: (next) => {
      client = next;
    },
    async close() {
      await wallet.stop();
      await headers.close();
      await store.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
