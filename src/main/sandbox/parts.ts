import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import type { Clock } from '../ports/clock.ts';
import type { SettingsView } from '../ports/settings.ts';
import type { Faults } from './controls/faults.ts';
import type { SandboxNode } from './node/node.ts';
import type { SandboxTables } from './tables.ts';

/** What the services of a network share. */
export interface SandboxParts {
  readonly db: Kysely<SandboxTables>;
  readonly node: SandboxNode;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly settings: SettingsView;
  readonly faults: Faults;
  /** Submits transactions to the node. @returns a result for each, in order */
  readonly submit: SandboxNode['submitBatch'];
}
