import { create } from 'zustand';

/**
 * `connecting` until the first snapshot, `live` while events flow, `reconnecting` after a break,
 * `unauthorized` where the browser has no session (never in the desktop window).
 */
export type ConnectionPhase = 'connecting' | 'live' | 'reconnecting' | 'unauthorized';

interface Connection {
  phase: ConnectionPhase;
  /** How many tries have failed in a row. */
  attempt: number;
}

export const useConnection = create<Connection>(() => ({ phase: 'connecting', attempt: 0 }));
