import type { LiveEvent } from '../../contract/index.ts';

/** Takes live events; the console sends them to every connected view. */
export interface Events {
  publish(event: LiveEvent): void;
}
