import { useEffect, useRef, useState } from 'react';
import type { Failure } from '../../contract/index.ts';
import { failureOf } from './failure.ts';

interface Numbered {
  number: number;
}

interface Stream<T> {
  /** Newest first. */
  items: readonly T[];
  skipped: number;
  /** Number of items received while paused. They are shown on resume. */
  waiting: number;
  /** Why the stream ended. */
  lost: Failure | undefined;
  /** False until the first items have arrived or the stream has failed. */
  loaded: boolean;
}

const AGAIN_MS = 1_000;

/**
 * Follows a stream of numbered items and keeps the newest.
 * @param open stable between renders
 * @param itemsOf the items in one message of the stream; stable between renders
 * @param paused items that arrive while this is true are shown once it is false
 */
export function useStream<Step extends { skipped: number }, T extends Numbered>(
  open: (signal: AbortSignal) => Promise<AsyncIterable<Step>>,
  itemsOf: (step: Step) => readonly T[],
  { paused, keep }: { paused: boolean; keep: number },
): Stream<T> {
  const [shown, setShown] = useState<{ items: readonly T[]; skipped: number }>({ items: [], skipped: 0 });
  const [waiting, setWaiting] = useState(0);
  const [lost, setLost] = useState<Failure>();
  const [loaded, setLoaded] = useState(false);
  const held = useRef(paused);
  /** All items received, including those received while paused. */
  const all = useRef<{ items: readonly T[]; skipped: number }>({ items: [], skipped: 0 });
  useEffect(() => {
    held.current = paused;
    if (paused) return;
    setWaiting(0);
    setShown(all.current);
  }, [paused]);
  useEffect(() => {
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const listen = async (): Promise<void> => {
      let first = true;
      for await (const step of await open(stop.signal)) {
        if (stop.signal.aborted) return;
        setLost(undefined);
        setLoaded(true);
        const fresh = itemsOf(step).toSorted((a, b) => b.number - a.number);
        const { items, skipped } = all.current;
        const newest = items[0]?.number;
        // A new stream may count from one again, for example after a restart of the service.
        const restarted = first && newest !== undefined && (fresh[0]?.number ?? 0) < newest;
        first = false;
        const added = restarted || newest === undefined ? fresh : fresh.filter(({ number }) => number > newest);
        if (added.length === 0 && step.skipped === 0) continue;
        const rest = restarted ? [] : items;
        all.current = { items: [...added, ...rest].slice(0, keep), skipped: skipped + step.skipped };
        if (held.current) setWaiting((count) => count + added.length);
        else setShown(all.current);
      }
    };
    const follow = (): void => {
      listen()
        .catch((error: unknown) => {
          if (stop.signal.aborted) return;
          setLost(failureOf(error));
          setLoaded(true);
        })
        .finally(() => {
          // The service was restarted or the connection was lost. Both recover.
          if (!stop.signal.aborted) timer = setTimeout(follow, AGAIN_MS);
        });
    };
    follow();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [open, itemsOf, keep]);
  return { items: shown.items, skipped: shown.skipped, waiting, lost, loaded };
}
