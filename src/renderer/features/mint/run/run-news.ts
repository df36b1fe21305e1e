import type { Run } from '../../../../contract/index.ts';
import { stateOf } from './run-end.ts';

export type RunNews = 'minted' | 'partly' | 'partlyCancelled' | 'stopped';

type Seen = Pick<Run, 'state' | 'waits' | 'failure' | 'failed' | 'cancelled'>;

/** The change in a run that deserves a notification; null for its progress, and for what a person did. */
export function runNewsOf(before: Seen | undefined, after: Seen): RunNews | null {
  if (before === undefined || (before.state === after.state && before.waits === after.waits)) return null;
  const ended = stateOf(after);
  if (ended === 'done') return 'minted';
  if (ended === 'partly' || ended === 'partlyCancelled') return ended;
  return after.state === 'paused' && !after.waits && after.failure !== null ? 'stopped' : null;
}
