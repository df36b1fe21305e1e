import { createHash, timingSafeEqual } from 'node:crypto';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { parseJson } from '../../../json-in-turns.ts';
import { jsonPieces, type RpcValue } from '../../../node-format/json.ts';
import { gathered, RpcStream } from '../../../node-format/json-stream.ts';
import { rpcError } from '../../../node-format/params.ts';
import { pause } from '../../../pause.ts';
import { NodeRpcError } from '../../../ports/node.ts';
import { declaredBytes, readBytes } from '../../api/body-bytes.ts';
import type { NodeRpcDispatcher } from './dispatcher.ts';
import { registerNodeRest } from './rest.ts';
import { line, sendText, textOf } from './streams.ts';
import { answerStopping, queueScope, WorkQueue } from './work-queue.ts';

export interface NodeRpcServerOptions {
  readonly rpc: NodeRpcDispatcher;
  readonly username: string;
  readonly password: string;
}

/** The node's request limit; a transaction of maximum size fits in hex. */
const BODY_LIMIT = 32 * 1024 * 1024;
const WRONG_PASSWORD_DELAY_MS = 250;
/** Nesting depth of the node's parser. The limit on values allows any batch; parsed values can take far more memory than their bytes. */
const BODY_LIMITS = { levels: 512, values: 400_000 } as const;

/**
 * Serves the node's JSON-RPC on POST `/` of a prefix: `app.register(registerNodeRpc, { prefix: '/rpc', rpc, username, password })`.
 * Status codes, key order and line ends are the node's (node-rpc.md section 0); credentials are checked before a body is read. The
 * REST paths are at `/rest` below it.
 */
export async function registerNodeRpc(app: FastifyInstance, options: NodeRpcServerOptions): Promise<void> {
  // registered next to it, not inside, because REST needs no credential
  const { rpc, username, password } = options;
  const queue = new WorkQueue();
  await app.register(registerNodeRest, { prefix: '/rest', rpc, queue });
  await app.register(jsonRpc, { rpc, username, password, queue });
}

async function jsonRpc(app: FastifyInstance, options: NodeRpcServerOptions & { queue: WorkQueue }): Promise<void> {
  const wanted = digest(`${options.username}:${options.password}`);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', ({ headers }: FastifyRequest, payload: Readable) =>
    readBytes(payload, {
      declared: declaredBytes(headers),
      limit: BODY_LIMIT,
      tooLarge: () => Object.assign(new Error('the body is too large'), { statusCode: 413 }),
      cutOff: () => Object.assign(new Error('the body ended too early'), { statusCode: 400 }),
    }),
  );
  // an oversized or truncated body is answered by its status only
  app.setErrorHandler((error: { statusCode?: number }, _, reply) =>
    error.statusCode === 503 ? answerStopping(reply) : reply.code(error.statusCode ?? 500).send(),
  );
  app.setNotFoundHandler((_, reply) => reply.code(404).send());
  app.addHook('onRequest', async (request, reply) => {
    if (request.is404) return;
    if (request.method !== 'POST') {
      return reply.code(405).type('text/plain').send('JSONRPC server handles only POST requests');
    }
    const given = basicCredentials(request.headers.authorization);
    if (given !== undefined && timingSafeEqual(digest(given), wanted)) return;
    if (request.headers.authorization !== undefined) await sleep(WRONG_PASSWORD_DELAY_MS);
    return reply.code(401).header('WWW-Authenticate', 'Basic realm="jsonrpc"').send();
  });
  queueScope(app, options.queue);
  app.route({
    method: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    url: '/',
    handler: async (request, reply) => {
      const body = request.body instanceof Uint8Array ? request.body : new Uint8Array();
      const { status, text, streamed } = await answerBody(options.rpc, body);
      return sendText(reply.code(status).header('content-type', 'application/json'), text, streamed);
    },
  });
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function basicCredentials(header: string | undefined): string | undefined {
  const encoded = /^Basic (.+)$/.exec(header ?? '')?.[1];
  return encoded === undefined ? undefined : Buffer.from(encoded.trim(), 'base64').toString('utf8');
}

interface Reply {
  readonly status: number;
  readonly text: string | RpcStream;
  /** Whether the node streams the result; no newline follows then. */
  readonly streamed: boolean;
}

async function answerBody(rpc: NodeRpcDispatcher, body: Uint8Array): Promise<Reply> {
  let request: unknown;
  try {
    request = await parseJson(body, BODY_LIMITS);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return ended(failed(rpcError.parse, 'Parse error', null));
  }
  if (Array.isArray(request)) {
    const items: (string | RpcStream)[] = [];
    for (const item of request) {
      // most commands never yield to the event loop, and a body may contain hundreds of thousands
      await pause();
      items.push((await answerOne(rpc, item)).text);
    }
    return { status: 200, text: new RpcStream(() => gathered(batch(items))), streamed: true };
  }
  if (typeof request !== 'object' || request === null) {
    return ended(failed(rpcError.parse, 'Top-level object parse error', null));
  }
  return ended(await answerOne(rpc, request));
}

function ended(reply: Reply): Reply {
  const { text } = reply;
  if (reply.streamed) return reply;
  return { ...reply, text: text instanceof RpcStream ? new RpcStream(() => line(text.pieces())) : `${text}\n` };
}

async function* batch(items: readonly (string | RpcStream)[]): AsyncGenerator<string> {
  let separator = '[';
  for (const item of items) {
    if (item instanceof RpcStream) {
      yield separator;
      yield* item.pieces();
    } else yield `${separator}${item}`;
    separator = ',';
  }
  yield items.length === 0 ? '[]\n' : ']\n';
}

function inReply(result: RpcStream, id: RpcValue): RpcStream {
  return new RpcStream(async function* () {
    yield '{"result":';
    yield* result.pieces();
    yield ',"error":null,"id":';
    yield* jsonPieces(id);
    yield '}';
  });
}

async function answerOne(rpc: NodeRpcDispatcher, request: unknown): Promise<Reply> {
  if (typeof request !== 'object' || request === null || Array.isArray(request)) {
    return failed(rpcError.invalidRequest, 'Invalid Request object', null);
  }
  const { method, params, id = null } = request as { method?: unknown; params?: unknown; id?: RpcValue };
  if (method === undefined || method === null) return failed(rpcError.invalidRequest, 'Missing method', id);
  if (typeof method !== 'string') return failed(rpcError.invalidRequest, 'Method must be a string', id);
  if (params !== undefined && typeof params !== 'object') {
    return failed(rpcError.invalidRequest, 'Params must be an array or object', id);
  }
  try {
    const result = await rpc.dispatch(method, params);
    if (result instanceof RpcStream) return { status: 200, text: inReply(result, id), streamed: true };
    return { status: 200, text: textOf({ result, error: null, id }), streamed: rpc.isStreamed(method) };
  } catch (error) {
    if (error instanceof NodeRpcError) return failed(error.code, error.message, id);
    throw error;
  }
}

function failed(code: number, message: string, id: RpcValue): Reply {
  const status = code === rpcError.invalidRequest ? 400 : code === rpcError.methodNotFound ? 404 : 500;
  return { status, text: textOf({ result: null, error: { code, message }, id }), streamed: false };
}
