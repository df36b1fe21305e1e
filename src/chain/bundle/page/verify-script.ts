/**
 * The part of a bundle's page that verifies: it recomputes everything from the data with the browser's own SHA-256. Plain JavaScript that
 * needs nothing else, so that it can be read in the file itself. A change here changes the page's hash: see `page.ts`.
 */
export const VERIFY_SCRIPT = `
/** Ends the verification. @param why a key of the texts' faults, @param id what it is about */
const fail = (why, id) => { throw new Error(say(T.faults[why], { id })); };
const fromHex = (hex) => Uint8Array.from(hex.match(/../g) || [], (pair) => parseInt(pair, 16));
const toHex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
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
    if (at + length > raw.length) fail('cut');
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
  if (at !== raw.length) fail('leftOver');
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
  return fail('notInscribed');
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
  if (index !== 0) fail('shortPath');
  return printed(working);
}

async function readBlock({ hash: named, header: hex, height, coinbase, coinbaseNodes }) {
  const header = fromHex(hex);
  if (header.length !== 80) fail('headerSize');
  const hash = await idOf(header);
  if (hash !== named) fail('header', named);
  const view = new DataView(header.buffer);
  const bits = view.getUint32(72, true);
  const target = BigInt(bits & 0x7fffff) << BigInt(8 * ((bits >>> 24) - 3));
  if (BigInt('0x' + hash) > target) fail('work');
  const root = printed(header.subarray(36, 68));
  const raw = fromHex(coinbase);
  if ((await rootOf(await idOf(raw), 0, coinbaseNodes)) !== root) fail('coinbase');
  const [{ op, data }] = operations(readTransaction(raw).inputs[0].script);
  const written = data === undefined ? op - 80 : data.reduceRight((sum, byte) => sum * 256 + byte, 0);
  if (written !== height) fail('height');
  return { hash, height, root, time: new Date(view.getUint32(68, true) * 1000) };
}

/**
 * Verifies everything that can be verified without a network.
 * @param progress told how many tokens of how many are verified
 */
async function verify(bundle, progress) {
  const blocks = [];
  for (const block of bundle.blocks) blocks.push(await readBlock(block));
  const transactions = new Map();
  for (const { raw: text, block: place, index, nodes } of bundle.transactions) {
    const raw = fromBase64(text);
    const id = await idOf(raw);
    const block = blocks[place] || fail('noBlock');
    if ((await rootOf(id, index, nodes)) !== block.root) fail('path', id);
    transactions.set(id, { ...readTransaction(raw), id, block, index, levels: nodes.length, bytes: raw.length });
  }
  const seen = new Set();
  const origins = new Set();
  const tokens = [];
  for (const token of bundle.tokens) {
    let output;
    let minted;
    let block;
    let before;
    for (const outpoint of token.outpoints) {
      const [id, number] = outpoint.split('_');
      const transaction = transactions.get(id) || fail('noTransaction', id);
      const received = transaction.outputs[number];
      if (!received || received.satoshis !== 1n) fail('notOne', outpoint);
      if (before !== undefined && (number !== '0' || transaction.inputs[0].spent !== before)) fail('notMoved', outpoint);
      output = output || received;
      minted = minted || transaction;
      block = transaction.block;
      before = outpoint;
    }
    if (output === undefined || seen.has(before)) fail('sameOutput');
    seen.add(before);
    if (origins.has(token.outpoints[0])) fail('sameInscription');
    origins.add(token.outpoints[0]);
    const { contentType, content, map } = readInscription(output.script);
    if (toHex(await sha256(content)) !== token.sha256) fail('hash', token.outpoints[0]);
    if (contentType !== token.contentType) fail('type', token.outpoints[0]);
    const metadata = Object.entries(token.metadata);
    if (metadata.length !== map.size || metadata.some(([key, value]) => map.get(key) !== value)) fail('metadata', token.outpoints[0]);
    tokens.push({ ...token, content, bytes: content.length, minted, block, outpoint: before });
    if (tokens.length % 200 === 0) await progress(tokens.length, bundle.tokens.length);
  }
  if (tokens.length === 0) fail('empty');
  return tokens;
}
`;
