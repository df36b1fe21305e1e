/**
 * The program of a bundle's page: it verifies the data with the browser's own SHA-256 and shows the tokens. Plain JavaScript that needs
 * nothing else, so that it can be read in the file itself. A change here changes the page's hash: see `page.ts`.
 */
export const PAGE_SCRIPT = String.raw`'use strict';
const element = (id) => document.getElementById(id);
const make = (tag, text, className) => {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
};
const fail = (why) => { throw new Error(why); };
const fromHex = (hex) => Uint8Array.from(hex.match(/../g) || [], (pair) => parseInt(pair, 16));
const toHex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
const fromBase64 = (text) => Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
const sha256 = async (bytes) => new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
const sha256d = async (bytes) => sha256(await sha256(bytes));
// Ids and hashes are printed with their bytes reversed.
const printed = (hash) => toHex(hash.slice().reverse());
const idOf = async (bytes) => printed(await sha256d(bytes));

function readTransaction(raw) {
  const view = new DataView(raw.buffer, raw.byteOffset, raw.byteLength);
  let at = 4;
  const take = (length) => {
    if (at + length > raw.length) fail('A transaction is cut off.');
    at += length;
    return raw.subarray(at - length, at);
  };
  const count = () => {
    const first = take(1)[0];
    if (first < 253) return first;
    const start = at;
    take(first === 253 ? 2 : first === 254 ? 4 : 8);
    if (first === 253) return view.getUint16(start, true);
    return first === 254 ? view.getUint32(start, true) : Number(view.getBigUint64(start, true));
  };
  const inputs = Array.from({ length: count() }, () => {
    const spent = printed(take(32)) + '_' + view.getUint32((take(4), at - 4), true);
    const script = take(count());
    take(4);
    return { spent, script };
  });
  const outputs = Array.from({ length: count() }, () => {
    const satoshis = view.getBigUint64((take(8), at - 8), true);
    return { satoshis, script: take(count()) };
  });
  take(4);
  if (at !== raw.length) fail('A transaction has bytes left over.');
  return { inputs, outputs };
}

/** The operations of a script up to a push that is cut off: each with the data it pushes, if it does. */
function* operations(script) {
  for (let at = 0; at < script.length; ) {
    const op = script[at++];
    if (op > 78) { yield { op }; continue; }
    const sizeBytes = op < 76 ? 0 : 2 ** (op - 76);
    let length = sizeBytes === 0 ? op : 0;
    for (let i = sizeBytes - 1; i >= 0; i--) length = length * 256 + script[at + i];
    at += sizeBytes;
    if (!(at + length <= script.length)) return;
    yield { op, data: script.subarray(at, at + length) };
    at += length;
  }
}

/** The content type, content and metadata of the first inscription in a script: OP_FALSE OP_IF "ord" 1 type 0 content OP_ENDIF. */
function readInscription(script) {
  let matched = 0;
  let fields;
  let key;
  const rest = operations(script);
  for (let step = rest.next(); !step.done; step = rest.next()) {
    const { op, data } = step.value;
    if (fields === undefined) {
      const isTag = matched === 2 && data !== undefined && utf8.decode(data) === 'ord';
      if (isTag) fields = new Map();
      matched = op === 0 ? 1 : op === 99 && matched === 1 ? 2 : 0;
    } else if (op === 104) {
      return { contentType: utf8.decode(fields.get(1) || new Uint8Array()), content: fields.get(0) || new Uint8Array(), map: readMap(rest) };
    } else if (key === undefined) key = data === undefined ? op - 80 : data.length === 0 ? 0 : data[0];
    else {
      if (!fields.has(key)) fields.set(key, data || new Uint8Array());
      key = undefined;
    }
  }
  return fail('Nothing is inscribed in an output that should carry a token.');
}

/** The pairs that MAP sets after the first OP_RETURN outside conditionals. The last of equal keys counts. */
function readMap(rest) {
  const pairs = new Map();
  let depth = 0;
  let count = 0;
  let part;
  for (let step = rest.next(); !step.done && pairs.size < 1000; step = rest.next()) {
    const { op, data } = step.value;
    if (part === undefined) {
      if (op === 106 && depth === 0) part = [];
      else if (++count === 20000) break;
      else if (op === 99 || op === 100) depth += 1;
      else if (op === 104) depth -= 1;
      continue;
    }
    const text = data && utf8.decode(data);
    if (text === '|') part = [];
    else if (part.length < 2) part.push(text || '');
    else if (part[0] === '1PuQa7K62MiKCtssSLKy1kh56WWU7MtUR5' && part[1] === 'SET') {
      const { value } = rest.next();
      if (text !== undefined && value !== undefined && value.data !== undefined) pairs.set(text, utf8.decode(value.data));
    }
  }
  return pairs;
}

/** Follows a Merkle path from a transaction's id to the root. */
async function rootOf(id, index, nodes) {
  let working = fromHex(id).reverse();
  for (const node of nodes) {
    const sibling = node === '*' ? working : fromHex(node).reverse();
    const pair = new Uint8Array(64);
    pair.set(index % 2 === 0 ? working : sibling);
    pair.set(index % 2 === 0 ? sibling : working, 32);
    working = await sha256d(pair);
    index = Math.floor(index / 2);
  }
  if (index !== 0) fail('A Merkle path is too short for the place of its transaction.');
  return printed(working);
}

async function readBlock({ hash: named, header: hex, height, coinbase, coinbaseNodes }) {
  const header = fromHex(hex);
  if (header.length !== 80) fail('A header does not have 80 bytes.');
  const hash = await idOf(header);
  if (hash !== named) fail('A header is not that of the block ' + named + '.');
  const view = new DataView(header.buffer);
  const bits = view.getUint32(72, true);
  const target = BigInt(bits & 0x7fffff) << BigInt(8 * ((bits >>> 24) - 3));
  if (BigInt('0x' + hash) > target) fail('The header of a block does not show the work it asks for.');
  const root = printed(header.subarray(36, 68));
  const raw = fromHex(coinbase);
  if ((await rootOf(await idOf(raw), 0, coinbaseNodes)) !== root) fail('The first transaction of a block is another one.');
  const [{ op, data }] = operations(readTransaction(raw).inputs[0].script);
  const written = data === undefined ? op - 80 : data.reduceRight((sum, byte) => sum * 256 + byte, 0);
  if (written !== height) fail('The height of a block is another one.');
  return { hash, height, root, time: new Date(view.getUint32(68, true) * 1000) };
}

/** Verifies everything that can be verified without a network. */
async function verify(bundle) {
  const blocks = [];
  for (const block of bundle.blocks) blocks.push(await readBlock(block));
  const transactions = new Map();
  for (const { raw: text, block: place, index, nodes } of bundle.transactions) {
    const raw = fromBase64(text);
    const id = await idOf(raw);
    const block = blocks[place] || fail('The block of a transaction is missing.');
    if ((await rootOf(id, index, nodes)) !== block.root) fail('The Merkle path of ' + id + ' does not lead to its block.');
    transactions.set(id, { ...readTransaction(raw), block });
  }
  const seen = new Set();
  const origins = new Set();
  const tokens = [];
  for (const token of bundle.tokens) {
    let output;
    let block;
    let before;
    for (const outpoint of token.outpoints) {
      const [id, number] = outpoint.split('_');
      const transaction = transactions.get(id) || fail('The transaction ' + id + ' is missing.');
      const received = transaction.outputs[number];
      if (!received || received.satoshis !== 1n) fail('The output ' + outpoint + ' does not hold one satoshi.');
      if (before !== undefined && (number !== '0' || transaction.inputs[0].spent !== before)) fail('A token was not moved to ' + outpoint + '.');
      output = output || received;
      block = transaction.block;
      before = outpoint;
    }
    if (output === undefined || seen.has(before)) fail('Two tokens have the same output.');
    seen.add(before);
    if (origins.has(token.outpoints[0])) fail('Two tokens have the same inscription.');
    origins.add(token.outpoints[0]);
    const { contentType, content, map } = readInscription(output.script);
    if (toHex(await sha256(content)) !== token.sha256) fail('The content inscribed in ' + token.outpoints[0] + ' has another hash.');
    if (contentType !== token.contentType) fail('The content inscribed in ' + token.outpoints[0] + ' has another type.');
    const metadata = Object.entries(token.metadata);
    if (metadata.length !== map.size || metadata.some(([key, value]) => map.get(key) !== value)) fail('The metadata inscribed in ' + token.outpoints[0] + ' is different.');
    tokens.push({ ...token, content, block, outpoint: before });
  }
  if (tokens.length === 0) fail('The file holds no token.');
  return tokens;
}

/** Content of others: pictures run no script, text stays text, pages stand in a frame without rights. */
function show({ contentType, content, metadata }) {
  const type = contentType.split(';')[0].trim().toLowerCase();
  const url = () => URL.createObjectURL(new Blob([content], { type }));
  if (type.startsWith('image/')) {
    const image = make('img');
    image.alt = metadata.name || 'The content of the token';
    image.loading = 'lazy';
    image.src = url();
    return image;
  }
  if (type.startsWith('audio/') || type.startsWith('video/')) {
    const player = make(type.slice(0, 5));
    player.controls = true;
    player.src = url();
    return player;
  }
  if (type === 'text/html') {
    const frame = make('iframe');
    frame.setAttribute('sandbox', '');
    frame.title = metadata.name || 'The content of the token';
    frame.srcdoc = utf8.decode(content);
    return frame;
  }
  if (type.startsWith('text/') || type === 'application/json') return make('pre', utf8.decode(content.subarray(0, 20000)));
  return make('p', content.length.toLocaleString('en') + ' bytes of ' + contentType, 'quiet');
}

function card(token) {
  const made = make('article');
  const art = make('div', undefined, 'art');
  art.append(show(token));
  made.append(art, make('h2', token.metadata.name || 'Without a name'));
  const facts = make('dl');
  const hidden = ['name', 'app', 'type', 'subType', 'subTypeData'];
  const traits = Object.entries(token.metadata).filter(([key, value]) => !hidden.includes(key) && value !== '');
  for (const [key, value] of traits) facts.append(make('dt', key), make('dd', value));
  made.append(facts);
  const details = make('details');
  details.append(make('summary', 'Proof'));
  const proof = make('dl', undefined, 'proof');
  for (const [key, value] of [
    ['Content', token.contentType + ', ' + token.content.length.toLocaleString('en') + ' bytes'],
    ['SHA-256', token.sha256],
    ['Inscribed in', token.outpoints[0]],
    ...token.outpoints.slice(1).map((outpoint) => ['Moved to', outpoint]),
    ['Block', token.block.hash],
    ['Height', String(token.block.height)],
    ['Time', token.block.time.toISOString()],
  ]) proof.append(make('dt', key), make('dd', value));
  const save = make('a', 'Save the content');
  save.download = (token.metadata.name || 'token').replace(/[^\w. -]/g, '_');
  save.href = URL.createObjectURL(new Blob([token.content], { type: 'application/octet-stream' }));
  details.append(proof, save);
  made.append(details);
  return made;
}

const PAGE = 60;
function wall(tokens) {
  const more = element('more');
  let shown = 0;
  const next = () => {
    element('tokens').append(...tokens.slice(shown, shown + PAGE).map(card));
    shown = Math.min(tokens.length, shown + PAGE);
    more.hidden = shown === tokens.length;
    more.textContent = 'Show more: ' + (tokens.length - shown) + ' left';
  };
  more.onclick = next;
  next();
}

(async () => {
  const verdict = element('verdict');
  try {
    const bundle = JSON.parse(element('bundle').textContent);
    const tokens = await verify(bundle);
    const names = { sandbox: 'Sandbox (tokens without value)', test: 'Test network', main: 'Main network' };
    element('network').textContent = names[bundle.network] || bundle.network;
    const cover = tokens.find(({ metadata }) => metadata.subType === 'collection') || tokens[0];
    const title = cover.metadata.name || 'Tokens';
    document.title = title + ' · proof bundle';
    element('title').textContent = title;
    element('count').textContent = tokens.length === 1 ? '1 token' : tokens.length.toLocaleString('en') + ' tokens';
    verdict.textContent = 'Verified: the content, the transactions and the blocks in this file belong together.';
    verdict.className = 'good';
    element('limits').hidden = false;
    wall(tokens);
  } catch (error) {
    verdict.textContent = 'Not valid. ' + (error instanceof Error ? error.message : 'The data cannot be read.');
    verdict.className = 'bad';
  }
  document.body.dataset.done = 'true';
})();
`;
