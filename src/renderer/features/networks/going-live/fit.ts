import type { Miner } from '../../../../contract/index.ts';
import { largestScript, type MinerLimits, minerLimits } from '../../../../contract/miners/limits.ts';

/** Bytes of a mint beside the file of its largest item: the inputs, the names and traits, the change. */
const AROUND_FILE_BYTES = 2_000;

/** What a miner says that it takes at most. */
export function limitsOf({ quote }: Pick<Miner, 'quote'>): MinerLimits {
  return minerLimits(quote?.policies ?? {});
}

/** Whether a mint of one file of so many bytes is within the limits; null where the miner states none. */
export function fits(limits: MinerLimits, fileBytes: number): boolean | null {
  const largest = largestScript(limits);
  return largest === Number.POSITIVE_INFINITY ? null : fileBytes + AROUND_FILE_BYTES <= largest;
}

/** Satoshis that a miner asks for so many bytes of art; undefined before its first quote. */
export function priceOf({ quote }: Pick<Miner, 'quote'>, bytes: number): number | undefined {
  return quote === null ? undefined : Math.ceil((quote.data.satoshis * bytes) / quote.data.bytes);
}

/** Whether transactions can go to it now: it is switched on, it answers, and its quote holds. */
export function isReady({ enabled, url, failure, quote }: Miner, now: number): boolean {
  return enabled && url !== '' && failure === null && quote !== null && quote.expiresAt > now;
}
