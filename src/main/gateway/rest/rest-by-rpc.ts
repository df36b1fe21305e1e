import { PlanchetError } from '../../../contract/index.ts';
import type { AskingProgram } from '../../ports/approvals.ts';
import { membersOf } from '../messages/json-text.ts';
import type { RpcCall } from '../messages/message.ts';
import type { RpcDispatcher } from '../rpc/dispatcher.ts';
import { type Reply, type RestsOn, restsOn } from '../rpc/reply.ts';
import { type Coin, coinOf, coinsAsHex, coinsAsJson } from './coins.ts';
import type { Outpoint, RestQuery } from './path.ts';
import {
  bytesAnswer,
  bytesOf,
  insideQuotes,
  jsonAnswer,
  partOf,
  type RestAnswer,
  rangeHeaders,
  readRange,
  resultPieces,
  typed,
  withLine,
} from './response.ts';

/** Most concurrent calls for one REST answer. */
const AHEAD = 16;
/** Attempts if the tip moves between the calls of one answer. */
const ATTEMPTS = 3;

/** The refusal of a request for something that the node does not have. */
interface Missing {
  /** What is missing, if its data was pruned. */
  readonly subject: string;
  readonly error: () => PlanchetError;
}

const missing = (id: string): Missing => ({ subject: id, error: () => new PlanchetError('rest.missing', { id }) });
const missingBlock = (hash: string): Missing => ({
  subject: 'Block',
  error: () => new PlanchetError('rest.block-missing', { hash }),
});

type Query<Kind extends RestQuery['kind']> = RestQuery & { kind: Kind };

export interface ByRpcOptions {
  readonly range: string | undefined;
  readonly signal: AbortSignal;
  /** Who asks; left out for nobody known. */
  readonly program?: AskingProgram | undefined;
}

/** The call whose result answers a query; undefined if one call is not enough. */
export function callOf(query: RestQuery): RpcCall | undefined {
  const one = (method: string, paramsText: string): RpcCall => ({ idText: 'null', method, paramsText });
  if (query.kind === 'plain') return one(query.method, query.params);
  if (query.kind === 'tx') return one('getrawtransaction', `["${query.txid}",${query.extension === 'json'}]`);
  if (query.kind !== 'block') return undefined;
  const verbosity = query.extension !== 'json' ? 0 : query.details ? 2 : 1;
  return one('getblock', `["${query.hash}",${verbosity}]`);
}

/** Answers REST queries through a node's commands, for upstreams without REST paths. */
export class RestByRpc {
  readonly #dispatcher: Pick<RpcDispatcher, 'call'>;

  constructor(dispatcher: Pick<RpcDispatcher, 'call'>) {
    this.#dispatcher = dispatcher;
  }

  /** @throws PlanchetError `rest.*`, with the status and text of a node */
  async answer(query: RestQuery, options: ByRpcOptions): Promise<RestAnswer> {
    switch (query.kind) {
      case 'headers':
        return this.#underOneTip(options, () => this.#headers(query, options));
      case 'utxos':
        return this.#underOneTip(options, (tip) => this.#utxos(query, tip, options));
      default:
        return this.made(query, await this.#call(callOf(query) as RpcCall, options), options);
    }
  }

  /** Makes the answer from the reply to {@link callOf}, with its age if it has one. */
  async made(query: Query<'plain' | 'tx' | 'block'>, reply: Reply, options: ByRpcOptions): Promise<RestAnswer> {
    const made = await this.#made(query, reply, options);
    const answer = { ...made, ...restsOn(reply) };
    if (reply.kind === 'flowing' || reply.age === undefined) return answer;
    return { ...answer, headers: { ...answer.headers, age: String(reply.age) } };
  }

  async #made(query: Query<'plain' | 'tx' | 'block'>, reply: Reply, options: ByRpcOptions): Promise<RestAnswer> {
    if (query.kind === 'plain') return wholeJson(success(reply));
    if (query.kind === 'tx') {
      const found = success(reply, missing(query.txid));
      return query.extension === 'json' ? transaction(found) : serialized(found, query.extension);
    }
    const found = success(reply, missing(query.hash));
    if (query.extension === 'json') return wholeJson(found);
    if (query.extension === 'hex' || options.range === undefined) return serialized(found, query.extension);
    return this.#blockPart(query.hash, found, options);
  }

  /** A range of a block. Only a few pieces of the block are in memory at a time. */
  async #blockPart(hash: string, reply: Reply, options: ByRpcOptions): Promise<RestAnswer> {
    const { source } = reply;
    const rangeOf = (length: number) => readRange(options.range, length);
    if (reply.kind === 'whole') {
      const bytes = Buffer.from(JSON.parse(resultOf(reply.text)) as string, 'hex');
      const part = rangeOf(bytes.length);
      if (part === undefined) return serialized(reply, 'bin');
      const body = bytes.subarray(part.start, part.end);
      return { status: 206, headers: rangeHeaders(part, bytes.length), body, source };
    }
    try {
      const header = await this.#read('getblockheader', `["${hash}",true]`, options);
      const { size } = JSON.parse(header.text) as { size?: unknown };
      // not every node reports the size; without it, the whole block is the answer
      const part = typeof size === 'number' ? rangeOf(size) : undefined;
      if (part === undefined) return serialized(reply, 'bin');
      const body = partOf(bytesOf(insideQuotes(resultPieces(reply))), part);
      const headers = rangeHeaders(part, size as number);
      return { status: 206, headers, body, source, discard: () => reply.discard() };
    } catch (error) {
      reply.discard();
      throw error;
    }
  }

  /** Combines the results of several calls only if all of them rest on the same tip. */
  async #underOneTip(options: ByRpcOptions, make: (tip: string) => Promise<RestAnswer>): Promise<RestAnswer> {
    const tipNow = async () => JSON.parse((await this.#read('getbestblockhash', '[]', options)).text) as string;
    let before = await tipNow();
    for (let attempt = 1; ; attempt++) {
      const answer = await make(before);
      const after = await tipNow();
      if (after === before) return answer;
      if (attempt === ATTEMPTS) throw new PlanchetError('rest.chain-moving');
      before = after;
    }
  }

  async #headers({ count, hash, extended, extension }: Query<'headers'>, options: ByRpcOptions): Promise<RestAnswer> {
    const first = await this.#read('getblockheader', `["${hash}",true]`, options, missingBlock(hash));
    const { height, confirmations } = JSON.parse(first.text) as { height: number; confirmations: number };
    // Some nodes also count confirmations for blocks of dead branches.
    const main =
      confirmations > 0 && JSON.parse((await this.#read('getblockhash', `[${height}]`, options)).text) === hash;
    const many = main ? Math.min(count, confirmations) : 0;
    const level = extension !== 'json' ? 'false' : extended ? '2' : 'true';
    const texts = await inOrder(many, async (index) => {
      const at = index === 0 ? `"${hash}"` : (await this.#read('getblockhash', `[${height + index}]`, options)).text;
      return (await this.#read('getblockheader', `[${at},${level}]`, options)).text;
    });
    if (extension === 'json') return jsonAnswer(`[${texts.join(',')}]`, first.from);
    return bytesAnswer(texts.map((text) => JSON.parse(text) as string).join(''), extension, first.from);
  }

  async #utxos(query: Query<'utxos'>, tip: string, options: ByRpcOptions): Promise<RestAnswer> {
    const { outpoints, checkMempool, extension } = query;
    const header = await this.#read('getblockheader', `["${tip}",true]`, options);
    const { height } = JSON.parse(header.text) as { height: number };
    let { from } = header;
    const coins: (Coin | undefined)[] = await inOrder(outpoints.length, async (index) => {
      const { txid, vout } = outpoints[index] as Outpoint;
      const output = await this.#read('gettxout', `["${txid}",${vout},${checkMempool}]`, options);
      // that an output is unspent rests on less than a header does
      from = output.from;
      return output.text === 'null' ? undefined : coinOf(output.text, height);
    });
    if (extension === 'json') return jsonAnswer(coinsAsJson(height, tip, coins), from);
    return bytesAnswer(coinsAsHex(height, tip, coins), extension, from);
  }

  /** @param missing the refusal if the node does not have what was asked for */
  async #read(method: string, paramsText: string, options: ByRpcOptions, missing?: Missing): Promise<Read> {
    return readAll(success(await this.#call({ idText: 'null', method, paramsText }, options), missing));
  }

  async #call(call: RpcCall, { signal, program }: ByRpcOptions): Promise<Reply> {
    return this.#dispatcher.call(call, signal, undefined, program);
  }
}

/** @throws PlanchetError `rest.*` if the reply is an error */
function success(reply: Reply, missing?: Missing): Reply {
  if (reply.kind === 'flowing' || reply.status === 200) return reply;
  const { error } = JSON.parse(reply.text) as { error: { code: number; message: string } };
  const reason = error.message;
  if (error.code === -5 && missing !== undefined) throw missing.error();
  if (error.code === -28) throw new PlanchetError('rest.node-starting', { reason });
  if (/not available|not found on disk/.test(reason)) {
    throw new PlanchetError('rest.pruned', { subject: missing?.subject ?? '' });
  }
  const { retryAfter } = reply;
  const id =
    reply.status === 429 ? 'rest.share-used' : reply.unreachable === true ? 'rest.unreachable' : 'rest.node-error';
  throw new PlanchetError(id, { reason }, retryAfter === undefined ? {} : { detail: { retryAfter } });
}

/** The REST form contains the block's hash, but no fields that depend on the tip. */
async function transaction(reply: Reply): Promise<RestAnswer> {
  const { text, from } = await readAll(reply);
  const members = membersOf(text);
  for (const name of ['confirmations', 'time', 'blocktime', 'blockheight']) members.delete(name);
  const object = [...members].map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',');
  return jsonAnswer(`{${object}}`, from);
}

function wholeJson(reply: Reply): RestAnswer {
  const { source } = reply;
  if (reply.kind === 'whole') return jsonAnswer(resultOf(reply.text), restsOn(reply));
  const body = withLine(resultPieces(reply));
  return { status: 200, headers: typed('json'), body, source, discard: () => reply.discard() };
}

/** Serialised bytes, which the node returned as hex, in the requested format. */
function serialized(reply: Reply, extension: 'bin' | 'hex'): RestAnswer {
  const { source } = reply;
  if (reply.kind === 'whole') return bytesAnswer(JSON.parse(resultOf(reply.text)) as string, extension, restsOn(reply));
  const digits = insideQuotes(resultPieces(reply));
  const body = extension === 'hex' ? withLine(digits) : bytesOf(digits);
  return { status: 200, headers: typed(extension), body, source, discard: () => reply.discard() };
}

function resultOf(text: string): string {
  return membersOf(text).get('result') ?? 'null';
}

/** A result with where it came from. */
interface Read {
  readonly text: string;
  readonly from: RestsOn;
}

async function readAll(reply: Reply): Promise<Read> {
  const from = restsOn(reply);
  if (reply.kind === 'whole') return { text: resultOf(reply.text), from };
  const pieces: Uint8Array[] = [];
  for await (const piece of reply.pieces) pieces.push(piece);
  return { text: resultOf(Buffer.concat(pieces).toString('utf8')), from };
}

/** Runs `count` tasks, no more than `AHEAD` at once. @returns their results in order */
async function inOrder<T>(count: number, task: (index: number) => Promise<T>): Promise<T[]> {
  const results = new Array<T>(count);
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) {
      const index = next++;
      results[index] = await task(index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(AHEAD, count) }, worker));
  return results;
}
