import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type GatewayStatus, type Network, parseDuration } from '../../contract/index.ts';
import { type LocalServer, listenLocally } from '../local-server.ts';
import {
  type Clock,
  type Endpoints,
  type Logger,
  type NodeRpc,
  NodeRpcError,
  type Service,
  type SettingsView,
} from '../ports.ts';
import { AnswerCache } from './answer-cache.ts';
import type { Caller, CallerBook } from './caller-book.ts';
import { ChainView } from './chain-view.ts';
import { parametersOf, unknownCommand } from './commands.ts';
import { Credentials } from './credentials.ts';
import { Door, type Refusal, refuse, securityHeaders, tooLarge } from './door.ts';
import { readRequestBody, writePiece } from './http-body.ts';
import { LocalCommands } from './local-commands.ts';
import type { NodeClient } from './node-client.ts';
import { Relay, type Reply } from './relay.ts';
import { Rest } from './rest.ts';
import { errorReply, type RpcRequest, readBody, readRequest, rpcCodes, statusOf } from './rpc-message.ts';
import { TrafficLog } from './traffic.ts';

const HEADERS_TIMEOUT_MS = 10_000;
/** For the whole request; also how long an idle connection is kept, as in the node. */
const REQUEST_TIMEOUT_MS = 30_000;
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_CONNECTIONS = 2_048;
/** Calls of one batch that are under way at once; their answers go out in order all the same. */
const BATCH_AHEAD = 16;
const SHOWN_PARAMS = 500;

export interface GatewayOptions {
  node: NodeRpc & Pick<NodeClient, 'ask' | 'health' | 'watch'>;
  settings: SettingsView;
  endpoints: () => Endpoints;
  network: Network;
  clock: Clock;
  /** Folder of the `.cookie` file. */
  dataDir: string;
  /** Database of answers that do not change; without one they are kept in memory alone. */
  cacheFile?: string;
  /** Named keys and paired origins. */
  book?: CallerBook;
  /** Tells of every block that is announced, before anything is known of it. @returns what ends that */
  onAnnouncement?: (listener: () => void) => () => void;
  /** True while rpcUsername and rpcPassword are those this installation was made with. */
  credentialsAreDefault: () => boolean;
  logger: Logger;
  limits?: { bodyBytes?: number; batchCalls?: number; headersTimeoutMs?: number; requestTimeoutMs?: number };
}

/** What a call through the gateway's rules gives: the node's result, or the node's (or gateway's) error. */
export type CallOutcome =
  | { readonly result: unknown; readonly error: null }
  | { readonly result: null; readonly error: { readonly code: number; readonly message: string } };

/**
 * The node gateway (spec section 4.5): JSON-RPC and REST on `rpcBind` that look like a full node's and relay its 32 commands to the
 * upstream. What it does not relay, above all sending, it refuses as a node refuses an unknown command.
 */
export class GatewayService implements Service {
  readonly name = 'gateway';
  readonly traffic: TrafficLog;
  readonly #options: GatewayOptions;
  readonly #limits: { bodyBytes: number; batchCalls: number; headersTimeoutMs: number; requestTimeoutMs: number };
  readonly #chain: ChainView;
  readonly #door: Door;
  #cache: AnswerCache;
  #relay: Relay;
  #rest: Rest;
  #server: LocalServer | undefined;
  #servers: Server[] = [];
  #credentials: Credentials | undefined;
  #stopping = new AbortController();
  #ends: (() => void)[] = [];

  constructor(options: GatewayOptions) {
    this.#options = options;
    const { settings, node, clock } = options;
    this.traffic = new TrafficLog(clock);
    this.#limits = {
      bodyBytes: 32 * 1024 * 1024,
      batchCalls: 1_000,
      headersTimeoutMs: HEADERS_TIMEOUT_MS,
      requestTimeoutMs: REQUEST_TIMEOUT_MS,
      ...options.limits,
    };
    this.#chain = new ChainView({
      call: (method, params) => node.call(method, params, { signal: this.#stopping.signal }),
      clock,
      freshFor: () => this.#shareFor(),
      onFork: (height) => this.#cache.dropAbove(height),
    });
    this.#door = new Door({
      server: () => this.#server,
      credentials: () => this.#credentials,
      book: options.book,
      bodyBytes: this.#limits.bodyBytes,
      openRest: () => settings.current().gatewayOpenRest,
    });
    ({ cache: this.#cache, relay: this.#relay, rest: this.#rest } = this.#createRelay());
  }

  async start(): Promise<{ address?: string; warning?: string }> {
    const { settings, dataDir, credentialsAreDefault, book, node } = this.#options;
    const { rpcBind, rpcUsername, rpcPassword, ignoreCertificate } = settings.current();
    this.#stopping = new AbortController();
    ({ cache: this.#cache, relay: this.#relay, rest: this.#rest } = this.#createRelay());
    await this.#cache.open();
    this.#credentials = new Credentials(dataDir, rpcUsername, rpcPassword, book);
    this.#server = await listenLocally({
      bind: rpcBind,
      key: 'rpcBind',
      allowRemote: !credentialsAreDefault() && rpcPassword !== '',
      remoteFix: 'Set a user name and password of your own first, with rpcUsername and rpcPassword.',
      create: () => this.#createServer(),
    });
    try {
      await this.#credentials.publish();
    } catch (error) {
      await this.stop();
      throw error;
    }
    this.#ends.push(node.watch());
    const announced = this.#options.onAnnouncement?.(() => this.blockAnnounced());
    if (announced !== undefined) this.#ends.push(announced);
    const warning = 'The certificate of the upstream node is not checked: ignoreCertificate is on.';
    return { address: this.#server.url, ...(ignoreCertificate ? { warning } : {}) };
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const end of this.#ends.splice(0)) end();
    const server = this.#server;
    this.#server = undefined;
    this.#servers = [];
    await server?.close();
    await this.#credentials?.withdraw();
    this.#credentials = undefined;
    this.traffic.close();
    await this.#cache.close();
  }

  /** A block was found: what rests on the tip is asked for anew. */
  blockAnnounced(): void {
    this.#chain.announce();
    // A failure shows at the next call.
    this.#chain.refresh().catch(() => {});
  }

  /**
   * One call under the rules of the port, asked of the upstream each time: commands it does not have are answered with -32601.
   * @throws PlanchetError `upstream-*` where the node cannot be reached or answers nonsense
   */
  async call(method: string, params: readonly unknown[], signal?: AbortSignal): Promise<CallOutcome> {
    const started = performance.now();
    const record = (outcome: CallOutcome | undefined, source: 'upstream' | 'refused'): void => {
      const bytes = outcome === undefined ? 0 : JSON.stringify(outcome.result).length;
      const status = outcome === undefined ? 500 : outcome.error === null ? 200 : statusOf(outcome.error.code);
      this.#record('console', method, JSON.stringify(params), { source, started, bytes, status });
    };
    if (parametersOf(method) === undefined) {
      const message = unknownCommand(method, this.#options.endpoints().mapiUrl);
      const outcome: CallOutcome = { result: null, error: { code: rpcCodes.methodNotFound, message } };
      record(outcome, 'refused');
      return outcome;
    }
    try {
      const result = await this.#options.node.call<unknown>(method, params, signal === undefined ? {} : { signal });
      const outcome: CallOutcome = { result, error: null };
      record(outcome, 'upstream');
      return outcome;
    } catch (error) {
      if (!(error instanceof NodeRpcError)) {
        record(undefined, 'upstream');
        throw error;
      }
      const outcome: CallOutcome = { result: null, error: { code: error.code, message: error.message } };
      record(outcome, 'upstream');
      return outcome;
    }
  }

  async status(): Promise<GatewayStatus> {
    const { tip, age, reorganisations } = this.#chain;
    const counts = await Promise.all(
      this.#servers.map((server) => new Promise<number>((resolve) => server.getConnections((_, n) => resolve(n ?? 0)))),
    );
    return {
      upstreams: this.#options.node.health(),
      certificatesIgnored: this.#options.settings.current().ignoreCertificate,
      tip: tip === null ? null : { ...tip, age: Math.round(Number.isFinite(age) ? age : 0) },
      reorganisations,
      cache: { ...this.#cache.figures(), ...this.#relay.figures(), dropped: this.#cache.dropped },
      connections: counts.reduce((sum, count) => sum + count, 0),
      methods: this.traffic.methods(),
    };
  }

  #createRelay(): { cache: AnswerCache; relay: Relay; rest: Rest } {
    const { settings, node, clock, logger, network, cacheFile } = this.#options;
    const cache = new AnswerCache({
      memoryBytes: settings.current().gatewayCacheBytes,
      diskBytes: settings.current().gatewayDiskCacheBytes,
      file: cacheFile,
      clock,
      logger,
    });
    const local = new LocalCommands({
      network,
      enabled: () => settings.current().gatewayLocalCommands,
      isOnChain: (hash) => this.#chain.isFresh() && this.#chain.heightOf(hash) !== undefined,
    });
    const relay = new Relay({
      ask: (body, options) => node.ask(body, options),
      chain: this.#chain,
      cache,
      local,
      clock,
      shareFor: () => this.#shareFor(),
    });
    return { cache, relay, rest: new Rest({ relay }) };
  }

  #shareFor(): number {
    return parseDuration(this.#options.settings.current().gatewayShareFor) ?? 0;
  }

  #createServer(): Server {
    const server = createServer({
      headersTimeout: this.#limits.headersTimeoutMs,
      requestTimeout: this.#limits.requestTimeoutMs,
      keepAliveTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: Math.min(1_000, this.#limits.headersTimeoutMs),
      maxHeaderSize: MAX_HEADER_BYTES,
    });
    server.maxConnections = MAX_CONNECTIONS;
    server.on('connection', (socket) => this.#door.meet(socket));
    const handle = (request: IncomingMessage, response: ServerResponse): void => {
      this.#handle(request, response).catch((error: unknown) => {
        if (!response.destroyed) this.#options.logger.warn({ err: error }, 'a call through the gateway was cut off');
        response.destroy();
      });
    };
    server.on('request', handle);
    // Without a listener Node itself would ask for the body before the credential is checked.
    server.on('checkContinue', handle);
    this.#servers.push(server);
    return server;
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const started = performance.now();
    const checked = this.#door.check(request);
    const admission = checked instanceof Promise ? await checked : checked;
    if ('refusal' in admission) return this.#turnAway(request, response, admission.refusal, admission.caller, started);
    const { caller, rest, headers } = admission;
    if (request.headers.expect !== undefined && /^100-continue$/i.test(request.headers.expect)) {
      response.writeContinue();
    }
    const body = await readRequestBody(request, this.#limits.bodyBytes);
    if (body === undefined) return this.#turnAway(request, response, tooLarge(this.#limits.bodyBytes), caller, started);
    const all = { ...securityHeaders, ...headers };
    if (rest) return this.#answerRest(request, body, response, caller, all, started);
    await this.#answer(body, response, caller as Caller, all);
  }

  #turnAway(
    request: IncomingMessage,
    response: ServerResponse,
    refusal: Refusal,
    caller: Caller | undefined,
    started: number,
  ): void {
    refuse(request, response, refusal);
    if (refusal.status === 204) return;
    const reason = refusal.text || (refusal.status === 401 ? 'the credential is missing or wrong' : 'no such path');
    const figures = { source: 'refused' as const, started, bytes: refusal.text.length, status: refusal.status, reason };
    this.#record(caller?.name ?? 'nobody', '', '', figures);
  }

  async #answerRest(
    request: IncomingMessage,
    body: Buffer,
    response: ServerResponse,
    caller: Caller | undefined,
    headers: Record<string, string>,
    started: number,
  ): Promise<void> {
    const url = request.url as string;
    const signal = this.#signalOf(response);
    const answer = await this.#rest.answer(url, {
      body,
      range: request.headers.range,
      mayCall: (method) => caller?.mayCall(method),
      signal,
    });
    response.writeHead(answer.status, { ...headers, ...answer.headers });
    let bytes = 0;
    if (request.method === 'HEAD') answer.discard?.();
    else if (typeof answer.body === 'string' || Buffer.isBuffer(answer.body)) {
      bytes = answer.body.length;
      response.write(answer.body);
    } else {
      for await (const piece of answer.body) {
        bytes += piece.length;
        await writePiece(response, piece);
      }
    }
    response.end();
    const { source, status } = answer;
    this.#record(caller?.name ?? 'nobody', 'REST', url, { source, started, bytes, status });
  }

  async #answer(
    body: Buffer,
    response: ServerResponse,
    caller: Caller,
    headers: Record<string, string>,
  ): Promise<void> {
    const { mapiUrl } = this.#options.endpoints();
    const read = readBody(body, mapiUrl);
    let signal: AbortSignal | undefined;
    const leaving = (): AbortSignal => {
      signal ??= this.#signalOf(response);
      return signal;
    };
    if ('single' in read) {
      const reply = this.#reply(read.single, caller, leaving);
      return send(response, reply instanceof Promise ? await reply : reply, headers);
    }
    if (read.batch.length > this.#limits.batchCalls) {
      const message = `Invalid Request object: a batch may hold at most ${this.#limits.batchCalls} calls`;
      return send(response, refused({ idText: 'null', code: rpcCodes.invalidRequest, message }), headers);
    }
    response.writeHead(200, { 'content-type': 'application/json', ...headers });
    await this.#answerBatch(read.batch, mapiUrl, caller, response, leaving);
  }

  async #answerBatch(
    batch: readonly string[],
    mapiUrl: string,
    caller: Caller,
    response: ServerResponse,
    leaving: () => AbortSignal,
  ): Promise<void> {
    const ahead: (Reply | Promise<Reply>)[] = [];
    let started = 0;
    const begin = (): void => {
      const request = readRequest(batch[started] as string, mapiUrl);
      const free = started === 0 || caller.take();
      started += 1;
      const late = (idText: string): Reply =>
        refused({ idText, code: rpcCodes.misc, message: `${caller.name} calls more often than it may` });
      const reply = free || !('call' in request) ? this.#reply(request, caller, leaving) : late(request.call.idText);
      // Whoever awaits it is told; nobody may, where the client leaves before.
      if (reply instanceof Promise) reply.catch(() => {});
      ahead.push(reply);
    };
    try {
      // What is small and at hand goes out in one piece.
      let text = '[';
      for (let index = 0; index < batch.length; index++) {
        while (started < batch.length && ahead.length < BATCH_AHEAD) begin();
        if (index > 0) text += ',';
        const next = ahead.shift() as Reply | Promise<Reply>;
        const reply = next instanceof Promise ? await next : next;
        if (reply.kind === 'whole') text += reply.text.trimEnd();
        if (reply.kind === 'flowing' || text.length > 64 * 1024) {
          await writePiece(response, text);
          text = '';
        }
        if (reply.kind === 'flowing') for await (const piece of reply.pieces) await writePiece(response, piece);
      }
      response.end(`${text}]\n`);
    } catch (error) {
      for (const left of ahead) {
        void Promise.resolve(left).then(
          (reply) => reply.kind === 'flowing' && reply.discard(),
          () => {},
        );
      }
      throw error;
    }
  }

  #reply(request: RpcRequest, caller: Caller, leaving: () => AbortSignal): Reply | Promise<Reply> {
    const started = performance.now();
    if ('refusal' in request) {
      const { code, message } = request.refusal;
      const figures = { source: 'refused' as const, started, bytes: 0, status: statusOf(code), reason: message };
      this.#record(caller.name, '', '', figures);
      return refused(request.refusal);
    }
    const { call } = request;
    const forbidden = caller.mayCall(call.method);
    if (forbidden !== undefined) {
      const figures = { source: 'refused' as const, started, bytes: 0, status: 403, reason: forbidden };
      this.#record(caller.name, call.method, call.paramsText, figures);
      return { ...refused({ idText: call.idText, code: rpcCodes.misc, message: forbidden }), status: 403 } as Reply;
    }
    const note = (reply: Reply): Reply => {
      const { source } = reply;
      const [bytes, status] = reply.kind === 'whole' ? [reply.text.length, reply.status] : [0, 200];
      this.#record(caller.name, call.method, call.paramsText, { source, started, bytes, status });
      return reply;
    };
    const reply = this.#relay.call(call, leaving);
    return reply instanceof Promise ? reply.then(note) : note(reply);
  }

  #signalOf(response: ServerResponse): AbortSignal {
    const gone = new AbortController();
    if (response.destroyed) gone.abort();
    const leave = (): void => gone.abort();
    this.#stopping.signal.addEventListener('abort', leave, { once: true });
    response.once('close', () => {
      this.#stopping.signal.removeEventListener('abort', leave);
      gone.abort();
    });
    return gone.signal;
  }

  #record(
    caller: string,
    method: string,
    params: string,
    figures: {
      source: Reply['source'] | 'refused';
      started: number;
      bytes: number;
      status: number;
      reason?: string;
    },
  ): void {
    const { started, source, bytes, status, reason } = figures;
    this.traffic.record({
      caller,
      method,
      params: params.length > SHOWN_PARAMS ? params.slice(0, SHOWN_PARAMS) : params,
      source,
      milliseconds: performance.now() - started,
      bytes,
      status,
      reason: reason ?? null,
    });
  }
}

function refused(refusal: { idText: string; code: number; message: string }): Reply & { kind: 'whole' } {
  return { kind: 'whole', status: statusOf(refusal.code), text: `${errorReply(refusal)}\n`, source: 'local' };
}

async function send(response: ServerResponse, reply: Reply, headers: Record<string, string>): Promise<void> {
  if (reply.kind === 'whole') {
    response.writeHead(reply.status, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(reply.text),
      ...(reply.age === undefined ? {} : { age: String(reply.age) }),
      ...headers,
    });
    response.end(reply.text);
    return;
  }
  response.writeHead(200, { 'content-type': 'application/json', ...headers });
  for await (const piece of reply.pieces) await writePiece(response, piece);
  response.end();
}
