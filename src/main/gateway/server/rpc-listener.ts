import { setImmediate } from 'node:timers/promises';
import type { JsonFault, JsonScan } from '../../json-scan.ts';
import { pause } from '../../pause.ts';
import type { AskingProgram } from '../../ports/approvals.ts';
import {
  errorReply,
  type RpcBody,
  type RpcCall,
  type RpcRequest,
  readBody,
  readRequest,
  readText,
  refusedBody,
  rpcCodes,
  statusOf,
  textOf,
} from '../messages/message.ts';
import { readPlainBody } from '../messages/plain-body.ts';
import { dependsOnTip, findBroadcastMethod } from '../methods/method-registry.ts';
import type { TrafficLog } from '../metrics/traffic.ts';
import type { RpcDispatcher } from '../rpc/dispatcher.ts';
import { basisOf, LONGEST_REASON, type Reply, type WholeReply, whole } from '../rpc/reply.ts';
import { MAX_PLAIN_BYTES } from '../tuning.ts';
import { type Client, tooOften } from './api-key-store.ts';
import type { ReplySink } from './reply-sink.ts';

/** Most concurrent calls of one batch. Their answers are sent in order. */
const BATCH_AHEAD = 16;
/** Characters of a batch's answer to collect before it is sent. Up to here, all answers are guaranteed to rest on one tip. */
const FIRST_LENGTH = 1024 * 1024;
/** The same after the first part was sent. */
const PIECE_LENGTH = 64 * 1024;
/** Calls of a batch between two checks of the time; see {@link pause}. */
const CALLS_PER_PAUSE = 8;
/** Attempts to answer the calls of a batch again because the tip moved. */
const ATTEMPTS = 3;

export interface RpcListenerOptions {
  dispatcher: RpcDispatcher;
  traffic: TrafficLog;
  /** Merchant API address for the refusal of commands that send. */
  mapiUrl: () => string;
  /** Whether the gateway sends transactions itself. */
  broadcasts?: (() => boolean) | undefined;
  batchCalls: number;
}

/** Answers the bodies of JSON-RPC requests, single calls and batches, for authenticated clients. */
export class RpcListener {
  readonly #options: RpcListenerOptions;

  constructor(options: RpcListenerOptions) {
    this.#options = options;
  }

  /**
   * Answers a body. The sink's `finished` is called once, perhaps before this returns.
   * @param body if a string, one character per byte
   */
  answer(body: Buffer | string, client: Client, sink: ReplySink): void {
    this.#answerRead(this.#read(body), client, sink);
  }

  /**
   * Answers a large body that a scan has accepted, in several turns of the event loop, because each step copies megabytes.
   * @param scan the scan that checked the body
   */
  async answerScanned(body: Buffer, scan: JsonScan, client: Client, sink: ReplySink): Promise<void> {
    if (body.length <= MAX_PLAIN_BYTES) return this.answer(body, client, sink);
    await setImmediate();
    const text = textOf(body, scan);
    await setImmediate();
    const read = readText(text, this.#options.mapiUrl, this.#options.broadcasts);
    await setImmediate();
    this.#answerRead(read, client, sink);
  }

  /** Answers a body whose reading stopped because of a fault. */
  refuse(fault: JsonFault, client: Client, sink: ReplySink): void {
    this.#answerRead(refusedBody(fault, this.#options.batchCalls), client, sink);
  }

  #answerRead(read: RpcBody, client: Client, sink: ReplySink): void {
    if ('single' in read) {
      this.#answerOne(read.single, client, sink);
      return;
    }
    const { batchCalls } = this.#options;
    if (read.batch.length > batchCalls) {
      const message = `Invalid Request object: a batch may hold at most ${batchCalls} calls`;
      const reply = refused({ idText: 'null', code: rpcCodes.invalidRequest, message });
      const figures = { source: 'refused' as const, started: performance.now(), bytes: 0, status: reply.status };
      this.#options.traffic.record(client.name, '', '', { ...figures, reason: message });
      send(reply, sink);
      return;
    }
    this.#answerBatch(read.batch, client, sink).then(() => sink.finished(), sink.finished);
  }

  #read(body: Buffer | string): RpcBody {
    if (typeof body === 'string') return readPlainBody(body) ?? readBody(Buffer.from(body, 'latin1'), this.#options);
    const plain = body.length > MAX_PLAIN_BYTES ? undefined : readPlainBody(body.toString('latin1'));
    return plain ?? readBody(body, this.#options);
  }

  #answerOne(request: RpcRequest, client: Client, sink: ReplySink): void {
    const started = performance.now();
    const refusal = this.#refusal(request, client, started);
    if (refusal !== undefined || !('call' in request)) {
      send(refusal as Reply, sink);
      return;
    }
    const { call } = request;
    const { dispatcher } = this.#options;
    const known = dispatcher.lookUp(call);
    if (known.kind !== 'unanswered') {
      send(this.#record(known, call, client, started), sink);
      return;
    }
    const listener = {
      onReply: (reply: Reply) => send(this.#record(reply, call, client, started), sink),
      onError: sink.finished,
    };
    const pending = dispatcher.request(call, known, listener, programOf(client));
    sink.cancelOnClose(pending);
  }

  async #answerBatch(batch: readonly (string | RpcRequest)[], client: Client, sink: ReplySink): Promise<void> {
    const ahead: Begun[] = [];
    const controller = new AbortController();
    const { signal } = controller;
    sink.cancelOnClose({ cancel: () => controller.abort() });
    let started = 0;
    /** The call begun last sends. */
    let sends = false;
    let next: RpcRequest | undefined;
    const readNext = (): RpcRequest => {
      const one = batch[started] as string | RpcRequest;
      next ??= typeof one === 'string' ? readRequest(one, this.#options.mapiUrl, this.#options.broadcasts) : one;
      return next;
    };
    /** Like on a node, a call that sends begins when those before it are answered, and those after it when it is answered. */
    const mayBegin = (): boolean => {
      if (started === batch.length || ahead.length === 0) return started < batch.length;
      return !sends && ahead.length < BATCH_AHEAD && !isSending(readNext());
    };
    const begin = (): void => {
      const request = readNext();
      next = undefined;
      sends = isSending(request);
      const free = started === 0 || client.take();
      started += 1;
      const inTime = free || !('call' in request);
      const reply = inTime ? this.#reply(request, client, signal) : this.#late(request.call, client);
      // The rejection is handled where it is awaited; nothing awaits it if the client leaves before.
      if (reply instanceof Promise) reply.catch(() => {});
      ahead.push({ request: inTime ? request : undefined, reply });
    };
    try {
      // Small answers are sent in one piece, with one tip and the age of the oldest answer.
      const gathered = new Gathered(this.#options.dispatcher.generation);
      let begun = false;
      const take = async (): Promise<string> => {
        if (!begun) {
          await this.#underOneTip(gathered, client, signal);
          sink.begin(gathered.age);
        }
        const text = gathered.text(begun ? ',' : '[');
        begun = true;
        return text;
      };
      for (let index = 0; index < batch.length; index++) {
        while (mayBegin()) begin();
        const turn = index % CALLS_PER_PAUSE === 0 ? pause() : undefined;
        if (turn !== undefined) await turn;
        const { request, reply: pending } = ahead.shift() as Begun;
        const reply = pending instanceof Promise ? await pending : pending;
        gathered.add(request, reply);
        if (reply.kind === 'flowing' || gathered.length > (begun ? PIECE_LENGTH : FIRST_LENGTH)) {
          await sink.write(await take());
        }
        if (reply.kind === 'flowing') for await (const piece of reply.pieces) await sink.write(piece);
      }
      const last = await take();
      sink.end(`${last}]\n`, gathered.ascii);
    } catch (error) {
      for (const left of ahead) {
        void Promise.resolve(left.reply).then(
          (reply) => reply.kind === 'flowing' && reply.discard(),
          () => {},
        );
      }
      throw error;
    }
  }

  /** Answers calls again if a block arrived meanwhile, so that later answers do not rest on another tip. */
  async #underOneTip(gathered: Gathered, client: Client, signal: AbortSignal): Promise<void> {
    const { dispatcher } = this.#options;
    for (let attempt = 0; attempt < ATTEMPTS && gathered.generation !== dispatcher.generation; attempt++) {
      gathered.generation = dispatcher.generation;
      await gathered.renew((request) => this.#reply(request, client, signal));
    }
  }

  /** Answers one call of a batch. */
  #reply(request: RpcRequest, client: Client, signal: AbortSignal): Reply | Promise<Reply> {
    const started = performance.now();
    const refusal = this.#refusal(request, client, started);
    if (refusal !== undefined || !('call' in request)) return refusal as Reply;
    const { call } = request;
    const reply = this.#options.dispatcher.call(call, signal, undefined, programOf(client));
    if (reply instanceof Promise) return reply.then((late) => this.#record(late, call, client, started));
    return this.#record(reply, call, client, started);
  }

  /** The refusal of an invalid request, or of a call that the client may not make; undefined for an allowed call. */
  #refusal(request: RpcRequest, client: Client, started: number): Reply | undefined {
    const { traffic } = this.#options;
    if ('refusal' in request) {
      const { code, message, unknown } = request.refusal;
      const figures = { source: 'refused' as const, started, bytes: 0, status: statusOf(code), reason: message };
      traffic.record(client.name, unknown?.method ?? '', unknown?.paramsText ?? '', figures);
      client.count?.(figures.status, 0);
      return refused(request.refusal);
    }
    const { call } = request;
    // It may be revoked while the calls of a batch before this one are answered.
    const forbidden = client.stillValid()
      ? client.mayCall(call.method)
      : `The key "${client.name}" is no longer valid.`;
    if (forbidden === undefined) return undefined;
    const figures = { source: 'refused' as const, started, bytes: 0, status: 403, reason: forbidden };
    traffic.record(client.name, call.method, call.paramsText, figures);
    client.count?.(figures.status, 0);
    return { ...refused({ idText: call.idText, code: rpcCodes.misc, message: forbidden }), status: 403 };
  }

  #late({ idText, method, paramsText }: RpcCall, client: Client): Reply {
    const { text: reason } = tooOften(client);
    const figures = { source: 'refused' as const, started: performance.now(), bytes: 0, status: 429, reason };
    this.#options.traffic.record(client.name, method, paramsText, figures);
    return refused({ idText, code: rpcCodes.misc, message: reason });
  }

  #record(reply: Reply, { method, paramsText }: RpcCall, client: Client, started: number): Reply {
    const { source } = reply;
    const isWhole = reply.kind === 'whole';
    const bytes = isWhole ? reply.text.length + reply.end.length : 0;
    const status = isWhole ? reply.status : 200;
    const reason = isWhole ? reply.reason?.slice(0, LONGEST_REASON) : undefined;
    const failure = isWhole ? reply.failure : undefined;
    const answer = isWhole ? reply.text : undefined;
    const figures = { source, started, bytes, status, reason, failure, answer };
    this.#options.traffic.record(client.name, method, paramsText, figures);
    if (isWhole || client.count === undefined) client.count?.(status, bytes, method);
    else return { ...reply, pieces: counted(reply.pieces, (length) => client.count?.(status, length, method)) };
    return reply;
  }
}

/** The same pieces. @param onEnd told how many bytes they had, also where the reader leaves before the end */
async function* counted(pieces: AsyncIterable<Uint8Array>, onEnd: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  try {
    for await (const piece of pieces) {
      bytes += piece.length;
      yield piece;
    }
  } finally {
    onEnd(bytes);
  }
}

function isSending(request: RpcRequest): boolean {
  return 'call' in request && findBroadcastMethod(request.call.method) !== undefined;
}

/** A pending call of a batch. */
interface Begun {
  /** Undefined if it was refused because of the rate. */
  readonly request: RpcRequest | undefined;
  readonly reply: Reply | Promise<Reply>;
}

/** Collects the replies of a batch until they are sent. */
class Gathered {
  /** Generation of the chain when the first call was sent. */
  generation: number;
  age: number | undefined;
  /** All texts so far are known to be ASCII. */
  ascii = true;
  length = 0;
  /** The request and the text of each reply. The text of a streamed reply is empty. */
  #requests: (RpcRequest | undefined)[] = [];
  #texts: string[] = [];

  constructor(generation: number) {
    this.generation = generation;
  }

  add(request: RpcRequest | undefined, reply: Reply): void {
    const text = this.#read(reply);
    this.#requests.push(request);
    this.#texts.push(text);
    this.length += text.length;
  }

  async renew(answer: (request: RpcRequest) => Reply | Promise<Reply>): Promise<void> {
    for (const [index, request] of this.#requests.entries()) {
      if (request === undefined || !('call' in request) || !dependsOnTip(request.call.method)) continue;
      if (this.#texts[index] === '') continue;
      const reply = await answer(request);
      if (reply.kind === 'whole') this.#texts[index] = this.#read(reply);
      else reply.discard();
    }
  }

  /** Returns and removes the collected text. @param first the character before the first reply */
  text(first: '[' | ','): string {
    let text = this.#texts.length === 0 && first === ',' ? '' : first;
    for (let index = 0; index < this.#texts.length; index++) {
      if (index > 0) text += ',';
      text += this.#texts[index] as string;
    }
    this.#requests = [];
    this.#texts = [];
    this.length = 0;
    return text;
  }

  #read(reply: Reply): string {
    if (reply.kind === 'flowing') return '';
    if (reply.age !== undefined) this.age = Math.max(this.age ?? 0, reply.age);
    if (reply.ascii !== true) this.ascii = false;
    return reply.text;
  }
}

function refused(refusal: { idText: string; code: number; message: string }): WholeReply {
  return whole(statusOf(refusal.code), errorReply(refusal), 'local');
}

function send(reply: Reply, sink: ReplySink): void {
  try {
    if (reply.kind === 'whole') {
      sink.whole(reply);
      sink.finished();
      return;
    }
    sink.begin(reply.age, basisOf(reply));
    flow(reply.pieces, sink).then(() => sink.finished(), sink.finished);
  } catch (error) {
    sink.finished(error);
  }
}

async function flow(pieces: AsyncIterable<Uint8Array>, sink: ReplySink): Promise<void> {
  for await (const piece of pieces) await sink.write(piece);
  sink.end();
}

/** A client as one who asks. */
export function programOf(client: Client): AskingProgram {
  return { id: client.keyId ?? `user:${client.name}`, name: client.name, stillValid: () => client.stillValid() };
}
