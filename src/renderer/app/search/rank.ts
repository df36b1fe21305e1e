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
  /** One call of an HTTP interface. There are so many that each word is in the address of some: all else that has the word ranks above them. */
  readonly isCall?: boolean;
  /** How often it was chosen. It rises with that, but not above a better kind of match. */
  readonly chosen?: number;
}

/** Entries listed per heading. */
const MAX_IN_GROUP = 6;

/** The best tier of each kind of match: equal, complete words, starts of words, parts of words, by description, some of the words, nearly. */
const KINDS = [0, 1, 6, 9.5, 12, 13, 14] as const;
/** Found by the host through something that is not in its texts, such as an id. Parts of words are after it. */
const FITS = 9.5;
const BY_DESCRIPTION = 12;
/** Some words of a text that has several. */
const SOME_WORDS = 13;
const NEARLY = 14;
const OTHER_NAME = 1;
const EXPLAINS = 2;
const IS_CALL = 5;
/** A match of the complete question ranks above a match of its words. */
const IN_PART = 0.5;
/** Tiers that a choice lifts an entry by. */
const RISE = 0.5;
/** Least letters that are looked for inside of words, or with a letter wrong: "hat" does not mean "that". */
const MIN_PART_LETTERS = 4;

/** Words of a question that do not narrow the search. They are left out unless nothing else was typed. */
const fillers = new Set(
  (
    'a an the my i me it to of is do does how what where why can cannot want with for in on ' +
    'are be was and or by at from this that there show open please ' +
    'der die das den dem ein eine einen mein meine meinen ich mir zu ist wie was wo warum kann man will von für im auf und oder sind des zeig zeige öffne bitte'
  ).split(' '),
);

const wordsOf = (text: string): string[] => text.split(/[^\p{L}\d_]+/u).filter((word) => word !== '');

/** Also inside of a name such as `bitcoinRpcUrl`. */
const beginsWord = (text: string, start: string): boolean =>
  wordsOf(`${text} ${text.replaceAll(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ')}`).some((word) =>
    word.toLowerCase().startsWith(start),
  );

/** In lower case and without hyphens between words: "double-spend" is "double spend". */
const spaced = (text: string): string => text.toLowerCase().replaceAll(/(?<=[\p{L}\d])[-‑](?=[\p{L}\d])/gu, ' ');

/** The search text in lower case, without filler words. */
function soughtIn(text: string): string {
  const typed = spaced(text.trim());
  const words = typed.replace(/[?!]+$/, '').split(/\s+/);
  const meant = words.filter((word) => !fillers.has(word)).join(' ');
  return meant === '' ? typed : meant;
}

/**
 * How well a name matches; lower is better. The order: equal, complete words at the start, complete words inside, the start of the first or of
 * another word, all words in another order, any part. Complete words rank above parts of words, so "fee" does not find "feed" first.
 */
function tierOfName(written: string, wanted: string): number {
  const name = spaced(written);
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
  return wanted.length < MIN_PART_LETTERS ? NEARLY : 10;
}

/** The tier by its names alone. What the host found it by, such as a trait, stands in its description. */
function tierOfNames({ label, words = [], description = '', fits = false }: Ranked, wanted: string): number {
  const others = fits ? [...words, description] : words;
  const tiers = others.map((name) => tierOfName(name, wanted) + OTHER_NAME);
  return Math.min(tierOfName(label, wanted), fits ? FITS : NEARLY, ...tiers);
}

const textOf = ({ label, description = '', keywords = '', words = [] }: Ranked): string =>
  `${label} ${description} ${keywords} ${words.join(' ')}`;

/** Whether each word is somewhere in what is said of an entry. */
function hasAllWords(entry: Ranked, wanted: string): boolean {
  const told = new Set(wordsOf(spaced(textOf(entry))));
  return wordsOf(wanted).every((word) => told.has(word));
}

function tierOf(entry: Ranked, wanted: string): number {
  const { explains = false, isCall = false, chosen = 0 } = entry;
  const best = tierOfNames(entry, wanted);
  const tier = best >= NEARLY && hasAllWords(entry, wanted) ? BY_DESCRIPTION : best;
  const kind = KINDS.findLast((least) => least <= tier) ?? 0;
  const risen = Math.max(kind, tier - chosen * RISE);
  return risen + (explains ? EXPLAINS : 0) + (isCall ? IS_CALL : 0);
}

/** The entries that have most of the words that are in any, each with its tier. */
function withSomeWords<T extends Ranked>(entries: readonly T[], wanted: string): Map<T, number> {
  const words = [...new Set(wordsOf(wanted))].filter((word) => !fillers.has(word));
  const found = entries.map((entry) => {
    const tiers = words.map((word) => tierOf({ ...entry, fits: false }, word)).filter((tier) => tier < FITS);
    const mean = tiers.reduce((sum, tier) => sum + tier, 0) / tiers.length;
    return { entry, count: tiers.length, tier: SOME_WORDS + mean / NEARLY };
  });
  const most = Math.max(1, ...found.map(({ count }) => count));
  return new Map(found.filter(({ count }) => count === most).map(({ entry, tier }) => [entry, tier]));
}

/** Adds to the tiers those of what has most of the words, unless something that is no call has all of them. */
function addSomeWords<T extends Ranked>(tiers: Map<T, number>, entries: readonly T[], wanted: string): void {
  const together = [...tiers].filter(([entry, tier]) => tier < NEARLY || hasAllWords(entry, wanted));
  if (together.some(([{ isCall }]) => isCall !== true)) return;
  const known = new Set(together.map(([entry]) => entry));
  const after = known.size > 0 ? EXPLAINS + IS_CALL : 0;
  for (const [entry, tier] of withSomeWords(entries, wanted)) {
    if (!known.has(entry)) tiers.set(entry, tier + after);
  }
}

/**
 * Sorts matching entries and groups them by heading. The heading with the best entry is first; equal headings keep the order of the input, so
 * that the first entry of the first group is the best match.
 */
export function rank<T extends Ranked>(entries: readonly T[], text: string): { group: string; entries: T[] }[] {
  const typed = spaced(text.trim());
  const wanted = soughtIn(text);
  const texts = entries.map(textOf);
  const found = fuzzyFind(texts, wanted).filter(
    (at) => wanted.length >= MIN_PART_LETTERS || beginsWord(texts[at] as string, wanted),
  );
  const order = new Map(found.map((at, place) => [at, place]));
  const tiers = new Map(
    entries
      .filter((entry, at) => entry.fits === true || order.has(at))
      .map((entry) => [
        entry,
        typed === wanted ? tierOf(entry, wanted) : Math.min(tierOf(entry, typed), tierOf(entry, wanted) + IN_PART),
      ]),
  );
  // A wish of several words that nothing has together, or calls alone, still means what has most of them.
  if (new Set(wordsOf(wanted)).size > 1) addSomeWords(tiers, entries, wanted);
  const fitting = entries
    .flatMap((entry, at) => {
      const tier = tiers.get(entry);
      const place = order.get(at) ?? order.size;
      return tier === undefined ? [] : [{ entry, at, place, tier, chosen: entry.chosen ?? 0 }];
    })
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
