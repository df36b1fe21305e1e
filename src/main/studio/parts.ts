import type { Network } from '../../contract/index.ts';
import type { Clock } from '../ports/clock.ts';
import type { Events } from '../ports/events.ts';
import type { Store } from '../ports/store.ts';
import type { StudioTables } from './tables.ts';

/** What most parts of the studio are made with. */
export interface StudioParts {
  readonly network: Network;
  /** Opened with `studioMigrations` among its migrations and `synchronous: 'full'`. */
  readonly store: Store<StudioTables>;
  readonly events: Events;
  readonly clock: Clock;
}

/** The same for parts that publish nothing. */
export type QuietParts = Omit<StudioParts, 'events'>;
