import { useEffect, useRef, useState } from 'react';
import type { Failure } from '../../contract/index.ts';
import { failureOf } from './failure.ts';

interface Numbered {
  number: number;
}

interface Stream<T> {
  /** The newest first. */
  items: readonly T[];
  skipped: number;
  /** Why nothing more comes. */
  lost: Failure | undefined;
}

const AGAIN_MS = 1_000;
/** Below every number. */
const NOTHING = Number.NEGATIVE_INFINITY;

/**
 * Follows a stream of numbered things and keeps the newest.
 * @param open stable between renders
 * @param paused what comes while this is true is left out
 */
export function useStream<T extends Numbered>(
  open: (signal: AbortSignal) => Promise<AsyncIterable<{ items: readonly T[]; skipped: number }>>,
  { paused, keep }: { paused: boolean; keep: number },
): Stream<T> {
  const [items, setItems] = useState<readonly T[]>([]);
  const [skipped, setSkipped] = useState(0);
  const [lost, setLost] = useState<Failure>();
  const held = useRef(paused);
  held.current = paused;
  useEffect(() => {
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const listen = async (): Promise<void> => {
      let first = true;
      for await (const step of await open(stop.signal)) {
        if (stop.signal.aborted) return;
        setLost(undefined);
        const fresh = step.items.toSorted((a, b) => b.number - a.number);
        const begins = first;
        first = false;
        if (held.current) continue;
        setSkipped((count) => count + step.skipped);
        setItems((list) => {
          // A new stream, such as after a restart of the service, may count from one again.
          const restarted = begins && (fresh[0]?.number ?? 0) < (list[0]?.number ?? 0);
          const seen = restarted ? NOTHING : (list[0]?.number ?? NOTHING);
          const added = fresh.filter(({ number }) => number > seen);
          if (added.length === 0) return list;
          return seen === NOTHING ? added : [...added, ...list].slice(0, keep);
        });
      }
    };
    const follow = (): void => {
      listen()
        .catch((error: unknown) => {
          if (!stop.signal.aborted) setLost(failureOf(error));
        })
        .finally(() => {
          // The service was restarted or the connection was lost: both come back.
          if (!stop.signal.aborted) timer = setTimeout(follow, AGAIN_MS);
        });
    };
    follow();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [open, keep]);
  return { items, skipped, lost };
}
