/** A name that no snapshot has yet. */
export function freeName(height: number, snapshots: readonly { name: string }[]): string {
  const taken = new Set(snapshots.map(({ name }) => name));
  const first = `block-${height}`;
  if (!taken.has(first)) return first;
  let number = 2;
  while (taken.has(`${first}-${number}`)) number += 1;
  return `${first}-${number}`;
}
