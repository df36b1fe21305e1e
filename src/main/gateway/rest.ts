import { ByteReader, ByteWriter, ChainError, displayToHash, fromHex, hashToDisplay } from '../../chain/index.ts';
import { membersOf } from './json-text.ts';
import type { Relay, Reply, Source } from './relay.ts';
import type { RpcCall } from './rpc-message.ts';

const MAX_HEADERS = 2_000;
const MAX_OUTPOINTS = 15;
/** Calls of one REST answer that are under way at once. */
const AHEAD = 16;
/** The height a node gives to outputs of the mempool. */
const MEMPOOL_HEIGHT = 0x7fff_ffff;
const RESULT_HEAD = '{"result":';
const RESULT_TAIL = ',"error":null,"id":null}';

export interface RestAnswer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string | Buffer | AsyncIterable<Uint8Array | string>;
  readonly source: Source;
  discard?(): void;
}

export interface RestRequest {
  readonly body: Buffer;
  readonly range: string | undefined;
  /** Why the caller may not use a command; undefined where it may. */
  mayCall(method: string): string | undefined;
  readonly signal: AbortSignal;
}

export interface RestOptions {
  relay: Pick<Relay, 'call'>;
}

type Extension = 'bin' | 'hex' | 'json';

/** A refusal in the node's words, as text. */
class RestError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * The REST paths of a node (node-rpc.md section 6), made of its RPC commands, so that they work before an upstream that has none, share
 * the cache with RPC and obey what a key may call.
 */
export class Rest {
  readonly #relay: Pick<Relay, 'call'>;

  constructor(options: RestOptions) {
    this.#relay = options.relay;
  }

  async answer(url: string, request: RestRequest): Promise<RestAnswer> {
    try {
      const path = url.split('?', 1)[0] as string;
      return await this.#route(decodeURI(path), request);
    } catch (error) {
      if (error instanceof URIError) return failed(404, 'output format not found (available: .bin, .hex, .json)');
      if (error instanceof RestError) return failed(error.status, error.message);
      throw error;
    }
  }

  #route(path: string, request: RestRequest): Promise<RestAnswer> {
    const dot = path.lastIndexOf('.');
    const [stem, extension] = dot < 0 ? [path, ''] : [path.slice(0, dot), path.slice(dot + 1)];
    const parts = stem.split('/').slice(2);
    const formats = (...allowed: Extension[]): Extension => {
      if (allowed.includes(extension as Extension)) return extension as Extension;
      const list = allowed.map((name) => (allowed.length === 1 ? name : `.${name}`)).join(', ');
      throw new RestError(404, `output format not found (available: ${list})`);
    };
    const [first, second, third, fourth] = parts;
    if (first === 'tx' && parts.length === 2) return this.#tx(second as string, formats('bin', 'hex', 'json'), request);
    if (first === 'block' && second === 'notxdetails' && parts.length === 3) {
      return this.#block(third as string, formats('bin', 'hex', 'json'), 1, request);
    }
    if (first === 'block' && parts.length === 2) {
      return this.#block(second as string, formats('bin', 'hex', 'json'), 2, request);
    }
    if (first === 'headers') {
      const extended = second === 'extended';
      const [count, hash] = extended ? [third, fourth] : [second, third];
      if (parts.length !== (extended ? 4 : 3)) {
        throw new RestError(400, 'No header count specified. Use /rest/headers/<count>/<hash>.<ext>.');
      }
      return this.#headers(count as string, hash as string, formats('bin', 'hex', 'json'), extended, request);
    }
    if (stem === '/rest/chaininfo') return this.#plain('getblockchaininfo', '[]', formats('json'), request);
    if (stem === '/rest/mempool/info') return this.#plain('getmempoolinfo', '[]', formats('json'), request);
    if (stem === '/rest/mempool/contents') return this.#plain('getrawmempool', '[true]', formats('json'), request);
    if (first === 'getutxos') return this.#utxos(parts.slice(1), formats('bin', 'hex', 'json'), request);
    throw new RestError(404, '');
  }

  async #plain(method: string, params: string, _: Extension, request: RestRequest): Promise<RestAnswer> {
    return this.#json(await this.#call(method, params, request));
  }

  async #tx(hash: string, extension: Extension, request: RestRequest): Promise<RestAnswer> {
    const txid = hashOf(hash);
    const verbose = extension === 'json';
    const reply = await this.#call('getrawtransaction', `["${txid}",${verbose}]`, request, `${txid} not found`);
    if (!verbose) return binary(reply, extension, undefined);
    const { text, source } = await readAll(reply);
    // the REST form tells the block, but nothing that depends on it
    const members = membersOf(text);
    for (const name of ['confirmations', 'time', 'blocktime', 'blockheight']) members.delete(name);
    const object = [...members].map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',');
    return { status: 200, headers: json, body: `{${object}}\n`, source };
  }

  async #block(hash: string, extension: Extension, verbosity: 1 | 2, request: RestRequest): Promise<RestAnswer> {
    const block = hashOf(hash);
    const level = extension === 'json' ? verbosity : 0;
    const reply = await this.#call('getblock', `["${block}",${level}]`, request, `${block} not found`);
    if (extension === 'json') return this.#json(reply);
    return binary(reply, extension, extension === 'bin' ? request.range : undefined);
  }

  async #headers(
    countText: string,
    hash: string,
    extension: Extension,
    extended: boolean,
    request: RestRequest,
  ): Promise<RestAnswer> {
    const count = /^\d{1,6}$/.test(countText) ? Number(countText) : 0;
    if (count < 1 || count > MAX_HEADERS) throw new RestError(400, `Header count out of range: ${countText}`);
    const first = hashOf(hash);
    const notFound = `Block not found: ${first}`;
    const reply = await readAll(await this.#call('getblockheader', `["${first}",true]`, request, notFound, 400));
    const { height, confirmations } = JSON.parse(reply.text) as { height: number; confirmations: number };
    const many = Math.max(0, Math.min(count, confirmations));
    const level = extension !== 'json' ? 'false' : extended ? '2' : 'true';
    const one = async (index: number): Promise<string> => {
      const at = index === 0 ? `"${first}"` : (await this.#read('getblockhash', `[${height + index}]`, request)).text;
      return (await this.#read('getblockheader', `[${at},${level}]`, request)).text;
    };
    const texts = await inOrder(many, AHEAD, one);
    const { source } = reply;
    if (extension === 'json') return { status: 200, headers: json, body: `[${texts.join(',')}]\n`, source };
    const hex = texts.map((text) => JSON.parse(text) as string).join('');
    return extension === 'hex'
      ? { status: 200, headers: plainText, body: `${hex}\n`, source }
      : { status: 200, headers: octets, body: Buffer.from(hex, 'hex'), source };
  }

  async #utxos(parts: readonly string[], extension: Extension, request: RestRequest): Promise<RestAnswer> {
    const inUri = parts.filter((part) => part !== '');
    const posted = request.body.length > 0;
    if (inUri.length === 0 && !posted) throw new RestError(400, 'Error: empty request');
    let checkMempool = inUri[0] === 'checkmempool';
    let outpoints = inUri.slice(checkMempool ? 1 : 0).map(outpointOf);
    if (posted) {
      if (outpoints.length > 0) {
        throw new RestError(400, 'Combination of URI scheme inputs and raw post data is not allowed');
      }
      if (extension === 'json') throw new RestError(400, 'Error: empty request');
      ({ checkMempool, outpoints } = postedOutpoints(request.body, extension));
    }
    if (outpoints.length === 0) throw new RestError(400, 'Error: empty request');
    if (outpoints.length > MAX_OUTPOINTS) {
      throw new RestError(400, `Error: max outpoints exceeded (max: ${MAX_OUTPOINTS}, tried: ${outpoints.length})`);
    }
    const tip = JSON.parse((await this.#read('getbestblockhash', '[]', request)).text) as string;
    const header = await this.#read('getblockheader', `["${tip}",true]`, request);
    const { height } = JSON.parse(header.text) as { height: number };
    const coins = await inOrder(outpoints.length, AHEAD, async (index) => {
      const { txid, vout } = outpoints[index] as Outpoint;
      const { text } = await this.#read('gettxout', `["${txid}",${vout},${checkMempool}]`, request);
      return text === 'null' ? undefined : coinOf(text, height);
    });
    const { source } = header;
    if (extension === 'json') {
      const bitmap = coins.map((coin) => (coin === undefined ? '0' : '1')).join('');
      const utxos = coins
        .filter((coin) => coin !== undefined)
        .map(({ at, value, script }) => `{"height":${at},"value":${value},"scriptPubKey":${script}}`);
      const body = `{"chainHeight":${height},"chaintipHash":"${tip}","bitmap":"${bitmap}","utxos":[${utxos.join(',')}]}\n`;
      return { status: 200, headers: json, body, source };
    }
    const bytes = Buffer.from(serializedCoins(height, tip, coins));
    return extension === 'hex'
      ? { status: 200, headers: plainText, body: `${bytes.toString('hex')}\n`, source }
      : { status: 200, headers: octets, body: bytes, source };
  }

  #json(reply: Reply): RestAnswer {
    const { source } = reply;
    if (reply.kind === 'whole') return { status: 200, headers: json, body: `${resultOf(reply.text)}\n`, source };
    return { status: 200, headers: json, body: withLine(resultPieces(reply)), source, discard: () => reply.discard() };
  }

  async #read(method: string, params: string, request: RestRequest): Promise<{ text: string; source: Source }> {
    return readAll(await this.#call(method, params, request));
  }

  /** @param notFound what to say where the node does not know what was asked for */
  async #call(
    method: string,
    paramsText: string,
    request: RestRequest,
    notFound?: string,
    notFoundStatus = 404,
  ): Promise<Reply> {
    const forbidden = request.mayCall(method);
    if (forbidden !== undefined) throw new RestError(403, forbidden);
    const call: RpcCall = { idText: 'null', method, paramsText };
    const reply = await this.#relay.call(call, () => request.signal);
    if (reply.kind === 'flowing' || reply.status === 200) return reply;
    const { error } = JSON.parse(reply.text) as { error: { code: number; message: string } };
    if (error.code === -5 && notFound !== undefined) throw new RestError(notFoundStatus, notFound);
    if (error.code === -28) throw new RestError(503, `Service temporarily unavailable: ${error.message}`);
    if (/not available|not found on disk/.test(error.message)) {
      const [subject] = notFound?.split(' ') ?? [''];
      throw new RestError(404, `${subject} not available (pruned data)`);
    }
    throw new RestError(reply.unreachable === true ? 503 : 500, error.message);
  }
}

const json = { 'content-type': 'application/json' };
const plainText = { 'content-type': 'text/plain' };
const octets = { 'content-type': 'application/octet-stream' };

function failed(status: number, message: string): RestAnswer {
  return { status, headers: plainText, body: message === '' ? '' : `${message}\r\n`, source: 'local' };
}

function hashOf(text: string): string {
  if (/^[0-9a-fA-F]{64}$/.test(text)) return text.toLowerCase();
  throw new RestError(400, `Invalid hash: ${text}`);
}

interface Outpoint {
  readonly txid: string;
  readonly vout: number;
}

function outpointOf(text: string): Outpoint {
  const match = /^([0-9a-fA-F]{64})-(\d{1,10})$/.exec(text);
  const vout = Number(match?.[2] ?? -1);
  if (match === null || vout > 0xffff_ffff) throw new RestError(400, 'Parse error');
  return { txid: (match[1] as string).toLowerCase(), vout };
}

/** The posted form: whether to look at the mempool, and the outpoints, as a node serialises them. */
function postedOutpoints(body: Buffer, extension: Extension): { checkMempool: boolean; outpoints: Outpoint[] } {
  try {
    const bytes = extension === 'hex' ? fromHex(body.toString('latin1').trim().toLowerCase()) : body;
    const reader = new ByteReader(new Uint8Array(bytes), 'tx-malformed');
    const checkMempool = (reader.bytes(1)[0] as number) !== 0;
    const outpoints: Outpoint[] = [];
    for (let left = reader.count(36); left > 0; left--) {
      outpoints.push({ txid: hashToDisplay(reader.bytes(32)), vout: reader.u32le() });
    }
    reader.end();
    return { checkMempool, outpoints };
  } catch (error) {
    if (error instanceof ChainError) throw new RestError(400, 'Parse error');
    throw error;
  }
}

interface Coin {
  readonly at: number;
  /** As the node writes it. */
  readonly value: string;
  readonly script: string;
}

function coinOf(text: string, height: number): Coin {
  const members = membersOf(text);
  const confirmations = Number(members.get('confirmations'));
  return {
    at: confirmations === 0 ? MEMPOOL_HEIGHT : height - confirmations + 1,
    value: members.get('value') ?? '0.00000000',
    script: members.get('scriptPubKey') ?? '{}',
  };
}

function serializedCoins(height: number, tip: string, coins: readonly (Coin | undefined)[]): Uint8Array {
  const writer = new ByteWriter();
  writer.u32le(height);
  writer.bytes(displayToHash(tip));
  const bitmap = new Uint8Array(Math.ceil(coins.length / 8));
  coins.forEach((coin, at) => {
    if (coin !== undefined) bitmap[at >> 3] = (bitmap[at >> 3] as number) | (1 << (at & 7));
  });
  writer.varBytes(bitmap);
  const found = coins.filter((coin) => coin !== undefined);
  writer.varint(found.length);
  for (const { at, value, script } of found) {
    // a version the node no longer keeps
    writer.u32le(0);
    writer.u32le(at);
    writer.u64le(satoshisOf(value));
    writer.varBytes(fromHex((JSON.parse(script) as { hex: string }).hex));
  }
  return writer.done();
}

/** Satoshis of an amount in BSV, by its digits: a fraction of binary numbers would lose some. */
function satoshisOf(value: string): number {
  const [bsv = '0', fraction = ''] = value.split('.');
  return Number(bsv) * 100_000_000 + Number(fraction.padEnd(8, '0').slice(0, 8));
}

function resultOf(text: string): string {
  return membersOf(text).get('result') ?? 'null';
}

async function readAll(reply: Reply): Promise<{ text: string; source: Source }> {
  const { source } = reply;
  if (reply.kind === 'whole') return { text: resultOf(reply.text), source };
  const pieces: Uint8Array[] = [];
  for await (const piece of reply.pieces) pieces.push(piece);
  return { text: resultOf(Buffer.concat(pieces).toString('utf8')), source };
}

/** Serialised bytes that the node told as hex, in the form that was asked for. */
function binary(reply: Reply, extension: Extension, range: string | undefined): RestAnswer {
  const { source } = reply;
  if (reply.kind === 'whole') {
    const hex = JSON.parse(resultOf(reply.text)) as string;
    if (extension === 'hex') return { status: 200, headers: plainText, body: `${hex}\n`, source };
    return ranged(Buffer.from(hex, 'hex'), range, source);
  }
  const discard = (): void => reply.discard();
  const digits = insideQuotes(resultPieces(reply));
  if (extension === 'hex') return { status: 200, headers: plainText, body: withLine(digits), source, discard };
  return { status: 200, headers: octets, body: bytesOf(digits), source, discard };
}

function ranged(bytes: Buffer, range: string | undefined, source: Source): RestAnswer {
  const match = /^bytes=(\d+)-(\d*)$/.exec(range ?? '');
  if (match === null) return { status: 200, headers: octets, body: bytes, source };
  const from = Number(match[1]);
  const to = Math.min(match[2] === '' ? bytes.length - 1 : Number(match[2]), bytes.length - 1);
  if (from > to) throw new RestError(416, 'Invalid range');
  const headers = { ...octets, 'content-range': `bytes ${from}-${to}/${bytes.length}` };
  return { status: 206, headers, body: bytes.subarray(from, to + 1), source };
}

/** The result of an answer that flows, without what stands around it. */
async function* resultPieces(reply: Reply & { kind: 'flowing' }): AsyncGenerator<Buffer> {
  let held = Buffer.alloc(0);
  let begun = false;
  for await (const piece of reply.pieces) {
    held = Buffer.concat([held, piece]);
    if (!begun) {
      if (held.length < RESULT_HEAD.length) continue;
      if (held.toString('latin1', 0, RESULT_HEAD.length) !== RESULT_HEAD) throw unreadable();
      held = held.subarray(RESULT_HEAD.length);
      begun = true;
    }
    // a line end may follow
    const ready = held.length - RESULT_TAIL.length - 1;
    if (ready <= 0) continue;
    yield held.subarray(0, ready);
    held = held.subarray(ready);
  }
  const end = held.toString('latin1').trimEnd();
  if (!end.endsWith(RESULT_TAIL)) throw unreadable();
  yield held.subarray(0, end.length - RESULT_TAIL.length);
}

function unreadable(): Error {
  return new Error('the upstream’s answer has another form than a node’s');
}

async function* insideQuotes(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    const from = piece[0] === 0x22 ? 1 : 0;
    const to = piece.at(-1) === 0x22 ? piece.length - 1 : piece.length;
    if (to > from) yield piece.subarray(from, to);
  }
}

async function* withLine(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield* pieces;
  yield Buffer.from('\n');
}

async function* bytesOf(digits: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let odd = '';
  for await (const piece of digits) {
    const text = odd + piece.toString('latin1');
    const even = text.length - (text.length % 2);
    odd = text.slice(even);
    yield Buffer.from(text.slice(0, even), 'hex');
  }
}

/** Runs `count` tasks, no more than `ahead` at once. @returns their results in order */
async function inOrder<T>(count: number, ahead: number, task: (index: number) => Promise<T>): Promise<T[]> {
  const results = new Array<T>(count);
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) {
      const index = next++;
      results[index] = await task(index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(ahead, count) }, worker));
  return results;
}
