/**
 * Assigns each visible row a slot on the page. A row that stays keeps its slot, and a new row takes the slot of one that left, so that the
 * elements there are reused. Creating new ones costs several times as much.
 * @param before the slots so far, by row id, in row order
 * @param ids the visible rows, in order
 */
export function assignSlots(before: ReadonlyMap<string, number>, ids: readonly string[]): Map<string, number> {
  const staying = new Set(ids);
  const free: number[] = [];
  for (const [id, slot] of before) if (!staying.has(id)) free.push(slot);
  let next = Math.max(-1, ...before.values()) + 1;
  let taken = 0;
  return new Map(ids.map((id) => [id, before.get(id) ?? free[taken++] ?? next++]));
}
