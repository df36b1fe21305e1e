/** A job changes without an event of its own while its transaction is on its way. */
const FOLLOW_MS = 1_500;

interface Job {
  /** Whether a step of it runs. */
  readonly active: boolean;
  readonly state: string;
}

/** How often the job of one transaction is read again: while it works or its transaction is on its way. In milliseconds; false for never. */
export function followJob({ state: { data } }: { state: { data: Job | undefined } }): number | false {
  const moves = data !== undefined && (data.active || data.state === 'signed' || data.state === 'submitted');
  return moves ? FOLLOW_MS : false;
}
