import { useCallback, useEffect, useRef, useState } from 'react';
import { z } from 'zod';
import type { Failure } from '../../../../contract/index.ts';
import { failureOf } from '../../../api/failure.ts';
import { ask, headerAt } from '../../../api/node.ts';
import { decodedTxSchema, fullBlockSchema, LARGEST_BLOCK, type Receipt, receiptsOf } from './address-scan.ts';

/** Blocks looked through before a person is asked whether to go on. */
const AT_ONCE = 500;
/** Blocks asked for at once. */
const TOGETHER = 8;
const MOST_IN_MEMPOOL = 2_000;

export interface AddressScan {
  receipts: readonly Receipt[];
  /** The unspent ones among the outpoints found. */
  unspent: ReadonlySet<string>;
  /** The lowest block looked through; null before the first. */
  lowest: number | null;
  /** Blocks too large to be read here. */
  skipped: number;
  busy: boolean;
  failure: Failure | undefined;
  goOn: () => void;
  stop: () => void;
}

async function inMempool(address: string, signal: AbortSignal): Promise<Receipt[]> {
  const txids = await ask(z.array(z.string()), 'getrawmempool', false);
  const found: Receipt[] = [];
  for (const txid of txids.slice(0, MOST_IN_MEMPOOL)) {
    if (signal.aborted) break;
    // One that was mined or dropped since the list was read is found in its block, or is gone.
    const tx = await ask(decodedTxSchema, 'getrawtransaction', txid, true).catch(() => undefined);
    if (tx !== undefined) found.push(...receiptsOf(tx, address, null));
  }
  return found;
}

async function inBlock(address: string, height: number): Promise<Receipt[] | 'too large'> {
  const header = await headerAt(height);
  if ((header.size ?? 0) > LARGEST_BLOCK) return 'too large';
  const { tx } = await ask(fullBlockSchema, 'getblock', header.hash, 2);
  return tx.flatMap((one) => receiptsOf(one, address, header));
}

async function isUnspent({ txid, index }: Receipt): Promise<boolean> {
  return (await ask(z.unknown(), 'gettxout', txid, index, true)) !== null;
}

/**
 * Looks for outputs that pay an address: in the mempool, then block by block from the tip down. A node keeps no index of addresses, so
 * there is no quicker way.
 */
export function useAddressScan(address: string, tip: number): AddressScan {
  const [receipts, setReceipts] = useState<readonly Receipt[]>([]);
  const [unspent, setUnspent] = useState<ReadonlySet<string>>(new Set());
  const [lowest, setLowest] = useState<number | null>(null);
  const [skipped, setSkipped] = useState(0);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const run = useRef<AbortController>(undefined);
  const next = useRef(tip);

  const look = useCallback(
    async (signal: AbortSignal): Promise<void> => {
      const add = async (found: Receipt[]): Promise<void> => {
        if (found.length === 0) return;
        const open = await Promise.all(found.map(isUnspent));
        if (signal.aborted) return;
        setReceipts((before) => {
          const known = new Set(before.map(({ outpoint }) => outpoint));
          return [...before, ...found.filter(({ outpoint }) => !known.has(outpoint))];
        });
        setUnspent(
          (before) => new Set([...before, ...found.filter((_, n) => open[n]).map(({ outpoint }) => outpoint)]),
        );
      };
      if (next.current === tip) await add(await inMempool(address, signal));
      const last = Math.max(0, next.current - AT_ONCE + 1);
      while (next.current >= last && !signal.aborted) {
        const heights = Array.from({ length: Math.min(TOGETHER, next.current - last + 1) }, (_, n) => next.current - n);
        const found = await Promise.all(heights.map((height) => inBlock(address, height)));
        if (signal.aborted) return;
        setSkipped((count) => count + found.filter((one) => one === 'too large').length);
        await add(found.flatMap((one) => (one === 'too large' ? [] : one)));
        if (signal.aborted) return;
        setLowest(heights.at(-1) as number);
        next.current -= heights.length;
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
  return { receipts, unspent, lowest, skipped, busy, failure, goOn, stop };
}
