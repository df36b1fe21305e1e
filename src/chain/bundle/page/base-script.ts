import { pageTexts } from './texts.ts';

/** Keys of a token's metadata that name who made it, in small letters. */
export const ARTIST_KEYS: readonly string[] = [
  'artist',
  'creator',
  'author',
  'artists',
  'made by',
  'künstler',
  'künstlerin',
];
/** Keys of the protocol, which are not traits. */
export const PROTOCOL_KEYS: readonly string[] = [
  'name',
  'app',
  'type',
  'subType',
  'subTypeData',
  'description',
  'royalties',
  'previewUrl',
];
/** Traits of a token that are read. */
export const MOST_TRAITS = 64;

/**
 * What every page that shows tokens needs: the words in the reader's language, elements made of text that stays text, and what a token says
 * of itself. Plain JavaScript, as all scripts in this folder. A token is `{contentType, bytes, sha256, metadata, outpoints, block}` with
 * `src(side)` for its content's address, `words()` for its content as text and `model()` for the bytes of a model, or a promise of
 * them, where they are here.
 */
export const BASE_SCRIPT = String.raw`
const TEXTS = ${JSON.stringify(pageTexts)};
// The reader's language, not the maker's: whoever is sent this page did not choose it.
// Where a system has no locale, Chromium says en-US@posix, which is no language tag.
const wanted = navigator.languages.find((each) => Object.hasOwn(TEXTS, each.slice(0, 2).toLowerCase()) && /^[\w-]+$/.test(each)) || 'en';
const language = wanted.slice(0, 2).toLowerCase();
const T = TEXTS[language];
document.documentElement.lang = language;

const element = (id) => document.getElementById(id);
/** An element of text and other elements; what is undefined is left out. */
const make = (tag, className, ...parts) => {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...parts.filter((part) => part !== undefined));
  return made;
};
const say = (text, values) => text.replace(/\{(\w+)\}/g, (all, key) => (values[key] === undefined ? all : String(values[key])));
const number = (value) => new Intl.NumberFormat(wanted).format(value);
const percent = (part) => new Intl.NumberFormat(wanted, { style: 'percent', maximumFractionDigits: 1 }).format(part);
const day = (time) => new Intl.DateTimeFormat(wanted, { dateStyle: 'long', timeZone: 'UTC' }).format(time);
const size = (bytes) => {
  const [unit, in1] = bytes < 1000 ? ['byte', 1] : bytes < 1e6 ? ['kilobyte', 1e3] : ['megabyte', 1e6];
  return new Intl.NumberFormat(wanted, { style: 'unit', unit, unitDisplay: in1 === 1 ? 'long' : 'short', maximumFractionDigits: in1 === 1e6 ? 1 : 0 }).format(bytes / in1);
};
const fromBase64 = (text) => Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
/** What others wrote, no longer than it can be shown. */
const short = (text, most) => (text.length > most ? text.slice(0, most) + '…' : text);
/** Says in the head of the page which network its tokens are of. */
function showNetwork(network) {
  element('network').textContent = Object.hasOwn(T.networks, network) ? T.networks[network] : network;
  element('network').className = 'network ' + (network === 'main' || network === 'test' ? network : 'sandbox');
}
// What is folded is printed as well: paper cannot be unfolded. Of a film it has the picture that stands, without its controls.
let undoPrint = [];
addEventListener('beforeprint', () => {
  const folds = [...document.querySelectorAll('main details:not([open])')];
  for (const each of folds) each.open = true;
  const films = [...document.querySelectorAll('main .stage video')].filter(({ videoWidth }) => videoWidth > 0);
  const stills = films.map((film) => {
    const still = Object.assign(make('canvas', 'still'), { width: film.videoWidth, height: film.videoHeight });
    still.getContext('2d').drawImage(film, 0, 0);
    film.before(still);
    film.hidden = true;
    return still;
  });
  undoPrint = [...folds.map((each) => () => (each.open = false)), ...films.map((film) => () => (film.hidden = false)), ...stills.map((still) => () => still.remove())];
});
addEventListener('afterprint', () => undoPrint.splice(0).forEach((undo) => undo()));
// Arrow keys go to the previous and the next token, Escape to all of them.
addEventListener('keydown', (event) => {
  const typing = event.target instanceof Element && event.target.closest('input, select, audio, video, pre');
  if (typing || event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
  const link = element('bar').querySelector({ ArrowLeft: '.previous', ArrowRight: '.next', Escape: '.back' }[event.key] || 'none');
  if (link) link.click();
});
const shortId = (id) => id.replace(/^(\w{8})\w{40,}(\w{6})/, '$1…$2');

const SVG = 'http://www.w3.org/2000/svg';
const drawn = (tag, values, ...parts) => {
  const made = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(values)) made.setAttribute(key, value);
  made.append(...parts);
  return made;
};
const ICONS = {
  inscription: 'M6 3h9l3 3v15H6zM9.5 11h5M9.5 15h5',
  transaction: 'M4 8.5h14l-3.5-3.5M20 15.5H6l3.5 3.5',
  block: 'M12 3l8 4.5v9L12 21l-8-4.5v-9zM4 7.5l8 4.5 8-4.5M12 12v9',
  audio: 'M9 17.5V6l10-2v11.5M9 17.5a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0M19 15.5a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0',
  file: 'M6 3h9l4 4v14H6zM15 3v4h4',
};
const icon = (name) => drawn('svg', { viewBox: '0 0 24 24', class: 'icon', 'aria-hidden': 'true' }, drawn('path', { d: ICONS[name] }));

/** What a token says in its subTypeData, an empty object where that is no JSON object. */
const claimsOf = ({ metadata }) => {
  try {
    return Object(JSON.parse(metadata.subTypeData || '{}'));
  } catch {
    return {};
  }
};
const textOf = (value) => (typeof value === 'string' || typeof value === 'number' ? String(value) : undefined);
const ARTIST = ${JSON.stringify(ARTIST_KEYS)};
const PROTOCOL = ${JSON.stringify(PROTOCOL_KEYS)};
const MOST_TRAITS = ${MOST_TRAITS};
const isCollection = ({ metadata }) => metadata.subType === 'collection';
/** Whether a token says that it belongs to this collection: a claim, as the name is. */
const belongsTo = (token, collection) => collection !== undefined && claimsOf(token).collectionId === collection.outpoints[0];
const namesArtist = (key) => ARTIST.includes(key.toLowerCase());
/** The traits that an item of a collection lists, as far as they are text. */
const listedTraits = ({ traits }) =>
  (Array.isArray(traits) ? traits : []).map(Object)
    .map(({ name, value, occurrencePercent }) => ({ name: textOf(name), value: textOf(value), share: Number.parseFloat(textOf(occurrencePercent)) / 100 }))
    .filter(({ name, value }) => name !== undefined && value !== undefined);
/** The own keys of a token and the traits that it lists, and the artist that one of them names. */
const saidOf = (token) => {
  const own = Object.entries(token.metadata).filter(([key, value]) => !PROTOCOL.includes(key) && value !== '');
  const said = [...own.map(([key, value]) => ({ name: key, value })), ...listedTraits(claimsOf(token))];
  const artist = said.find(({ name, value }) => namesArtist(name) && value);
  // Somebody else who made it is a trait.
  const traits = said.filter(({ name, value }) => !namesArtist(name) || (value && value !== artist.value));
  return { traits, artist: artist && short(artist.value, 200) };
};

/** Everything that is said of a token, out of what is inscribed with it and with its collection. */
function describe(token, collection) {
  const { metadata, outpoints } = token;
  const claims = claimsOf(token);
  const whole = collection ? claimsOf(collection) : isCollection(token) ? claims : {};
  const name = short(metadata.name || T.unnamed, 300);
  const { traits, artist } = saidOf(token);
  return {
    name,
    description: !metadata.description || metadata.description === metadata.name ? undefined : metadata.description,
    number: Number.isFinite(claims.mintNumber) ? claims.mintNumber : undefined,
    quantity: Number.parseInt(textOf(whole.quantity), 10) || undefined,
    rank: Number.isFinite(claims.rank) ? claims.rank : undefined,
    rarity: textOf(claims.rarityLabel),
    collectionId: textOf(claims.collectionId),
    artist: artist || (collection && saidOf(collection).artist),
    royalties: royaltiesOf(token) || (collection && royaltiesOf(collection)),
    traits: traits.slice(0, MOST_TRAITS),
    origin: outpoints[0],
  };
}

/** Who gets a share of later sales, in words; undefined where nobody does. */
function royaltiesOf({ metadata }) {
  try {
    const list = JSON.parse(metadata.royalties || '[]').map(Object).filter(({ destination }) => textOf(destination));
    if (list.length === 0) return undefined;
    const shares = list.slice(0, 20).map(({ destination, percentage }) => {
      const part = Number(textOf(percentage));
      return say(T.royalty, { percent: part >= 0 && part <= 1 ? percent(part) : short(textOf(percentage) || '?', 20), receiver: short(textOf(destination), 100) });
    });
    return shares.join(', ') + ', ' + T.unenforced;
  } catch {
    return undefined;
  }
}
`;
