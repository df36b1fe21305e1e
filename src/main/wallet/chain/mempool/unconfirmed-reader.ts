import type { ChainData } from '../../../ports/chain-data.ts';
import { readable, type Unconfirmed } from './unconfirmed-checks.ts';

const MAX_FETCHED_BYTES = 32_000_000;
const FETCHES_AT_ONCE = 100;

export interface ReadUnconfirmed {
  readonly read: Map<string, Unconfirmed>;
  /** Ids that are left for another pass, since the others took the room. */
  readonly unread: readonly string[];
  /** Ids whose bytes nobody had. */
  readonly absent: readonly string[];
}

/** Reads transactions of the mempool, as many as are held at once. */
export async function readUnconfirmed(chainData: ChainData, txids: readonly string[]): Promise<ReadUnconfirmed> {
  const read = new Map<string, Unconfirmed>();
  const absent: string[] = [];
  let bytes = 0;
  for (let at = 0; at < txids.length; at += FETCHES_AT_ONCE) {
    if (bytes > MAX_FETCHED_BYTES) return { read, unread: txids.slice(at), absent };
    const some = txids.slice(at, at + FETCHES_AT_ONCE);
    const fetched = await chainData.transactions(some);
    absent.push(...some.filter((txid) => !fetched.has(txid)));
    for (const [txid, raw] of fetched) {
      const one = readable(txid, raw);
      if (one === undefined) continue;
      read.set(txid, one);
      bytes += raw.length;
    }
  }
  return { read, unread: [], absent };
}
