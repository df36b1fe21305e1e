import type PrivateKey from '@bsv/sdk/primitives/PrivateKey';
import type { Logger } from 'pino';
import type { Clock } from '../../ports/clock.ts';
import type { Store } from '../../ports/store.ts';
import type { NodeTables } from './storage/tables.ts';
import type { MempoolLimits, VerifyBatch, VerifyScripts } from './types.ts';

export interface SandboxNodeOptions {
  /** Opened with `nodeMigrations` among its migrations. The opener closes it after the node. */
  readonly store: Store<NodeTables>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly verify: VerifyScripts;
  /** Runs the scripts of many transactions at once; by default, `verify` is called for each. */
  readonly verifyBatch?: VerifyBatch;
  readonly limits?: Partial<MempoolLimits>;
  /** How many of its newest blocks it says it keeps, and no index of transactions; undefined where it keeps all. */
  readonly keeps?: () => number | undefined;
  /** First block under the Chronicle rules; defaults to all blocks. */
  readonly chronicleHeight?: number;
  readonly genesis: {
    /** Locking script that receives the first ten blocks of a new chain. */
    readonly wallet: Uint8Array;
    /** Owner of all other coins. */
    readonly faucet: PrivateKey;
  };
}
