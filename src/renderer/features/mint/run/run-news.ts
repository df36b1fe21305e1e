import type { Run } from '../../../../contract/index.ts';

export type RunNews = 'minted' | 'partly' | 'stopped';

type Seen = Pick<Run, 'state' | 'waits' | 'failure' | 'failed'>;

/** The change in a run that deserves a notification; null for its progress, and for what a person did. */
export function runNewsOf(before: Seen | undefined, after: Seen): RunNews | null {
  if (before === undefined || (before.state === after.state && before.waits === after.waits)) return null;
  if (after.state === 'done') return after.failed > 0 ? 'partly' : 'minted';
  return after.state === 'paused' && !after.waits && after.failure !== null ? 'stopped' : null;
}
