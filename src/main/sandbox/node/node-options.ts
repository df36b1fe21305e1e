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
  /** Number of newest blocks that the node reports to have, like a pruned node without a transaction index; undefined for all. */
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
