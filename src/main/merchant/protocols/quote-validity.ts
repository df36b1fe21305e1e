import type { MinerQuote } from '../../../contract/index.ts';
import { leftUntil } from '../../async/left-until.ts';

/** For how many milliseconds a quote can still be used; 0 also where the clock was put back to before it was read. */
export function validFor({ at, expiresAt }: Pick<MinerQuote, 'at' | 'expiresAt'>, now: number): number {
  return leftUntil(expiresAt, now, expiresAt - at);
}
