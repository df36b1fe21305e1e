import { runSteps, type Steps } from '../../../chain/index.ts';
import { countTraitsIn, type TraitValueCounts } from '../../../contract/index.ts';

/** Items looked at in one step. */
const AT_ONCE = 200;

/** Shares of the ranks that a label stands for, in per cent; they sum to 100. */
const rarityLabels = [
  ['Legendary', 1],
  ['Epic', 4],
  ['Rare', 15],
  ['Uncommon', 30],
  ['Common', 50],
] as const;

/**
 * Percentages with two decimals that sum to exactly 100: hundredths that rounding down leaves are given to those that lost most.
 * @param counts at least one of them above zero
 * @returns `33.34`, `33.33`, `33.33` for three equal counts
 */
export function percentages(counts: readonly number[]): string[] {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return counts.map(() => '0');
  const exact = counts.map((count) => (count * 10_000) / total);
  const parts = exact.map(Math.floor);
  const order = exact.map((value, index) => ({ index, lost: value - Math.floor(value) }));
  order.sort((a, b) => b.lost - a.lost || a.index - b.index);
  const missing = 10_000 - parts.reduce((sum, part) => sum + part, 0);
  for (const { index } of order.slice(0, missing)) parts[index] = (parts[index] as number) + 1;
  return parts.map((part) => String(part / 100));
}

interface Traited {
  readonly number: number | null;
  readonly traits: readonly { readonly name: string; readonly value: string }[];
}

export interface TraitCounts {
  readonly name: string;
  readonly count: number;
  /** By how many items have the value, the most frequent first. */
  readonly values: readonly { readonly value: string; readonly count: number; readonly percent: string }[];
}

/** Counts each value of each trait; the percentages of a trait are of the items that have it, and sum to 100. */
export function countTraits(items: readonly Traited[]): TraitCounts[] {
  return runSteps(countSteps(items));
}

function* countSteps(items: readonly Traited[]): Steps<TraitCounts[]> {
  const traits: TraitValueCounts = new Map();
  for (const [index, item] of items.entries()) {
    if (index % AT_ONCE === 0) yield '';
    countTraitsIn(traits, item.traits);
  }
  const counts: TraitCounts[] = [];
  for (const [name, values] of traits) {
    yield '';
    const sorted = [...values].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
    const percents = percentages(sorted.map(([, count]) => count));
    counts.push({
      name,
      count: sorted.reduce((sum, [, count]) => sum + count, 0),
      values: sorted.map(([value, count], index) => ({ value, count, percent: percents[index] as string })),
    });
  }
  return counts;
}

/**
 * Ranks items by information content: the sum over all traits of the collection of -log2(share of the items that have the same value).
 * The absence of a trait counts as a value. The rarest has rank 1; equal ones are in the order of their numbers.
 * @returns the rank and label of each item, in the order of the items; empty where no item has a trait
 */
export function rankItems(items: readonly Traited[]): { rank: number; label: string }[] {
  return runSteps(rankSteps(items));
}

/** See {@link rankItems}. */
export function* rankSteps(items: readonly Traited[]): Steps<{ rank: number; label: string }[]> {
  const counts = yield* countSteps(items);
  if (counts.length === 0) return [];
  const bits = new Map(
    counts.map(({ name, count, values }) => [
      name,
      {
        absent: content(items.length - count, items.length),
        values: new Map(values.map(({ value, count: n }) => [value, content(n, items.length)])),
      },
    ]),
  );
  const scores: number[] = [];
  for (const [index, { traits }] of items.entries()) {
    if (index % AT_ONCE === 0) yield '';
    const own = new Map(traits.map(({ name, value }) => [name, value]));
    let score = 0;
    for (const [name, { absent, values }] of bits) {
      const value = own.get(name);
      score += value === undefined ? absent : (values.get(value) ?? 0);
    }
    // Rounded, since sums in another order differ in the last digits.
    scores.push(Math.round(score * 1e9));
  }
  const order = items.map((_, index) => index);
  order.sort(
    (a, b) => (scores[b] as number) - (scores[a] as number) || numberAt(items, a) - numberAt(items, b) || a - b,
  );
  const result: { rank: number; label: string }[] = new Array(items.length);
  for (const [position, index] of order.entries()) {
    result[index] = { rank: position + 1, label: labelAt((position + 0.5) / items.length) };
  }
  return result;
}

function numberAt(items: readonly Traited[], index: number): number {
  return items[index]?.number ?? Number.MAX_SAFE_INTEGER;
}

function content(count: number, total: number): number {
  return count === 0 ? 0 : -Math.log2(count / total);
}

/** @param share how far down the ranks, between 0 and 1 */
function labelAt(share: number): string {
  let upTo = 0;
  for (const [label, percent] of rarityLabels) {
    upTo += percent / 100;
    if (share < upTo) return label;
  }
  return 'Common';
}
