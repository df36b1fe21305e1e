import type { Miner } from '../../../../contract/index.ts';
import { largestScript, type MinerLimits, minerLimits } from '../../../../contract/miners/limits.ts';

/** Bytes of a mint without the file of its largest item: the inputs, the names and traits, the change. */
const AROUND_FILE_BYTES = 2_000;

/** The limits that a miner states. */
export function limitsOf({ quote }: Pick<Miner, 'quote'>): MinerLimits {
  return minerLimits(quote?.policies ?? {});
}

/** Whether a mint of one file of this size is within the limits; null if the miner states none. */
export function fits(limits: MinerLimits, fileBytes: number): boolean | null {
  const largest = largestScript(limits);
  return largest === Number.POSITIVE_INFINITY ? null : fileBytes + AROUND_FILE_BYTES <= largest;
}

/** A miner's fee for this number of bytes of art, in satoshis; undefined before its first quote. */
export function priceOf({ quote }: Pick<Miner, 'quote'>, bytes: number): number | undefined {
  return quote === null ? undefined : Math.ceil((quote.data.satoshis * bytes) / quote.data.bytes);
}

/** Whether it can receive transactions now: it is enabled, it responds, and its quote is valid. */
export function isReady({ enabled, url, failure, quote }: Miner, now: number): boolean {
  return enabled && url !== '' && failure === null && quote !== null && quote.expiresAt > now;
}
