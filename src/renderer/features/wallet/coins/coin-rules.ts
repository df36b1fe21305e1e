import type { WalletCoin } from '../../../../contract/index.ts';

/** What can be done with coins, wherever they are shown. */
export interface CoinActions {
  beef(coin: WalletCoin): void;
  freeze(coins: readonly WalletCoin[], frozen: boolean): void;
  send(coins: readonly WalletCoin[]): void;
}

/** Whether a payment can spend the coin now. */
export function isFree({ kind, state }: WalletCoin): boolean {
  return kind === 'funding' && (state === 'spendable' || state === 'elsewhere');
}

/** Whether a person can set the coin aside. A locked one is in use already. */
export function canFreeze({ kind, state }: WalletCoin): boolean {
  return kind === 'funding' && state !== 'frozen' && state !== 'locked';
}

/** Whether a block holds it, so that its path can be shown. */
export function isMined({ height }: WalletCoin): boolean {
  return height !== null;
}

export function isFrozen({ state }: WalletCoin): boolean {
  return state === 'frozen';
}

const SMALLEST_PX = 36;
const PX_A_DECADE = 10;

/** Side of a coin's square in pixels: ten times the value makes it ten pixels wider, so that small coins stay visible. */
export function sideOf(satoshis: number): number {
  return Math.round(SMALLEST_PX + PX_A_DECADE * Math.max(0, Math.log10(Math.max(1, satoshis)) - 2));
}
