import { fuzzyFind } from '../../../contract/index.ts';

/** The properties of an entry that its rank depends on. */
export interface Ranked {
  readonly label: string;
  readonly description?: string | undefined;
  readonly keywords?: string | undefined;
  /** Other names. A match in one counts almost as much as a match in the label. */
  readonly words?: readonly string[] | undefined;
  /** Heading that it is listed under. */
  readonly group: string;
  /** It matches regardless of its texts, for example since the host found it by an id or a tag. */
  readonly fits?: boolean;
  /** It explains something. An entry that does or opens the thing itself ranks above it if both match equally well. */
  readonly explains?: boolean;
  /** How often it was chosen. Of two equal matches the one chosen more often ranks first. */
  readonly chosen?: number;
}

/** Entries listed per heading. */
const MAX_IN_GROUP = 6;

/** Found by the host through something that is not in its label, such as an id or a trait. */
const FITS = 11;
const BY_DESCRIPTION = 12;
const NEARLY = 14;
const OTHER_NAME = 1;
const EXPLAINS = 2;
/** A match of the complete question ranks above a match of its words. */
const IN_PART = 0.5;

/** Words of a question that do not narrow the search. They are left out unless nothing else was typed. */
const fillers = new Set(
  (
    'a an the my i me it to of is do does how what where why can cannot want with for in on ' +
    'der die das den dem ein eine einen mein meine meinen ich mir zu ist wie was wo warum kann man will von für im auf'
  ).split(' '),
);

const wordsOf = (text: string): string[] => text.split(/[^\p{L}\d_]+/u).filter((word) => word !== '');

/** The search text in lower case, without filler words. */
function soughtIn(text: string): string {
  const typed = text.trim().toLowerCase();
  const words = typed.replace(/[?!]+$/, '').split(/\s+/);
  const meant = words.filter((word) => !fillers.has(word)).join(' ');
  return meant === '' ? typed : meant;
}

/**
 * How well a name matches; lower is better. The order: equal, complete words at the start, complete words inside, the start of the first or of
 * another word, all words in another order, any part. Complete words rank above parts of words, so "fee" does not find "feed" first.
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
 * Sorts matching entries and groups them by heading. The heading with the best entry is first; equal headings keep the order of the input, so
 * that the first entry of the first group is the best match.
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
  // A heading is placed by its best entry.
  return [...Map.groupBy(fitting, ({ entry }) => entry.group)]
    .map(([group, found]) => {
      const first = found[0] as (typeof found)[number];
      const earliest = Math.min(...found.map(({ at }) => at));
      return { group, first, earliest, entries: found.slice(0, MAX_IN_GROUP).map(({ entry }) => entry) };
    })
    .sort((a, b) => a.first.tier - b.first.tier || b.first.chosen - a.first.chosen || a.earliest - b.earliest)
    .map(({ group, entries: found }) => ({ group, entries: found }));
}
