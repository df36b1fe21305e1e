/** How often each value of each trait occurs, by the name of the trait. */
export type TraitValueCounts = Map<string, Map<string, number>>;

/** Adds the traits of one item. */
export function countTraitsIn(
  counts: TraitValueCounts,
  traits: readonly { readonly name: string; readonly value: string }[],
): void {
  for (const { name, value } of traits) {
    const values = counts.get(name) ?? new Map<string, number>();
    values.set(value, (values.get(value) ?? 0) + 1);
    counts.set(name, values);
  }
}
