import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PrivateKey } from '@bsv/sdk';
import { pino } from 'pino';
import { hash160, p2pkhScript, verifyScripts } from '../../../../chain/index.ts';
import { openStore, type SqliteStore } from '../../../store/store.ts';
import { StillClock } from '../../../test-support/still-clock.ts';
import { type MempoolLimits, type NodeTables, nodeMigrations, SandboxNode, type VerifyScripts } from '../node.ts';

export const walletKey = PrivateKey.fromHex('11'.repeat(32));
export const faucetKey = PrivateKey.fromHex('22'.repeat(32));
export const otherKey = PrivateKey.fromHex('33'.repeat(32));

export function lockingScriptOf(key: PrivateKey): Uint8Array {
  return p2pkhScript(hash160(Uint8Array.from(key.toPublicKey().toDER() as number[])));
}

export const START = Date.UTC(2026, 10, 21, 12);
export const verifyHere: VerifyScripts = async (tx, spent, rules) => verifyScripts(tx, spent, undefined, rules);

export interface TestNode {
  node: SandboxNode;
  store: SqliteStore<NodeTables>;
  clock: StillClock;
  /** Stops the node and reopens it on the same database. */
  reopen(): Promise<SandboxNode>;
  remove(): Promise<void>;
}

export function openNodeStore(folder: string): Promise<SqliteStore<NodeTables>> {
  return openStore<NodeTables>({ file: join(folder, 'node.db'), migrations: nodeMigrations, synchronous: 'normal' });
}

/** A node with its own database in a temporary folder. */
export async function openTestNode(
  options: { verify?: VerifyScripts; now?: number; limits?: Partial<MempoolLimits>; chronicleHeight?: number } = {},
): Promise<TestNode> {
  const folder = mkdtempSync(join(tmpdir(), 'planchet-node-'));
  const clock = new StillClock(options.now ?? START);
  const open = async (): Promise<{ node: SandboxNode; store: SqliteStore<NodeTables> }> => {
    const store = await openNodeStore(folder);
    const node = await SandboxNode.open({
      store,
      clock,
      logger: pino({ level: 'silent' }),
      verify: options.verify ?? verifyHere,
      limits: options.limits ?? {},
      ...(options.chronicleHeight === undefined ? {} : { chronicleHeight: options.chronicleHeight }),
      genesis: { wallet: lockingScriptOf(walletKey), faucet: faucetKey },
    });
    return { node, store };
  };
  const opened: TestNode = {
    ...(await open()),
    clock,
    reopen: async () => {
      await opened.node.close();
      await opened.store.close();
      Object.assign(opened, await open());
      return opened.node;
    },
    remove: async () => {
      await opened.node.close();
      await opened.store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return opened;
}
