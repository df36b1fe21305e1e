import { Readable } from 'node:stream';
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { type ForeignBounds, OutOfBounds, readForeign } from '../../foreign-json.ts';
import { drainRefusedBody } from '../../infrastructure/drain-request.ts';
import { type LocalServer, refuseAmbiguousTarget, refuseBrowser } from '../../local-server.ts';
import { UnreadableCallback } from '../protocols/protocol.ts';

const LONGEST_PATH = 4_096;
/** Bytes that a sealed box adds to its content. */
const SEAL_BYTES = 48;

const commonHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; sandbox",
  'x-content-type-options': 'nosniff',
};

declare module 'fastify' {
  interface FastifyRequest {
    /** The miner to which the token of the request was issued. */
    minerId: string;
  }
}

export interface CallbackRoutesOptions {
  /** The bound server; undefined while it starts or stops. */
  server: () => LocalServer | undefined;
  /** Host and port of the public address that leads here, in lower case; undefined where none is set. */
  publicHost: () => string | undefined;
  /** @returns the miner a path and its token were issued to */
  minerOf: (path: string, authorization: string | undefined) => string | undefined;
  boundsOf: (minerId: string) => ForeignBounds;
  /** Opens a sealed box. @returns undefined for what is none of ours */
  unseal: (sealed: Uint8Array) => Promise<Uint8Array | undefined>;
  /**
   * Resolves when the messages of a body are on the disk.
   * @param text the body, which was read within its bounds
   * @throws UnreadableCallback for what is no callback
   */
  take: (minerId: string, text: string) => Promise<void>;
  logger: Logger;
}

class Refused extends Error {
  readonly status: number;

  constructor(status: number, reason: string) {
    super(reason);
    this.status = status;
  }
}

/** The HTTP interface for callbacks of miners, without a socket. Refusals say why in one sentence and repeat nothing that was sent. */
export function createCallbackRoutes(options: CallbackRoutesOptions): FastifyInstance {
  const app = Fastify({
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: LONGEST_PATH },
    frameworkErrors: (_error, request, reply) =>
      answerError(new Refused(400, 'The request target cannot be read.'), request, reply, options),
  });
  app.decorateRequest('minerId', '');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (request: FastifyRequest, body: Readable) => textOf(body, request, options));
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(commonHeaders);
    refuseCaller(request, options);
    const path = request.url.split('?', 1)[0] ?? '';
    const minerId = options.minerOf(path.slice(path.lastIndexOf('/') + 1), request.headers.authorization);
    if (minerId === undefined) throw new Refused(401, 'The token is unknown.');
    if (request.method !== 'POST') throw new Refused(405, 'A callback is sent with POST.');
    request.minerId = minerId;
  });
  app.setErrorHandler((error: FastifyError | Refused, request, reply) => answerError(error, request, reply, options));
  app.setNotFoundHandler((request, reply) =>
    answerError(new Refused(404, 'Nothing is here.'), request, reply, options),
  );
  // A proxy may put any path in front; the last segment alone counts.
  app.post('/*', async (request, reply) => {
    await options.take(request.minerId, String(request.body ?? ''));
    return reply.code(200).send('');
  });
  return app;
}

/** Reads a body, and stops as soon as it passes a bound. A sealed box comes as bytes; anything else is text. */
async function textOf(
  body: Readable,
  { headers, minerId }: FastifyRequest,
  { boundsOf, unseal }: CallbackRoutesOptions,
): Promise<string> {
  const bounds = boundsOf(minerId);
  if (Number(headers['content-length'] ?? 0) > bounds.bytes + SEAL_BYTES) throw new OutOfBounds('bytes');
  // The answer to a refused body needs the connection.
  const pieces = body.iterator({ destroyOnReturn: false });
  if (!/^application\/octet-stream\b/i.test(headers['content-type'] ?? '')) return readForeign(pieces, bounds);
  const opened = await unseal(await readBytes(pieces, bounds.bytes + SEAL_BYTES));
  if (opened === undefined) throw new UnreadableCallback('The sealed box cannot be opened.');
  return readForeign(Readable.from([opened]), bounds);
}

async function readBytes(pieces: AsyncIterable<Uint8Array>, limit: number): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.length;
    if (bytes > limit) throw new OutOfBounds('bytes');
    all.push(piece);
  }
  return Buffer.concat(all, bytes);
}

function refuseCaller({ raw, headers }: FastifyRequest, { server, publicHost }: CallbackRoutesOptions): void {
  const bound = server();
  if (bound === undefined) throw new Refused(503, 'The receiver is not running.');
  const ambiguous = refuseAmbiguousTarget(raw);
  if (ambiguous !== undefined) throw new Refused(400, ambiguous);
  const host = publicHost();
  const isOurs = (given: string | undefined): boolean =>
    bound.isOurs(given) || (host !== undefined && given?.toLowerCase() === host);
  const refused = refuseBrowser(headers, { ...bound, isOurs });
  if (refused !== undefined) throw new Refused(403, refused);
}

function answerError(
  error: FastifyError | Error,
  request: FastifyRequest,
  reply: FastifyReply,
  options: CallbackRoutesOptions,
): FastifyReply {
  const { logger } = options;
  const { status, reason } = refusalOf(error, options.boundsOf(request.minerId));
  // A mistake of the sender is no error of this program.
  if (status >= 500) logger.error({ err: error }, 'a callback could not be recorded');
  else logger.debug({ status, reason, minerId: request.minerId }, 'a callback was refused');
  if (drainRefusedBody(request.raw, status)) reply.header('connection', 'close');
  return reply.headers(commonHeaders).code(status).type('text/plain; charset=utf-8').send(`${reason}\n`);
}

function refusalOf(error: FastifyError | Error, { bytes }: ForeignBounds): { status: number; reason: string } {
  if (error instanceof UnreadableCallback) return { status: 400, reason: error.message };
  if (error instanceof Refused) return { status: error.status, reason: error.message };
  if (error instanceof OutOfBounds) {
    return error.bound === 'bytes'
      ? { status: 413, reason: `A callback has at most ${bytes} bytes.` }
      : { status: 400, reason: 'The body has more values or levels than a callback.' };
  }
  const { statusCode = 500 } = error as FastifyError;
  if (statusCode >= 400 && statusCode < 500) return { status: 400, reason: 'The request cannot be read.' };
  // the miner sends it again
  return { status: 503, reason: 'The callback could not be recorded.' };
}
