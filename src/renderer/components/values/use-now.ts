import { useSyncExternalStore } from 'react';

interface Ticker {
  subscribe(listener: () => void): () => void;
  read(): number;
}

/** One timer for all components that show relative times; it runs only while there are any. */
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
      // The timer may have stood still, so the first value after that is read from the clock.
      if (timer === undefined) now = Math.floor(Date.now() / everyMs) * everyMs;
      return now;
    },
  };
}

const everySecond = ticker(1_000);

/** The present time, moving once a second. */
export function useNow(): number {
  return useSyncExternalStore(everySecond.subscribe, everySecond.read);
}
