import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { api } from '../../api/client.ts';
import { lockPage } from './lock.ts';

/** Time of the last key press or pointer movement in any tab of this browser. */
const USED_KEY = 'planchet-used-at';
/** Minimum interval between writes of that time. */
const NOTE_MS = 1_000;
const LONGEST_TIMER_MS = 2_147_483_647;

/** Locks the page after it was not used for as long as the setting says. */
export function IdleLock() {
  const { data } = useQuery(api.sessions.list.queryOptions());
  const lockAfter = data?.current == null ? 0 : data.lockAfter;
  useEffect(() => {
    if (lockAfter === 0) return;
    let noted = 0;
    let timer: ReturnType<typeof setTimeout>;
    const note = (): void => {
      const now = Date.now();
      if (now - noted < Math.min(NOTE_MS, lockAfter / 2)) return;
      noted = now;
      localStorage.setItem(USED_KEY, String(now));
    };
    const check = (): void => {
      const left = Number(localStorage.getItem(USED_KEY)) + lockAfter - Date.now();
      if (left > 0) timer = setTimeout(check, Math.min(left, LONGEST_TIMER_MS));
      // If the host does not reply, the page stays and tries again.
      else
        lockPage().catch(() => {
          timer = setTimeout(check, NOTE_MS);
        });
    };
    note();
    check();
    const events = ['pointerdown', 'pointermove', 'keydown', 'wheel'] as const;
    for (const name of events) window.addEventListener(name, note, { passive: true });
    return () => {
      clearTimeout(timer);
      for (const name of events) window.removeEventListener(name, note);
    };
  }, [lockAfter]);
  return null;
}
