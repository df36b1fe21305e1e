import { useSyncExternalStore } from 'react';

interface Ticker {
  subscribe(listener: () => void): () => void;
  read(): number;
}

/** One timer for all components with relative times. It runs only while there are any. */
function ticker(everyMs: number): Ticker {
  const listeners = new Set<() => void>();
  let now = Date.now();
  let timer: ReturnType<typeof setInterval> | undefined;
  return {
    subscribe(listener) {
      listeners.add(listener);
      timer ??= setInterval(() => {
        now = Date.now();
        for (const each of listeners) each();
      }, everyMs);
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) {
          clearInterval(timer);
          timer = undefined;
        }
      };
    },
    read() {
      // The timer may have been stopped, so the first value is read from the clock.
      if (timer === undefined) now = Math.floor(Date.now() / everyMs) * everyMs;
      return now;
    },
  };
}

const everySecond = ticker(1_000);

/** The current time, updated once a second. */
export function useNow(): number {
  return useSyncExternalStore(everySecond.subscribe, everySecond.read);
}
