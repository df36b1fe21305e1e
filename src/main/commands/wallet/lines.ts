import type { WalletBalance, WalletHistoryEntry } from '../../../contract/index.ts';

/** A transaction of the wallet in one line. One that is in no block has its state at the end, since a lost one paid nobody. */
export function historyLine({ at, txid, amount, balance, purpose, state }: WalletHistoryEntry): string {
  const columns = [purpose.padEnd(8), String(amount).padStart(14), String(balance).padStart(15), txid];
  return [new Date(at).toISOString(), ...columns, ...(state === 'confirmed' ? [] : [state])].join('  ');
}

/** All parts of the balance that hold something, in one line. */
export function balanceLine({ spendable, elsewhere, ...rest }: WalletBalance): string {
  const aside = (['locked', 'frozen', 'waiting'] as const).filter((part) => rest[part] > 0);
  return [
    `${spendable + elsewhere} satoshis to spend`,
    ...aside.map((part) => `${rest[part]} ${part}`),
    `${rest.unconfirmed} unconfirmed`,
    `${rest.tokens} tokens`,
  ].join(', ');
}
