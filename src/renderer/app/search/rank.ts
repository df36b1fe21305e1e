import { fuzzyFind } from '../../../contract/index.ts';

/** What the ranking knows of a thing that may be shown. */
export interface Ranked {
  readonly label: string;
  readonly description?: string | undefined;
  readonly keywords?: string | undefined;
  /** Other names for it, each as good as the label where that fits no better. */
  readonly words?: readonly string[] | undefined;
  /** Heading it is shown under. */
  readonly group: string;
  /** Already known to fit, as what the host found by an id or a tag. */
  readonly fits?: boolean;
  /** Explains something: what does or opens the thing itself comes first where both fit alike. */
  readonly explains?: boolean;
  /** How often it was chosen; of two that fit alike the one that was chosen more often comes first. */
  readonly chosen?: number;
}

/** Shown under one heading, at most. */
const MAX_IN_GROUP = 6;

/** Found by the host, by something that does not stand in its label, such as an id or a trait. */
const FITS = 11;
const BY_DESCRIPTION = 12;
const NEARLY = 14;
const OTHER_NAME = 1;
const EXPLAINS = 2;
/** A whole question that fits comes before what fits only its words. */
const IN_PART = 0.5;

/** Words of a question that say nothing of what is looked for. Left out, unless nothing else was typed. */
const fillers = new Set(
  (
    'a an the my i me it to of is do does how what where why can cannot want with for in on ' +
    'der die das den dem ein eine einen mein meine meinen ich mir zu ist wie was wo warum kann man will von für im auf'
  ).split(' '),
);

const wordsOf = (text: string): string[] => text.split(/[^\p{L}\d_]+/u).filter((word) => word !== '');

/** What is looked for, in lower case and without the words around it. */
function soughtIn(text: string): string {
  const typed = text.trim().toLowerCase();
  const words = typed.replace(/[?!]+$/, '').split(/\s+/);
  const meant = words.filter((word) => !fillers.has(word)).join(' ');
  return meant === '' ? typed : meant;
}

/**
 * How well a name fits, lower is better: the same, its whole first words, whole words inside, the beginning of its first or of another word, all words in
 * another order, any part. What stands in whole words comes before parts of words: "fee" is not meant by "feed".
 */
function tierOfName(name: string, wanted: string): number {
  if (name === wanted) return 0;
  const at = name.indexOf(wanted);
  if (at === -1) {
    const words = wordsOf(name);
    return wordsOf(wanted).every((word) => words.includes(word)) ? 9 : NEARLY;
  }
  const isWord = (text = ' '): boolean => /[\p{L}\d]/u.test(text);
  const begins = !isWord(name[at - 1]);
  const ends = !isWord(name[at + wanted.length]);
  if (begins && ends) return at === 0 ? 2 : 4;
  if (begins) return at === 0 ? 6 : 8;
  return 10;
}

function tierOf(
  { label, words = [], description = '', keywords = '', explains, fits }: Ranked,
  wanted: string,
): number {
  const names = words.map((word) => tierOfName(word.toLowerCase(), wanted) + OTHER_NAME);
  const best = Math.min(tierOfName(label.toLowerCase(), wanted), fits === true ? FITS : NEARLY, ...names);
  const told = new Set(wordsOf(`${description} ${keywords}`.toLowerCase()));
  const tier = best >= NEARLY && wordsOf(wanted).every((word) => told.has(word)) ? BY_DESCRIPTION : best;
  return explains === true ? tier + EXPLAINS : tier;
}

/**
 * Puts what fits in order and under its headings: the heading with the best entry first, and where two fit equally well, the one that was
 * given first. The search is over when the first entry of the first group is the one that was meant.
 */
export function rank<T extends Ranked>(entries: readonly T[], text: string): { group: string; entries: T[] }[] {
  const typed = text.trim().toLowerCase();
  const wanted = soughtIn(text);
  const texts = entries.map(
    ({ label, description = '', keywords = '', words = [] }) =>
      `${label} ${description} ${keywords} ${words.join(' ')}`,
  );
  const order = new Map(fuzzyFind(texts, wanted).map((at, place) => [at, place]));
  const fitting = entries
    .map((entry, at) => ({
      entry,
      at,
      place: order.get(at) ?? order.size,
      tier: typed === wanted ? tierOf(entry, wanted) : Math.min(tierOf(entry, typed), tierOf(entry, wanted) + IN_PART),
      chosen: entry.chosen ?? 0,
    }))
    .filter(({ entry, at }) => entry.fits === true || order.has(at))
    .sort((a, b) => a.tier - b.tier || b.chosen - a.chosen || a.place - b.place || a.at - b.at);
  // Each heading stands where its best entry does.
  return [...Map.groupBy(fitting, ({ entry }) => entry.group)]
    .map(([group, found]) => {
      const first = found[0] as (typeof found)[number];
      const earliest = Math.min(...found.map(({ at }) => at));
      return { group, first, earliest, entries: found.slice(0, MAX_IN_GROUP).map(({ entry }) => entry) };
    })
    .sort((a, b) => a.first.tier - b.first.tier || b.first.chosen - a.first.chosen || a.earliest - b.earliest)
    .map(({ group, entries: found }) => ({ group, entries: found }));
}
