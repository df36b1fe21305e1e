import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { PlanchetError, withHint } from '../../../contract/index.ts';
import { createServer } from '../../http/node-http.ts';
import { drainBeforeClose } from '../../infrastructure/drain-request.ts';
import { probeAnswer } from '../../local-server.ts';
import { scanOf } from '../messages/message.ts';
import type { CallFigures, TrafficLog } from '../metrics/traffic.ts';
import { LONGEST_ANSWER } from '../metrics/traffic.ts';
import type { Rest } from '../rest/rest.ts';
import { basisOf, LONGEST_REASON } from '../rpc/reply.ts';
import { MAX_PLAIN_BYTES } from '../tuning.ts';
import type { Client } from './api-key-store.ts';
import type { ConnectionHandler } from './connection-handler.ts';
import { type HttpLimits, REQUEST_TIMEOUT_MS } from './http-limits.ts';
import type { PairingRequests } from './pairing.ts';
import { answerPairing } from './pairing-response.ts';
import { basisHeader, ResponseSink, signalOf } from './reply-sink.ts';
import { readRequestBody, writePiece } from './request-body.ts';
import { type Refusal, type RequestGuard, refuse, securityHeaders, tooLarge, unauthorized } from './request-guard.ts';
import { programOf, type RpcListener } from './rpc-listener.ts';

const MAX_HEADER_BYTES = 16 * 1024;
const MAX_CONNECTIONS = 2_048;

export interface HttpListenerOptions {
  guard: RequestGuard;
  rpc: () => RpcListener;
  rest: () => Rest;
  /** Where web pages ask to be paired. */
  pairing: PairingRequests | undefined;
  traffic: TrafficLog;
  limits: HttpLimits;
  logger: Logger;
  stopping: () => AbortSignal;
  /** Serves plain calls before node's HTTP server sees them; undefined for none. */
  fastPath: ConnectionHandler | undefined;
  /** The answer of `/readyz`. */
  isReady: () => boolean;
}

interface RequestContext {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Value of `performance.now()` when the request had arrived. */
  readonly started: number;
}

/** The HTTP side of the gateway: checks each request, then reads its body and answers it as JSON-RPC or REST. */
export class HttpListener {
  readonly #options: HttpListenerOptions;
  #servers: Server[] = [];

  constructor(options: HttpListenerOptions) {
    this.#options = options;
  }

  /** A server that does not listen yet. */
  createServer(): Server {
    const { limits, guard, logger, fastPath } = this.#options;
    const server = createServer({
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      keepAliveTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: Math.min(1_000, limits.headersTimeoutMs),
      maxHeaderSize: MAX_HEADER_BYTES,
    });
    server.maxConnections = MAX_CONNECTIONS;
    fastPath?.attach(server);
    server.on('connection', (socket) => guard.onConnection(socket));
    const handle = (request: IncomingMessage, response: ServerResponse): void => {
      this.#handle(request, response).catch((error: unknown) => {
        if (!response.destroyed) logger.warn({ err: error }, 'a call through the gateway was cut off');
        response.destroy();
      });
    };
    server.on('request', handle);
    // Without a listener, Node would ask for the body before the credential is checked.
    server.on('checkContinue', handle);
    this.#servers.push(server);
    return server;
  }

  async connections(): Promise<number> {
    const counts = await Promise.all(
      this.#servers.map((server) => new Promise<number>((resolve) => server.getConnections((_, n) => resolve(n ?? 0)))),
    );
    return counts.reduce((sum, count) => sum + count, 0);
  }

  /** Forgets the servers, which their owner closes, and ends the connections of the fast path. */
  close(): void {
    this.#options.fastPath?.close();
    this.#servers = [];
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { guard, limits, rpc, stopping, isReady } = this.#options;
    const probe = probeAnswer(request, isReady);
    if (probe !== undefined) return answerProbe(response, probe);
    const context = { request, response, started: performance.now() };
    const checked = guard.check(request);
    const admission = checked instanceof Promise ? await checked : checked;
    if ('pairing' in admission) return this.#answerPairing(context, admission.pairing);
    if ('refusal' in admission) return this.#refuse(context, admission.refusal, admission.client);
    const { client, rest, headers } = admission;
    if (request.headers.expect !== undefined && /^100-continue$/i.test(request.headers.expect)) {
      response.writeContinue();
    }
    const limit = guard.bodyLimit(client, rest);
    const scan = rest || isSmall(request) ? undefined : scanOf(limits.batchCalls);
    const body = await readRequestBody(request, limit, scan);
    // A body may take long to arrive, and its key be revoked meanwhile.
    if (client?.stillValid() === false)
      return this.#refuse(context, { ...unauthorized, headers: { ...unauthorized.headers, ...headers } }, client);
    if ('tooLarge' in body) return this.#refuse(context, { ...tooLarge(limit), headers }, client);
    if ('fault' in body) {
      const closing: Record<string, string> = request.complete ? headers : { ...headers, connection: 'close' };
      if (!request.complete) drainBeforeClose(request);
      const sink = new ResponseSink(response, closing, stopping());
      rpc().refuse(body.fault, client as Client, sink);
      return sink.done;
    }
    const { bytes } = body;
    if (rest) return this.#answerRest(context, bytes, client, headers);
    const sink = new ResponseSink(response, headers, stopping());
    if (scan === undefined) rpc().answer(bytes, client as Client, sink);
    else await rpc().answerScanned(bytes, scan, client as Client, sink);
    await sink.done;
  }

  async #answerPairing(context: RequestContext, origin: string): Promise<void> {
    const { request, response, started } = context;
    const { pairing, stopping } = this.#options;
    if (pairing === undefined) return this.#refuse(context, { status: 404, text: '' });
    const signal = signalOf(response, stopping());
    const refusal = await answerPairing(request, response, origin, { pairing, signal });
    if (refusal !== undefined) this.#recordRefusal(refusal, origin, started);
  }

  #refuse({ request, response, started }: RequestContext, refusal: Refusal, client?: Client): void {
    refuse(request, response, refusal);
    if (refusal.status !== 204) this.#recordRefusal(refusal, client?.name ?? 'nobody', started);
  }

  #recordRefusal(refusal: Refusal, client: string, started: number): void {
    const { status, text } = refusal;
    const why = text === '' ? unsaid(status) : { reason: text };
    const figures = { source: 'refused' as const, started, bytes: text.length, status, ...why };
    this.#options.traffic.record(client, '', '', figures);
  }

  async #answerRest(
    { request, response, started }: RequestContext,
    body: Buffer,
    client: Client | undefined,
    headers: Record<string, string>,
  ): Promise<void> {
    const { rest, stopping, traffic } = this.#options;
    const url = request.url as string;
    const answer = await rest().answer(url, {
      body,
      range: request.headers.range,
      mayCall: (method) => client?.mayCall(method),
      program: client && programOf(client),
      signal: signalOf(response, stopping()),
    });
    const length =
      typeof answer.body === 'string' || Buffer.isBuffer(answer.body) ? Buffer.byteLength(answer.body) : null;
    const told = length === null ? {} : { 'content-length': length };
    response.writeHead(answer.status, {
      ...securityHeaders,
      ...headers,
      ...told,
      ...basisHeader(basisOf(answer)),
      ...answer.headers,
    });
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
    const { source, status, failure } = answer;
    const reason = status < 400 ? undefined : String(answer.body).trim().slice(0, LONGEST_REASON);
    const text = readable(answer.body, answer.headers['content-type']);
    const figures = { source, started, bytes, status, reason, failure, answer: text };
    traffic.record(client?.name ?? 'nobody', 'REST', url, figures);
    client?.count?.(status < 400 ? 200 : status, bytes, 'REST');
  }
}

/** Why a request was refused with an empty body, as a node refuses it. */
function unsaid(status: number): Pick<CallFigures, 'reason' | 'failure'> {
  const error = new PlanchetError(status === 401 ? 'gateway.credential-wrong' : 'gateway.path-unknown');
  return { reason: withHint(error), failure: error.toFailure() };
}

/** Contains only the state, so no credential is needed. Without a CORS header, no web page can read it. */
function answerProbe(response: ServerResponse, { status, text }: { status: number; text: string }): void {
  const headers = { ...securityHeaders, 'content-type': 'text/plain; charset=utf-8', 'content-length': text.length };
  response.writeHead(status, headers).end(text);
}

/** Whether a body is announced as short enough to be read at once. */
function isSmall({ headers }: IncomingMessage): boolean {
  return Number(headers['content-length'] ?? Number.POSITIVE_INFINITY) <= MAX_PLAIN_BYTES;
}

/** The beginning of an answer that is text; undefined for a binary or streamed one. */
function readable(body: unknown, contentType: string | number | undefined): string | undefined {
  if (typeof body === 'string') return body;
  if (!Buffer.isBuffer(body) || !/json|text/.test(String(contentType ?? ''))) return undefined;
  return body.subarray(0, LONGEST_ANSWER + 1).toString();
}
