import type { Logger } from 'pino';
import type { Network } from '../../contract/index.ts';
import type { ChainData, TipSource } from '../ports/chain-data.ts';
import type { Clock } from '../ports/clock.ts';
import type { Events } from '../ports/events.ts';
import type { FollowedHeaders } from '../ports/headers.ts';
import type { Notices } from '../ports/infrastructure/notices.ts';
import type { SettingsView } from '../ports/settings.ts';
import type { Store } from '../ports/store.ts';
import type { ScriptCheck } from './chain/mempool/unconfirmed-checks.ts';
import type { Signer } from './sending/signer.ts';
import type { WalletTables } from './tables.ts';

export interface WalletOptions {
  network: Network;
  /** Names the rows of an account other than the main one; those of the main one are named by the network alone. */
  scope?: string;
  /** Makes the signatures; left out, the keys of this process do. */
  signer?: Signer;
  /** Called after a change of the coins; left out, the status is published. */
  published?: () => void;
  /** Opened with `walletMigrations` among its migrations and `synchronous: 'full'`. */
  store: Store<WalletTables>;
  /** Has the caps on fees. */
  settings: Pick<SettingsView, 'current'>;
  chainData: ChainData;
  /** The verified headers of the network's chain. */
  headers: FollowedHeaders;
  /** Told where the node invents blocks. */
  notices: Pick<Notices, 'add' | 'dismiss'>;
  tips: TipSource;
  /** Checks the scripts of transactions that others made. */
  scripts: ScriptCheck;
  events: Events;
  clock: Clock;
  logger: Logger;
}
