/** The view of a collection: its banner, and a grid of its tokens that can be searched, filtered by trait and sorted. */
export const GALLERY_SCRIPT = String.raw`
const TILES = 60;
const MOST_VALUES = 100;

/** How many tokens have each trait, and of how many. */
function countTraits(entries) {
  const counts = new Map();
  for (const { facts } of entries) for (const { name, value } of facts.traits) counts.set(name + '\n' + value, (counts.get(name + '\n' + value) || 0) + 1);
  counts.total = entries.length;
  return counts;
}

function banner(collection, title, count) {
  const head = make('div', 'banner');
  const facts = collection && describe(collection);
  if (collection && kindOf(collection) === 'image') {
    const cover = picture(collection, say(T.art, { name: facts.name }), 'large');
    // A picture made as a banner stands across the page.
    cover.addEventListener('load', () => head.classList.toggle('wide', cover.naturalWidth > cover.naturalHeight * 1.7));
    head.append(make('div', 'cover', cover));
  }
  const heading = named('h1', '', title);
  heading.tabIndex = -1;
  const words = make('div', 'label', heading);
  const line = make('p', 'line', make('span', '', count === 1 ? T.oneToken : say(T.tokens, { n: number(count) })));
  if (facts && facts.artist) line.append(named('span', '', say(T.by, { artist: facts.artist })));
  words.append(line);
  if (facts && facts.description) words.append(named('p', 'words', short(facts.description, 10000)));
  if (facts && facts.royalties) {
    const list = make('dl', 'facts');
    pair(list, T.royalties, facts.royalties);
    words.append(list);
  }
  head.append(words);
  return { head, heading };
}

function tile({ token, facts, link }) {
  const anchor = named('a', '', facts.name);
  anchor.href = link;
  const art = make('div', 'art ' + kindOf(token), showSmall(token));
  art.inert = true;
  // A name that ends with the number says it already.
  const place = facts.number === undefined || facts.name.trim().endsWith('#' + facts.number) ? undefined : make('span', 'quiet', '#' + facts.number);
  const made = make('li', 'tile', art, make('div', 'name', anchor, place));
  return made;
}

/** Boxes for the values of each trait, the most frequent first. @param changed called when one is pressed */
function filters(entries, chosen, changed) {
  const byName = new Map();
  for (const { facts } of entries) {
    for (const { name, value } of facts.traits) {
      if (!byName.has(name)) byName.set(name, new Map());
      const values = byName.get(name);
      values.set(value, (values.get(value) || 0) + 1);
    }
  }
  // A trait that each token has with a value of its own, such as a name, is no filter.
  const useful = [...byName].filter(([, values]) => values.size < entries.length || entries.length === 1).slice(0, MOST_TRAITS);
  const boxes = useful.map(([name, values], place) => {
    const group = make('fieldset', '', named('legend', '', short(name, 100)));
    for (const [value, count] of [...values].sort((a, b) => b[1] - a[1]).slice(0, MOST_VALUES)) {
      const box = make('input');
      box.type = 'checkbox';
      box.onchange = () => {
        const set = chosen.get(name) || new Set();
        if (box.checked) set.add(value);
        else set.delete(value);
        if (set.size === 0) chosen.delete(name);
        else chosen.set(name, set);
        changed();
      };
      group.append(make('label', '', box, named('span', '', short(value, 100)), make('span', 'quiet', number(count))));
    }
    const fold = make('details', '', make('summary', '', short(name, 100)), group);
    fold.open = place < 4 && values.size <= 12;
    return fold;
  });
  return boxes;
}

const sorted = {
  number: (a, b) => (a.facts.number ?? Infinity) - (b.facts.number ?? Infinity) || a.place - b.place,
  rank: (a, b) => (a.facts.rank ?? Infinity) - (b.facts.rank ?? Infinity) || a.place - b.place,
  name: (a, b) => a.facts.name.localeCompare(b.facts.name, wanted, { numeric: true }) || a.place - b.place,
};

/**
 * @param entries of {token, facts, link, place}, in their order
 * @returns the grid with its tools
 */
function galleryOf(entries) {
  const chosen = new Map();
  const list = make('ul', 'tiles');
  list.setAttribute('aria-label', say(T.tokens, { n: number(entries.length) }));
  const more = make('button', '');
  more.type = 'button';
  const count = make('p', 'quiet');
  count.setAttribute('role', 'status');
  const search = make('input');
  search.type = 'search';
  search.placeholder = T.searchHint;
  search.setAttribute('aria-label', T.search);
  const sort = make('select');
  sort.setAttribute('aria-label', T.sort);
  for (const key of Object.keys(sorted)) {
    if (key === 'rank' && !entries.some(({ facts }) => facts.rank !== undefined)) continue;
    const option = make('option', '', T.sort + ': ' + T.sorts[key]);
    option.value = key;
    sort.append(option);
  }
  const clear = make('button', 'plain', T.clear);
  clear.type = 'button';
  let shown = [];
  let drawnTiles = 0;
  const next = () => {
    list.append(...shown.slice(drawnTiles, drawnTiles + TILES).map(tile));
    drawnTiles = Math.min(shown.length, drawnTiles + TILES);
    more.hidden = drawnTiles === shown.length;
    more.textContent = say(T.more, { n: number(shown.length - drawnTiles) });
  };
  const fill = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    shown = entries.filter(({ facts, text }) =>
      words.every((word) => text.includes(word) || (word.length > 7 && facts.origin.includes(word))) &&
      [...chosen].every(([name, values]) => facts.traits.some((trait) => trait.name === name && values.has(trait.value))));
    shown.sort(sorted[sort.value]);
    list.replaceChildren();
    drawnTiles = 0;
    next();
    clear.hidden = chosen.size === 0 && search.value === '';
    count.textContent = shown.length === 0 ? T.noTokens : shown.length === entries.length ? '' : say(T.shareOf, { n: number(shown.length), total: number(entries.length) });
  };
  for (const entry of entries) {
    const { facts } = entry;
    entry.text = [facts.name, facts.number === undefined ? '' : '#' + facts.number, facts.rarity || '', facts.artist || '', ...facts.traits.map(({ name, value }) => name + ' ' + value)].join('\n').toLowerCase();
  }
  const boxes = filters(entries, chosen, fill);
  search.oninput = fill;
  sort.onchange = fill;
  more.onclick = next;
  // On paper nobody can ask for more.
  addEventListener('beforeprint', () => {
    while (list.isConnected && drawnTiles < shown.length) next();
  });
  clear.onclick = () => {
    chosen.clear();
    search.value = '';
    for (const box of made.querySelectorAll('input[type=checkbox]')) box.checked = false;
    fill();
    search.focus();
  };
  const tools = make('div', 'tools', search, sort, clear);
  const grid = make('div', 'grid', tools, count, list, more);
  const made = make('div', boxes.length > 0 ? 'gallery filtered' : 'gallery');
  if (boxes.length > 0) {
    const fold = make('details', 'filters', make('summary', '', T.filter), ...boxes);
    fold.open = matchMedia('(min-width: 800px)').matches;
    made.append(fold);
  }
  made.append(grid);
  fill();
  return made;
}
`;
