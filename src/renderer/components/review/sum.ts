export function sum(entries: readonly { satoshis: number }[]): number {
  return entries.reduce((total, entry) => total + entry.satoshis, 0);
}
