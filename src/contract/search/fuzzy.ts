import FuzzyMatcher from '@leeoniya/ufuzzy';

/** Words in any script; each may have one wrong, missing, added or swapped letter. */
const matcher = new FuzzyMatcher({
  unicode: true,
  interSplit: "[^\\p{L}\\d']+",
  intraSplit: '\\p{Ll}\\p{Lu}',
  intraBound: '\\p{L}\\d|\\d\\p{L}|\\p{Ll}\\p{Lu}',
  intraChars: "[\\p{L}\\d']",
  intraContr: "'\\p{L}{1,2}\\b",
  intraMode: 1,
  intraSub: 1,
  intraTrn: 1,
  intraDel: 1,
  intraIns: 1,
});

/** Largest number of words that are also matched in another order: more take too long. */
const MAX_SWAPPED_WORDS = 3;
/** More matches than this are not sorted: one or two letters match that many. */
const MAX_RANKED = 2_000;
/** Longer searches are truncated, since the patterns grow with them. */
const MAX_SOUGHT = 100;

/** Without characters that have a special meaning for the matcher. */
function plain(wanted: string): string {
  return wanted
    .slice(0, MAX_SOUGHT)
    .replaceAll(/["'“”]|(?<=^|\s)-+/g, ' ')
    .trim();
}

/**
 * Finds the texts that match a search, tolerating a wrong letter in a word.
 * @returns indices of the texts, the best one first
 */
export function fuzzyFind(texts: readonly string[], wanted: string): number[] {
  const sought = plain(wanted);
  if (sought === '') return [];
  const haystack = texts as string[];
  const [found, info, order] = matcher.search(haystack, sought, MAX_SWAPPED_WORDS, MAX_RANKED);
  if (found !== null && found.length > 0) {
    if (info === null || order === null) return [...found];
    return order.flatMap((at) => info.idx[at] ?? []);
  }
  // Only symbols, as in a search for an emoji: the matcher has no words to search for.
  if (/[\p{L}\d]/u.test(sought)) return [];
  return texts.flatMap((text, index) => (text.includes(sought) ? [index] : []));
}
