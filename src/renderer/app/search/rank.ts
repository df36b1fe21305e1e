import { fuzzyFind } from '../../../contract/index.ts';

/** What the ranking knows of a thing that may be shown. */
export interface Ranked {
  readonly label: string;
  readonly description?: string | undefined;
  readonly keywords?: string | undefined;
  /** Heading it is shown under. */
  readonly group: string;
  /** Already known to fit, as what the host found by an id or a tag. */
  readonly fits?: boolean;
}

/** Shown under one heading, at most. */
const MAX_IN_GROUP = 6;

/** How well a label fits, lower is better: the same, its beginning, the beginning of a word, a part, only near or by other words. */
function tierOf(label: string, wanted: string): number {
  const text = label.toLowerCase();
  if (text === wanted) return 0;
  if (text.startsWith(wanted)) return 1;
  const at = text.indexOf(wanted);
  if (at === -1) return 4;
  return /[\p{L}\d]/u.test(text[at - 1] ?? ' ') ? 3 : 2;
}

/**
 * Puts what fits in order and under its headings: the heading with the best entry first, and where two fit equally well, the one that was
 * given first. The search is over when the first entry of the first group is the one that was meant.
 */
export function rank<T extends Ranked>(entries: readonly T[], text: string): { group: string; entries: T[] }[] {
  const wanted = text.trim().toLowerCase();
  const texts = entries.map(({ label, description = '', keywords = '' }) => `${label} ${description} ${keywords}`);
  const order = new Map(fuzzyFind(texts, text).map((at, place) => [at, place]));
  const fitting = entries
    .map((entry, at) => ({ entry, at, place: order.get(at) ?? order.size, tier: tierOf(entry.label, wanted) }))
    .filter(({ entry, at }) => entry.fits === true || order.has(at));
  const groups = [...Map.groupBy(fitting, ({ entry }) => entry.group)].map(([group, found]) => ({
    group,
    best: Math.min(...found.map(({ tier }) => tier)),
    entries: found.sort((a, b) => a.tier - b.tier || a.place - b.place || a.at - b.at),
  }));
  return groups
    .sort((a, b) => a.best - b.best)
    .map(({ group, entries: found }) => ({ group, entries: found.slice(0, MAX_IN_GROUP).map(({ entry }) => entry) }));
}
