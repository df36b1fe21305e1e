/** The program of a bundle's page: it verifies the data, then shows one token or the collection, by the address's fragment. */
export const BUNDLE_SCRIPT = `
/** A verified token with its content as the views want it. */
function withContent(token) {
  let url;
  return {
    ...token,
    src: () => (url = url || URL.createObjectURL(new Blob([token.content], { type: essence(token) }))),
    words: () => utf8.decode(token.content),
    model: () => token.content,
  };
}

function verifiedPart(token) {
  const { minted, block, outpoints } = token;
  const moves = outpoints.length - 1;
  const part = make('section', 'verified', verdictOf(say(T.verified, { height: number(minted.block.height), date: day(minted.block.time) })));
  if (moves > 0) part.append(make('p', 'quiet', say(moves === 1 ? T.movedOnce : T.moved, { n: number(moves), height: number(block.height) })));
  part.append(steps(token));
  return part;
}
const verdictOf = (text) => {
  const [lead] = text.split(': ', 1);
  const check = drawn('svg', { viewBox: '0 0 24 24', class: 'icon', 'aria-hidden': 'true' }, drawn('path', { d: 'M4.5 12.5l5 5L19.5 7' }));
  return make('p', 'verdict', check, make('span', '', make('b', '', lead), text.slice(lead.length)));
};

function show(tokens) {
  const main = element('main');
  const covers = tokens.filter(isCollection);
  const collection = covers.length === 1 ? covers[0] : undefined;
  const items = tokens.filter((token) => token !== collection);
  const single = items.length === 1 ? items[0] : items.length === 0 ? collection : undefined;
  const entries = items.map((token, place) => ({ token, place, facts: describe(token, belongsTo(token, collection) ? collection : undefined), link: '#t=' + token.outpoints[0] }));
  entries.sort(sorted.number);
  const quantity = entries.length > 0 ? entries[0].facts.quantity : undefined;
  // Counted where the whole collection is here: else what was inscribed is all that is known.
  const counts = collection !== undefined && quantity === items.length ? countTraits(entries) : undefined;
  const title = collection ? short(collection.metadata.name || T.unnamed, 300) : items.length === 1 ? T.oneToken : say(T.tokens, { n: number(items.length) });
  let gallery;
  let last;

  const open = (token, focus) => {
    const place = entries.findIndex((entry) => entry.token === token);
    const foot = [verifiedPart(token), folded(T.limits, T.limitsText), technical(token), make('p', 'keep', saveLink(token, token.content))];
    const { view, title: heading, facts } = tokenView(token, { collection: token === collection || belongsTo(token, collection) ? collection : undefined, counts, collectionLink: single ? undefined : '#', foot });
    const bar = element('bar');
    bar.replaceChildren();
    if (!single) {
      const link = (text, entry, className) => {
        const made = make('a', className, text);
        made.href = entry ? entry.link : '#';
        return made;
      };
      bar.append(link('‹ ' + T.back, undefined, 'back'));
      if (entries[place - 1]) bar.append(link('‹ ' + T.previous, entries[place - 1], 'previous'));
      if (place >= 0 && entries[place + 1]) bar.append(link(T.next + ' ›', entries[place + 1], 'next'));
    }
    main.replaceChildren(view);
    document.title = facts.name + (collection && collection !== token ? ' · ' + short(collection.metadata.name || '', 100) : '');
    scrollTo(0, 0);
    if (focus) heading.focus();
    last = token;
  };
  const overview = (focus) => {
    if (gallery === undefined) {
      const { head, heading } = banner(collection, title, items.length);
      const heights = tokens.map(({ minted }) => minted.block.height);
      const [from, to] = [heights.reduce((a, b) => Math.min(a, b)), heights.reduce((a, b) => Math.max(a, b))];
      const verdict = verdictOf(say(from === to ? T.verifiedBlock : T.verifiedAll, { n: number(items.length), from: number(from), to: number(to) }));
      gallery = { heading, parts: [head, make('section', 'verified', verdict), galleryOf(entries), folded(T.limits, T.limitsText)] };
    }
    element('bar').replaceChildren();
    main.replaceChildren(...gallery.parts);
    document.title = title;
    const from = last && [...main.querySelectorAll('.tile a')].find((link) => link.hash === '#t=' + last.outpoints[0]);
    if (from) from.focus();
    else if (focus) gallery.heading.focus();
  };
  const route = (focus) => {
    const wantedToken = tokens.find(({ outpoints }) => location.hash === '#t=' + outpoints[0]);
    if (wantedToken || single) open(wantedToken || single, focus);
    else overview(focus);
  };
  addEventListener('hashchange', () => route(true));
  route(false);
}

(async () => {
  const verdict = element('verdict');
  element('footer').textContent = T.footerFile;
  verdict.textContent = T.verifying;
  try {
    const bundle = JSON.parse(element('bundle').textContent);
    const tokens = await verify(bundle, async (done, total) => {
      verdict.textContent = say(T.verifyingOf, { done: number(done), total: number(total) });
      await new Promise((resolve) => setTimeout(resolve));
    });
    showNetwork(bundle.network);
    verdict.textContent = T.done;
    verdict.className = 'unseen';
    show(tokens.map(withContent));
  } catch (error) {
    verdict.textContent = say(T.notValid, { why: error instanceof Error ? error.message : T.unreadable });
    verdict.className = 'bad';
  }
  document.body.dataset.done = 'true';
})();
`;
