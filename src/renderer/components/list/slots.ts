/**
 * Gives each row in sight a place on the page: a row that stays keeps its own, and one that comes takes that of a row that left, so that
 * what is drawn there is filled anew in place of being made anew, which costs several times as much.
 * @param before the places until now, by row, in the order of the rows
 * @param ids the rows in sight, in their order
 */
export function assignSlots(before: ReadonlyMap<string, number>, ids: readonly string[]): Map<string, number> {
  const staying = new Set(ids);
  const free: number[] = [];
  for (const [id, slot] of before) if (!staying.has(id)) free.push(slot);
  let next = Math.max(-1, ...before.values()) + 1;
  let taken = 0;
  return new Map(ids.map((id) => [id, before.get(id) ?? free[taken++] ?? next++]));
}
