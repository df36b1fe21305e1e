import { ART_SCRIPT } from './art-script.ts';
import { BASE_SCRIPT } from './base-script.ts';
import { GALLERY_SCRIPT } from './gallery-script.ts';
import { GLB_SCRIPT } from './glb-script.ts';
import { MODEL_SCRIPT } from './model-script.ts';
import { MODEL_VIEW_SCRIPT } from './model-view-script.ts';
import { TOKEN_SCRIPT } from './token-script.ts';

/**
 * The program of a published folder's pages: one token or the collection, out of the JSON in the page. The pictures are files beside it. It
 * verifies nothing: each page leads to the proof of its token.
 */
const PUBLISHED_SCRIPT = `
const data = JSON.parse(element('data').textContent);
// Each script of a model puts its bytes here, under its own path.
const models = {};
function loadModel(path) {
  const script = make('script');
  const loaded = new Promise((resolve, reject) => Object.assign(script, { onload: resolve, onerror: reject }));
  script.src = data.root + path;
  document.head.append(script);
  return loaded.finally(() => script.remove()).then(() => {
    const text = models[path];
    delete models[path];
    return fromBase64(text);
  });
}

/** A token of the page's data as the views want it. */
function fromFile(token) {
  const at = (path) => (path === null ? 'data:,' : path.startsWith('data:') ? path : data.root + path);
  return {
    ...token,
    block: { ...token.block, time: new Date(token.block.time) },
    src: (side) => at(side === 'small' ? token.small : token.large),
    words: () => token.words || '',
    model: () => token.model && loadModel(token.model),
  };
}
const linkTo = (text, href, className) => {
  const made = make('a', className, text);
  made.href = href;
  return made;
};

function inscribedPart(token) {
  const text = say(T.published, { height: number(token.block.height), date: day(token.block.time) });
  return make('section', 'verified', make('p', '', text + ' ', linkTo(T.publishedProof, data.root + token.proof)));
}

/** Saves the work: its file, or the bytes in the page where it has none, since opening it would run its scripts. */
function keepLink(token) {
  if (token.file !== null) {
    const link = linkTo(T.save, data.root + token.file, 'button');
    link.download = '';
    return link;
  }
  const [, drawing] = (token.large || '').split(';base64,');
  if (drawing !== undefined) return saveLink(token, fromBase64(drawing));
  const bytes = new TextEncoder().encode(token.words || '');
  // Text that was no UTF-8 is not what was inscribed: the proof has it.
  return bytes.length === token.bytes && !token.words.includes('\\ufffd') ? saveLink(token, bytes) : undefined;
}

function tokenPage() {
  const token = fromFile(data.token);
  const collection = data.collection === null ? undefined : data.collection;
  const foot = [inscribedPart(token), technical(token), make('p', 'keep', keepLink(data.token))];
  const counts = data.counts === null ? undefined : Object.assign(new Map(data.counts.traits), { total: data.counts.total });
  const { view, facts } = tokenView(token, { collection, counts, collectionLink: data.root + 'index.html', foot });
  element('main').replaceChildren(view);
  const bar = element('bar');
  bar.append(linkTo('‹ ' + T.back, data.root + 'index.html', 'back'));
  if (data.previous !== null) bar.append(linkTo('‹ ' + T.previous, data.previous, 'previous'));
  if (data.next !== null) bar.append(linkTo(T.next + ' ›', data.next, 'next'));
  return facts;
}

function indexPage() {
  const collection = data.collection === null ? undefined : fromFile(data.collection);
  const entries = data.tokens.map(fromFile).map((token, place) => ({ token, place, facts: describe(token, belongsTo(token, collection) ? collection : undefined), link: token.page }));
  const { head } = banner(collection, data.name, entries.length);
  element('main').replaceChildren(head, ...(collection ? [inscribedPart(collection)] : []), galleryOf(entries));
}

showNetwork(data.network);
element('footer').textContent = T.footerFolder;
if (data.token) tokenPage();
else indexPage();
document.body.dataset.done = 'true';
`;

/** The one script of all pages of a published folder. */
export const FOLDER_SCRIPT = `'use strict';${BASE_SCRIPT}${GLB_SCRIPT}${MODEL_SCRIPT}${MODEL_VIEW_SCRIPT}${ART_SCRIPT}${TOKEN_SCRIPT}${GALLERY_SCRIPT}${PUBLISHED_SCRIPT}`;
