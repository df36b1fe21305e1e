import { useCallback, useEffect, useRef, useState } from 'react';
import { type Failure, MAX_SEARCHED_BLOCKS, type Receipt } from '../../../../contract/index.ts';
import { client } from '../../../api/client.ts';
import { failureOf } from '../../../api/failure.ts';

/** Blocks that are searched before the person is asked whether to continue. */
const AT_ONCE = 500;

/**
 * Looks for outputs that pay an address: in the mempool, then block by block from the tip down. A node keeps no index of addresses, so
 * there is no quicker way.
 */
export function useAddressScan(address: string, tip: number) {
  const [receipts, setReceipts] = useState<readonly Receipt[]>([]);
  /** The lowest block looked through; null before the first. */
  const [lowest, setLowest] = useState<number | null>(null);
  /** Blocks too large to be read here. */
  const [skipped, setSkipped] = useState(0);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const run = useRef<AbortController>(undefined);
  const next = useRef(tip);

  const look = useCallback(
    async (signal: AbortSignal): Promise<void> => {
      const read = async (heights?: number[]): Promise<void> => {
        const found = await client.explorer.receipts({ address, heights }, { signal });
        if (signal.aborted) return;
        setSkipped((count) => count + found.skipped);
        setReceipts((before) => {
          const known = new Set(before.map(({ outpoint }) => outpoint));
          return [...before, ...found.receipts.filter(({ outpoint }) => !known.has(outpoint))];
        });
      };
      if (next.current === tip) await read();
      const last = Math.max(0, next.current - AT_ONCE + 1);
      while (next.current >= last && !signal.aborted) {
        const count = Math.min(MAX_SEARCHED_BLOCKS, next.current - last + 1);
        const heights = Array.from({ length: count }, (_, n) => next.current - n);
        await read(heights);
        if (signal.aborted) return;
        setLowest(heights.at(-1) as number);
        next.current -= count;
      }
    },
    [address, tip],
  );
  const goOn = useCallback((): void => {
    run.current?.abort();
    const stop = new AbortController();
    run.current = stop;
    setBusy(true);
    setFailure(undefined);
    look(stop.signal)
      .catch((error: unknown) => {
        if (!stop.signal.aborted) setFailure(failureOf(error));
      })
      .finally(() => {
        if (run.current === stop) setBusy(false);
      });
  }, [look]);
  useEffect(() => {
    next.current = tip;
    goOn();
    return () => run.current?.abort();
  }, [goOn, tip]);
  const stop = useCallback((): void => {
    run.current?.abort();
    setBusy(false);
  }, []);
  return { receipts, lowest, skipped, busy, failure, goOn, stop };
}
