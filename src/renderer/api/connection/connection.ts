import { create } from 'zustand';

/**
 * `connecting` until the first snapshot, `live` while events flow, `reconnecting` after a break,
 * `unauthorized` if the browser has no session (never in the desktop window).
 */
export type ConnectionPhase = 'connecting' | 'live' | 'reconnecting' | 'unauthorized';

interface Connection {
  phase: ConnectionPhase;
  /** Failed attempts in a row. */
  attempt: number;
}

export const useConnection = create<Connection>(() => ({ phase: 'connecting', attempt: 0 }));
