/** The view of one token: the work, its label, what verifies it, and everything else folded. */
export const TOKEN_SCRIPT = String.raw`
const named = (tag, className, text) => {
  const made = make(tag, className, text);
  made.dir = 'auto';
  return made;
};
const pair = (list, key, ...value) => list.append(make('dt', '', key), make('dd', '', ...value));

/** A trait as a plate. How many have it is counted where all of the collection is here, else it is what was inscribed. */
function plate(trait, counts) {
  const made = make('li', 'plate', named('span', 'quiet', short(trait.name, 200)), named('b', '', short(trait.value, 500)));
  const counted = counts && counts.get(trait.name + '\n' + trait.value);
  if (counted) made.append(make('span', 'quiet', say(T.shareOf, { n: number(counted), total: number(counts.total) })));
  else if (trait.share > 0 && trait.share <= 1) made.append(make('span', 'quiet', say(T.share, { percent: percent(trait.share) })));
  return made;
}

/** A tree of at most eight leaves with the way from the transaction up to the root lit. */
function tree(levels, index) {
  const depth = Math.min(levels, 3);
  const at = (level, place) => [((place + 0.5) / 2 ** (depth - level)) * 64, 47 - (level / Math.max(depth, 1)) * 40];
  const lines = { faint: '', lit: '' };
  for (let level = 0; level < depth; level++) {
    for (let place = 0; place < 2 ** (depth - level); place++) {
      const on = place === (index % 2 ** depth) >> level;
      lines[on ? 'lit' : 'faint'] += 'M' + at(level, place) + 'L' + at(level + 1, place >> 1);
    }
  }
  return drawn('svg', { viewBox: '0 0 64 54', class: 'tree', 'aria-hidden': 'true' }, drawn('path', { d: lines.faint, class: 'faint' }), drawn('path', { d: lines.lit }), drawn('circle', { cx: at(0, index % 2 ** depth)[0], cy: at(0, 0)[1], r: 4 }), drawn('circle', { cx: 32, cy: depth === 0 ? 47 : 7, r: 4 }));
}

/** What a file proves, drawn from the work to the block. */
function steps(token) {
  const { minted } = token;
  const { block } = minted;
  const [txid, vout] = token.outpoints[0].split('_');
  const thumbnail = ['image', 'model'].includes(kindOf(token)) ? showSmall(token) : icon(kindOf(token) === 'audio' ? 'audio' : 'file');
  const list = make('ol', 'steps');
  list.setAttribute('aria-label', T.steps);
  for (const [mark, title, text, id] of [
    [thumbnail, T.stepArt, say(T.stepArtText, { size: size(token.bytes) }), token.sha256],
    [icon('inscription'), T.stepInscription, say(T.stepInscriptionText, { vout })],
    [icon('transaction'), T.stepTransaction, say(T.stepTransactionText, { size: size(minted.bytes), index: number(minted.index) }), txid],
    [tree(minted.levels, minted.index), T.stepPath, minted.levels === 1 ? T.stepPathOne : say(T.stepPathText, { n: number(minted.levels) })],
    [icon('block'), say(T.stepBlock, { height: number(block.height) }), say(T.stepBlockText, { date: day(block.time) }), block.hash],
  ]) {
    const code = id && make('code', '', shortId(id));
    if (code) code.title = id;
    list.append(make('li', '', make('span', 'mark', mark), make('b', '', title), make('span', 'quiet', text), code));
  }
  return list;
}

function technical(token) {
  const details = make('details', '', make('summary', '', T.details));
  const facts = make('dl', 'proof');
  pair(facts, T.content, short(token.contentType, 100) + ', ' + size(token.bytes));
  for (const [key, value] of [
    [T.sha256, token.sha256],
    [T.inscribedIn, token.outpoints[0]],
    ...token.outpoints.slice(1).map((outpoint) => [T.movedTo, outpoint]),
    [T.block, token.block.hash],
    [T.height, String(token.block.height)],
    [T.time, token.block.time.toISOString()],
  ]) pair(facts, key, make('code', '', value));
  const all = make('dl', 'proof');
  for (const [key, value] of Object.entries(token.metadata).slice(0, 200)) pair(all, short(key, 200), named('code', '', short(value, 2000)));
  details.append(facts, make('h2', '', T.metadata), all);
  return details;
}

function folded(title, text) {
  return make('details', '', make('summary', '', title), make('p', '', text));
}

/**
 * @param context collection (its token), counts (of its traits), collectionLink, foot (elements below the label), save (a link to the bytes)
 */
function tokenView(token, context) {
  const facts = describe(token, isCollection(token) ? undefined : context.collection);
  const title = named('h1', '', facts.name);
  title.tabIndex = -1;
  const stage = make('div', 'stage ' + kindOf(token), showLarge(token, facts.name));
  const label = make('div', 'label', title);
  const line = make('p', 'line');
  if (facts.number !== undefined) line.append(make('span', '', facts.quantity ? say(T.of, { number: number(facts.number), quantity: number(facts.quantity) }) : say(T.number, { number: number(facts.number) })));
  else if (isCollection(token) && facts.quantity) line.append(make('span', '', say(T.collectionOf, { quantity: number(facts.quantity) })));
  if (context.collection && context.collection !== token) {
    const link = named(context.collectionLink ? 'a' : 'span', 'of', short(context.collection.metadata.name || T.collection, 200));
    if (context.collectionLink) link.href = context.collectionLink;
    line.append(link);
  }
  if (facts.artist) line.append(named('span', '', say(T.by, { artist: facts.artist })));
  if (line.children.length > 0) label.append(line);
  if (!context.collection && facts.collectionId) label.append(make('p', 'quiet', say(T.otherCollection, { id: shortId(short(facts.collectionId, 100)) })));
  if (facts.description) label.append(named('p', 'words', short(facts.description, 10000)));
  const side = make('div', 'side');
  const more = make('dl', 'facts');
  if (facts.rarity || facts.rank) pair(more, T.rarity, [facts.rank && say(T.rank, { rank: number(facts.rank) }), facts.rarity && short(facts.rarity, 100)].filter(Boolean).join(' · '));
  if (facts.royalties) pair(more, T.royalties, facts.royalties);
  if (facts.traits.length > 0 && !isCollection(token)) {
    const plates = make('ul', 'plates', ...facts.traits.map((trait) => plate(trait, context.counts)));
    side.append(make('h2', '', T.traits), plates);
  }
  if (more.children.length > 0) (side.children.length > 0 ? side : label).append(more);
  const view = make('article', '', stage, kindOf(token) === 'html' ? make('p', 'quiet note', T.noScripts) : undefined, make('div', side.children.length > 0 ? 'two' : 'one', label, side.children.length > 0 ? side : undefined));
  view.append(...context.foot);
  return { view, title, facts };
}
`;
