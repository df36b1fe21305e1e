/** A job can change without an event while its transaction is being submitted. */
const FOLLOW_MS = 1_500;

interface Job {
  /** Whether one of its steps is running. */
  readonly active: boolean;
  readonly state: string;
}

/** Polling interval for the job of one transaction, in milliseconds: while it is working or its transaction is pending. False if it need not be polled. */
export function followJob({ state: { data } }: { state: { data: Job | undefined } }): number | false {
  const moves = data !== undefined && (data.active || data.state === 'signed' || data.state === 'submitted');
  return moves ? FOLLOW_MS : false;
}
