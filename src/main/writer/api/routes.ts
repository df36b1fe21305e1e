import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { PlanchetError } from '../../../contract/index.ts';
import { drainRefusedBody } from '../../infrastructure/drain-request.ts';
import { type LocalServer, refuseAmbiguousTarget, refuseBrowser } from '../../local-server.ts';
import type { Clock } from '../../ports/clock.ts';
import type { SettingsView } from '../../ports/settings.ts';
import { storeFailure } from '../../store/store.ts';
import { readDocument, readHead, single } from '../acceptance/request-document.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import { type DocumentRow, isSettled } from '../storage/document.ts';
import type { DocumentView } from '../views/listing.ts';
import type { WriterParts } from '../views/writer-view.ts';
import { deadError, WriteError, writeCodes } from '../write-errors.ts';
import { writeBatch } from './batch.ts';
import { openApiDocument } from './openapi.ts';
import { readListQuery, readVout, readWait } from './queries.ts';

/** More than Node lets an address have. */
const LONGEST_NAME = 65_536;
const BATCH_TYPE = 'application/x-ndjson';
/** Addresses that tell nothing of anybody's documents. */
const OPEN_PATHS = new Set(['/health', '/openapi.json']);
/** What each address is for. */
const METHODS: readonly [RegExp, string][] = [
  [/^\/api\/v1\/write(?:\/batch)?$/, 'POST'],
  [/^\/(?:health|openapi\.json|api\/v1\/(?:usage|writes(?:\/[^/]*)?|read\/[^/]*))$/, 'GET'],
];

/** Of every answer. */
export const commonHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; sandbox",
  'x-content-type-options': 'nosniff',
};

declare module 'fastify' {
  interface FastifyRequest {
    /** Name of the API key the request carries. */
    keyId: string;
    /** Undoes what the request took: room in memory and the limit of its time. */
    leave: (() => void)[];
  }
}

export interface RoutesOptions extends Omit<WriterParts, 'deadLetterRetry'> {
  settings: SettingsView;
  clock: Clock;
  logger: Logger;
  /** The bound server; undefined while it starts or stops. */
  server: () => LocalServer | undefined;
  /** How long a body may take to arrive, in milliseconds. */
  requestTimeoutMs: number;
  /** How long a connection may say nothing before it is cut, in milliseconds. */
  silenceMs: number;
  /** Longest waits of an answer, in milliseconds. */
  waits: () => { submitted: number; mined: number };
}

/** The HTTP interface of the data-writing client (spec section 4.4), without a socket. */
export function createRoutes(options: RoutesOptions): FastifyInstance {
  const maxBytes = options.settings.current().writerMaxBytes;
  const app = Fastify({
    bodyLimit: maxBytes,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: LONGEST_NAME },
    frameworkErrors: (_error, request, reply) => {
      const error = new WriteError(writeCodes.body, 'write-api.target-unreadable');
      return answerError(error, request, reply.headers(commonHeaders), options);
    },
  });
  app.decorateRequest('keyId', '');
  app.decorateRequest('leave');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.addContentTypeParser(BATCH_TYPE, (_request, payload, done) => done(null, payload));
  app.addHook('onRequest', async (request, reply) => {
    request.leave = [];
    reply.headers(commonHeaders);
    refuseCaller(request, options.server());
    if (request.routeOptions.url === undefined || OPEN_PATHS.has(request.routeOptions.url)) return;
    request.keyId = await authorize(request, options.keys);
    if (request.method === 'POST') refuseHeaders(request, maxBytes, options);
  });
  app.addHook('preParsing', async (request, reply, payload) => {
    if (/^100-continue$/i.test(request.headers.expect ?? '')) reply.raw.writeContinue();
    if (request.method === 'POST' && !isBatch(request)) limitTime(request, reply, options.requestTimeoutMs);
    return payload;
  });
  app.addHook('preValidation', async (request) => {
    request.leave.pop()?.();
  });
  app.addHook('onResponse', async (request) => leave(request));
  app.addHook('onRequestAbort', async (request) => leave(request));
  app.setErrorHandler((error: FastifyError | WriteError, request, reply) =>
    answerError(error, request, reply, options),
  );
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0] ?? '';
    const allowed = METHODS.find(([address]) => address.test(path))?.[1];
    if (allowed === undefined) {
      const error = new WriteError(writeCodes.notFound, 'write-api.address-unknown');
      return answerError(error, request, reply, options);
    }
    reply.header('allow', allowed);
    const error = new WriteError(writeCodes.method, 'write-api.method-not-allowed', {
      method: request.method,
      allowed,
    });
    return answerError(error, request, reply, options);
  });

  app.get('/health', async () => ({ status: 'ok' }));
  app.get('/openapi.json', async () => openApiDocument);
  app.post('/api/v1/write', (request, reply) => write(request, reply, options));
  app.post('/api/v1/write/batch', (request, reply) => batch(request, reply, options));
  app.get<{ Params: { id: string } }>('/api/v1/writes/:id', async ({ params, query, keyId }) => ({
    status: 200,
    ...inEnglish(await options.reader.get({ idOrTxid: params.id.toLowerCase(), vout: readVout(query) }, keyId)),
  }));
  app.get('/api/v1/writes', async ({ query, keyId }) => {
    const { documents, next } = await options.reader.list({ ...readListQuery(query), keyIds: [keyId] });
    return { status: 200, documents: documents.map(inEnglish), next };
  });
  app.get('/api/v1/usage', async ({ keyId }, reply) => {
    reply.type('application/json');
    return `{"status":200,"usage":${await options.reader.usageJson([keyId])}}`;
  });
  app.get<{ Params: { txid: string } }>('/api/v1/read/:txid', async (request, reply) => {
    const secret = single(request.headers['x-key']);
    const name = { idOrTxid: request.params.txid.toLowerCase(), vout: readVout(request.query) };
    const { contentType, body } = await options.reader.read(name, request.keyId, secret);
    return reply.type(contentType).send(body);
  });
  return app;
}

async function write(request: FastifyRequest, reply: FastifyReply, options: RoutesOptions): Promise<FastifyReply> {
  const { queue, log, pipeline, limiter, settings, cipher, unready, waits } = options;
  const wait = readWait(request.query);
  if (wait === 'accepted') queue.scheduler.clientArrived();
  const head = readHead(request.headers, { anyContentType: settings.current().writerAnyContentType });
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  const document = await readDocument(head, body, request.keyId, cipher);
  await refuseRevoked(request.keyId, options);
  const why = unready(request.keyId);
  if (why !== undefined) throw new WriteError(writeCodes.funding, 'write-api.not-ready', { reason: why.message });
  const { row, outcome } = await log.accept(document);
  if (outcome === 'conflict') throw new WriteError(writeCodes.idempotency, 'write-api.idempotency-key-used');
  if (outcome === 'new') limiter.documentAccepted();
  pipeline.accepted();
  if (wait === 'accepted') return answerAccepted(reply, row.id);
  const limit = wait === 'mined' ? waits().mined : waits().submitted;
  // The wait is no silence of the caller's.
  reply.raw.setTimeout(limit + options.silenceMs);
  const settled = await pipeline.waiters.settled(row, wait, limit);
  return answerRow(reply, settled, wait, options);
}

/** The same for a repeated request, wherever the document is by then: its state is asked for by its id. */
export function acceptedAnswer(id: string): string {
  return `{"status":202,"id":"${id}","state":"accepted"}`;
}

function answerAccepted(reply: FastifyReply, id: string): FastifyReply {
  return reply.code(202).header('location', `/api/v1/writes/${id}`).type('application/json').send(acceptedAnswer(id));
}

async function answerRow(
  reply: FastifyReply,
  row: DocumentRow,
  wait: 'submitted' | 'mined',
  { queue, reader, logger }: RoutesOptions,
): Promise<FastifyReply> {
  reply.header('location', `/api/v1/writes/${row.id}`);
  if (row.state === 'dead') throw deadError(row.dead_code, row.last_error);
  // Stored for good: an error from here on would make the caller send it a second time.
  const transaction =
    row.transaction_id === null
      ? undefined
      : await queue.transaction(row.transaction_id).catch((error: unknown) => {
          logger.error({ err: error }, 'the transaction of a document could not be read');
          return undefined;
        });
  const txid = transaction === undefined || transaction.state === 'funded' ? undefined : transaction.txid;
  if (txid !== undefined && isSettled(row, wait)) {
    const place = { vout: row.vout, blockHash: transaction?.block_hash, blockHeight: transaction?.block_height };
    // Older clients expect these two fields alone.
    return reply.code(201).send({ status: 201, txid, ...(wait === 'mined' ? place : {}) });
  }
  const { id, state } = row;
  const { reason } = reader.viewOf(row, transaction);
  return reply.code(202).send({ status: 202, id, state, ...(txid === undefined ? {} : { txid }), reason });
}

/** Programs read the reason in English alone. */
function inEnglish<Document extends DocumentView>({ failure: _, ...document }: Document): Omit<Document, 'failure'> {
  return document;
}

async function batch(request: FastifyRequest, reply: FastifyReply, options: RoutesOptions): Promise<FastifyReply> {
  const { log, limiter, keys, cipher, pipeline, clock, settings, unready } = options;
  const { writerMaxBytes, writerAnyContentType } = settings.current();
  const lines = { ...request.headers, 'content-type': 'application/json' };
  const head = readHead(lines, { anyContentType: writerAnyContentType });
  const why = unready(request.keyId);
  if (why !== undefined) throw new WriteError(writeCodes.funding, 'write-api.not-ready', { reason: why.message });
  const answers = writeBatch(request.body as Readable, {
    head,
    keyId: request.keyId,
    maxLineBytes: writerMaxBytes,
    log,
    limiter,
    cipher,
    clock,
    mayWrite: () => keys.mayWrite(request.keyId),
    accepted: () => {
      limiter.documentAccepted();
      pipeline.accepted();
    },
    failure: (error) => asWriteError(error, options),
    sender: {
      isGone: () => request.raw.socket.destroyed,
      heldUp: () => void request.raw.socket.setTimeout(options.silenceMs),
    },
  });
  const { Readable: Stream } = await import('node:stream');
  return reply
    .code(200)
    .type(BATCH_TYPE)
    .send(Stream.from(answers, { objectMode: false, highWaterMark: 65_536 }));
}

function refuseCaller(request: FastifyRequest, server: LocalServer | undefined): void {
  if (server === undefined) throw new WriteError(writeCodes.internal, 'write-api.stopping');
  const ambiguous = refuseAmbiguousTarget(request.raw);
  if (ambiguous !== undefined)
    throw new WriteError(writeCodes.body, 'write-api.target-ambiguous', { reason: ambiguous });
  if (request.headers.host === undefined) throw new WriteError(writeCodes.body, 'write-api.host-missing');
  const reason = refuseBrowser(request.headers, server);
  if (reason !== undefined) throw new WriteError(writeCodes.authorization, 'write-api.page-refused', { reason });
}

export function bearerOf(authorization: string | undefined): string | undefined {
  return /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
}

/** @returns the name under which the journal keeps the key's documents */
async function authorize(request: FastifyRequest, keys: KeyRing): Promise<string> {
  const { authorization } = request.headers;
  if (authorization === undefined) throw new WriteError(writeCodes.authorization, 'write-api.authorization-missing');
  const given = bearerOf(authorization);
  if (given === undefined) throw new WriteError(writeCodes.authorization, 'write-api.authorization-invalid');
  let keyId: string | undefined;
  try {
    keyId = await keys.check(given);
  } catch (error) {
    const { message } = error instanceof PlanchetError ? error : new PlanchetError('write-api.keys-unreadable');
    throw new WriteError(writeCodes.authorization, 'write-api.key-check-failed', { reason: message });
  }
  if (keyId === undefined) throw new WriteError(writeCodes.authorization, 'write-api.key-unknown');
  return keyId;
}

/** A body may take long to arrive, and its key be revoked meanwhile. */
export async function refuseRevoked(keyId: string, { keys }: RoutesOptions): Promise<void> {
  if (!(await keys.mayWrite(keyId))) throw new WriteError(writeCodes.authorization, 'write-api.key-revoked');
}

/** What can be refused before the body is read. */
function refuseHeaders(request: FastifyRequest, maxBytes: number, { limiter, settings }: RoutesOptions): void {
  const isBatchRoute = request.routeOptions.url === '/api/v1/write/batch';
  if (isBatchRoute) {
    if (!isBatch(request))
      throw new WriteError(writeCodes.contentType, 'write-api.batch-content-type', { type: BATCH_TYPE });
    limiter.refuseIfFull();
    return;
  }
  if (isBatch(request)) throw new WriteError(writeCodes.contentType, 'write-api.batch-misplaced');
  readHead(request.headers, { anyContentType: settings.current().writerAnyContentType });
  const length = request.headers['content-length'];
  if (Number(length ?? 0) > maxBytes) throw tooLong(maxBytes);
  request.leave.push(limiter.admit(length === undefined ? maxBytes : Number(length)));
}

function isBatch(request: FastifyRequest): boolean {
  return /^application\/x-ndjson\s*(?:;|$)/i.test(request.headers['content-type'] ?? '');
}

/** Limits the time of a body; that of a batch, which may take hours, is limited by its own silence instead. */
function limitTime(request: FastifyRequest, reply: FastifyReply, ms: number): void {
  const undo = cutOff(request.raw, reply.raw, ms, () => {
    reply.hijack();
    leave(request);
  });
  request.leave.push(undo);
}

/** Answers and cuts off a body that takes longer than `ms`. @returns what ends the limit, once the body is there */
export function cutOff(
  request: IncomingMessage,
  response: ServerResponse,
  ms: number,
  before: () => void = () => undefined,
): () => void {
  const timer = setTimeout(() => {
    const error = new WriteError(writeCodes.body, 'write-api.body-late', { ms });
    before();
    response.writeHead(408, { 'content-type': 'application/json', connection: 'close' });
    response.end(JSON.stringify(error.toBody()), () => request.destroy());
  }, ms);
  return () => clearTimeout(timer);
}

function leave(request: FastifyRequest): void {
  for (const undo of request.leave?.splice(0) ?? []) undo();
}

function tooLong(maxBytes: number): WriteError {
  return new WriteError(writeCodes.body, 'write-api.body-too-large', { limit: maxBytes });
}

function answerError(
  error: FastifyError | WriteError,
  request: FastifyRequest,
  reply: FastifyReply,
  options: RoutesOptions,
): FastifyReply {
  const answer = asWriteError(error, options);
  if (drainRefusedBody(request.raw, answer.status)) reply.header('connection', 'close');
  if (answer.retryAfter !== undefined) reply.header('retry-after', answer.retryAfter);
  return reply.code(answer.status).type('application/json').send(answer.toBody());
}

/** The error that a client gets for a failure. */
export function asWriteError(error: unknown, { logger, settings }: RoutesOptions): WriteError {
  if (error instanceof WriteError) return error;
  const { code, statusCode, message } = error as FastifyError;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return tooLong(settings.current().writerMaxBytes);
  if (error instanceof PlanchetError) return passedOn(error);
  if ((statusCode ?? 500) < 500)
    return new WriteError(writeCodes.body, 'write-api.body-unreadable', { reason: message });
  logger.error({ err: error }, 'a request to the writer failed');
  if (String(code ?? '').startsWith('SQLITE') || (error as { severity?: unknown }).severity !== undefined) {
    const failure = storeFailure(error, 'writer.db');
    const id = failure.code === 'disk-full' ? 'write-api.storage-full' : 'write-api.storage-failed';
    return new WriteError(writeCodes.storage, id, { reason: failure.message });
  }
  return new WriteError(writeCodes.internal, 'write-api.internal');
}

/** A failure of another part, with the status that this interface gives to its kind. */
function passedOn({ code, message }: PlanchetError): WriteError {
  const values = { reason: message };
  if (code === 'not-found') return new WriteError(writeCodes.notFound, 'write-api.not-found', values);
  if (code === 'proof-invalid') return new WriteError(writeCodes.body, 'write-api.not-decrypted', values);
  if (code === 'vault-locked') return new WriteError(writeCodes.internal, 'write-api.vault-locked', values);
  return new WriteError(writeCodes.internal, 'write-api.other-failed', values);
}
