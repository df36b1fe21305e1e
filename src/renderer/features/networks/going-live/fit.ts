import type { Miner } from '../../../../contract/index.ts';

/** Bytes of a mint beside the file of its largest item: the inputs, the names and traits, the change. */
const AROUND_FILE_BYTES = 2_000;

export interface Limits {
  /** Bytes of a transaction and of a script that the miner takes; null where it does not say. */
  readonly transaction: number | null;
  readonly script: number | null;
}

/** What a miner says that it takes at most. */
export function limitsOf({ quote }: Pick<Miner, 'quote'>): Limits {
  const stated = (name: string): number | null => {
    const value = quote?.policies[name];
    return typeof value === 'number' && value > 0 ? value : null;
  };
  return { transaction: stated('maxtxsizepolicy'), script: stated('maxscriptsizepolicy') };
}

/** Whether a mint of one file of so many bytes is within the limits; null where the miner states none. */
export function fits({ transaction, script }: Limits, fileBytes: number): boolean | null {
  const smallest = Math.min(transaction ?? Number.POSITIVE_INFINITY, script ?? Number.POSITIVE_INFINITY);
  return smallest === Number.POSITIVE_INFINITY ? null : fileBytes + AROUND_FILE_BYTES <= smallest;
}

/** Satoshis that a miner asks for so many bytes of art; undefined before its first quote. */
export function priceOf({ quote }: Pick<Miner, 'quote'>, bytes: number): number | undefined {
  return quote === null ? undefined : Math.ceil((quote.data.satoshis * bytes) / quote.data.bytes);
}

/** Whether transactions can go to it now: it is switched on, it answers, and its quote holds. */
export function isReady({ enabled, url, failure, quote }: Miner, now: number): boolean {
  return enabled && url !== '' && failure === null && quote !== null && quote.expiresAt > now;
}
