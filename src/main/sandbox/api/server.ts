import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { type ErrorCode, PlanchetError, phrase } from '../../../contract/index.ts';
import { systemClock } from '../../clock.ts';
import { createServer } from '../../http/node-http.ts';
import { drainRefusedBody } from '../../infrastructure/drain-request.ts';
import { type LocalServer, listenLocally } from '../../local-server.ts';
import { type ArcRoutesOptions, arcRoutes } from '../arc/routes.ts';
import { type ArcadeRoutesOptions, arcadeRoutes } from '../arcade/routes.ts';
import type { Controls } from '../controls/controls.ts';
import type { FaultArea, Faults } from '../controls/faults.ts';
import { type DataFundingOptions, dataFundingRoutes } from '../merchant/data-funding.ts';
import { type MerchantOptions, merchantRoutes } from '../merchant/routes.ts';
import { merchantTexts } from '../merchant/texts.ts';
import type { NodeRpcDispatcher } from '../node/rpc/dispatcher.ts';
import { registerNodeRest } from '../node/rpc/rest.ts';
import { registerNodeRpc } from '../node/rpc/server.ts';
import { bananaBlocksRoutes } from '../public-services/bananablocks.ts';
import { blockHeadersServiceRoutes } from '../public-services/block-headers-service.ts';
import { chaintracksV1Routes } from '../public-services/chaintracks-v1.ts';
import { arcadeHeaderRoutes, cdnRoutes } from '../public-services/header-routes.ts';
import { overlayRoutes } from '../public-services/onesat/not-indexed.ts';
import { oneSatRoutes } from '../public-services/onesat/onesat.ts';
import { contentRoutes, ordfsRoutes } from '../public-services/onesat/ordfs.ts';
import { ordinalsRoutes } from '../public-services/onesat/ordinals.ts';
import type { PublicServiceOptions } from '../public-services/public-index.ts';
import { ServedHeaders } from '../public-services/served-headers.ts';
import { whatsOnChainRoutes } from '../public-services/whatsonchain.ts';
import { quotaRoutes, type TokenService, tokenRoutes } from '../token/routes.ts';
import { adminRoutes } from './admin-routes.ts';
import { ApiError, type ApiErrorCode } from './api-error.ts';
import { errorBody, type Refusal } from './error-body.ts';
import { guardServer } from './request-guard.ts';
import { RequestPlaces } from './request-places.ts';

const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 120_000;
/** Maximum open connections. The system drops further ones, so this is far above what local programs need. */
const MAX_CONNECTIONS = 10_000;
/** Maximum concurrent requests. Further ones wait this long for a slot, then get 429. */
const MAX_REQUESTS = 256;
const PLACE_WAIT_MS = 5_000;
/** Idle timeout of a connection, same as the node's (`-rpcservertimeout`). */
const IDLE_MS = 30_000;
/** Longer than a request's headers may be, so that each API checks its parameters itself. */
const LONGEST_PARAMETER = 65_536;
/** Maps error codes of services to API codes. */
const CODES: Readonly<Partial<Record<ErrorCode, ApiErrorCode>>> = {
  'invalid-input': 'invalid-request',
  'funds-insufficient': 'funds-insufficient',
  'address-invalid': 'address-invalid',
  'address-wrong-network': 'address-wrong-network',
  'not-found': 'not-found',
  conflict: 'conflict',
  'not-running': 'unavailable',
  cancelled: 'unavailable',
  'disk-full': 'unavailable',
};

export interface AppOptions {
  readonly service: TokenService;
  readonly rpc: { readonly username: string; readonly password: string; readonly dispatcher: NodeRpcDispatcher };
  readonly merchant: MerchantOptions & DataFundingOptions;
  readonly arc: ArcRoutesOptions;
  readonly arcade: ArcadeRoutesOptions;
  readonly publicServices: PublicServiceOptions;
  readonly controls: Controls;
  /** The listening server; undefined until it listens. */
  readonly local: () => LocalServer | undefined;
  readonly logger: Logger;
}

/** Registers all HTTP routes of the sandbox for one network. */
export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const { logger, service, merchant, controls } = options;
  const { guard } = merchant;
  const app = fastify({
    logger: false,
    exposeHeadRoutes: false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: LONGEST_PARAMETER },
    frameworkErrors: (_error, _request, reply) => refuseTarget(reply.raw),
  });
  app.setErrorHandler((error, request, reply) => answerFailure(error, request, reply, logger));
  guardServer(app, options.local);
  // a client that is refused while still sending can read the response
  app.addHook('onSend', async (request, reply) => {
    if (reply.statusCode >= 400 && drainRefusedBody(request.raw, reply.statusCode)) reply.header('connection', 'close');
  });
  await app.register(tokenRoutes, { prefix: '/token/v1', service, guard });
  await app.register(quotaRoutes, { prefix: '/console/v1', service, guard });
  await app.register(merchantRoutes, { ...merchant, prefix: '/mapi' });
  // with the version prefix that clients append to the miner's address, and without
  await app.register(dataFundingRoutes, { ...merchant, prefix: '/mapi/api/v1' });
  await app.register(dataFundingRoutes, { ...merchant, prefix: '/mapi' });
  await app.register(arcRoutes, { ...options.arc, prefix: '/arc/v1' });
  await app.register(arcRoutes, { ...options.arc, isOpen: true, prefix: '/open-arc/v1' });
  await app.register(whatsOnChainRoutes, { ...options.publicServices, prefix: '/woc/v1/bsv/test' });
  await app.register(bananaBlocksRoutes, { ...options.publicServices, prefix: '/bananablocks/api/v1' });
  await app.register(oneSatRoutes, { ...options.publicServices, prefix: ONESAT });
  await app.register(ordfsRoutes, { ...options.publicServices, prefix: `${ONESAT}/ordfs` });
  await app.register(contentRoutes, { ...options.publicServices, prefix: '/content' });
  await app.register(overlayRoutes, { prefix: `${ONESAT}/overlay` });
  await app.register(ordinalsRoutes, { ...options.publicServices, prefix: '/ordinals/api' });
  const { node } = options.publicServices.index;
  const { faults } = options.publicServices;
  const headersAs = (area: FaultArea) => ({ node, served: new ServedHeaders(node, faults, area) });
  await app.register(arcadeRoutes, { ...options.arcade, prefix: '/arcade' });
  await app.register(arcadeHeaderRoutes, { ...headersAs('arcade'), prefix: '/arcade/chaintracks/v2' });
  await app.register(chaintracksV1Routes, { ...headersAs('arcade'), prefix: '/arcade/chaintracks/v1' });
  await app.register(arcadeRoutes, { ...options.arcade, prefix: `${ONESAT}/arcade` });
  await app.register(arcadeHeaderRoutes, { ...headersAs('onesat'), prefix: `${ONESAT}/chaintracks` });
  await app.register(blockHeadersServiceRoutes, { node, prefix: '/bhs/api/v1' });
  await app.register(cdnRoutes, { ...headersAs('cdn'), prefix: '/cdn' });
  await app.register(adminRoutes, { prefix: '/admin', controls, guard });
  const { dispatcher, username, password } = options.rpc;
  await app.register(registerNodeRpc, { prefix: '/rpc', rpc: dispatcher, username, password });
  await app.register(registerNodeRest, { prefix: '/rest', rpc: dispatcher });
  await app.ready();
  return app;
}

export interface SandboxServerOptions {
  /** Setting `sandbox.bind`. */
  readonly bind: string;
  readonly faults: Faults;
  /** Milliseconds until an idle connection is closed; defaults to the node's 30 seconds. */
  readonly idleMs?: number;
  /** Limit of concurrent requests and their waiting time in milliseconds; defaults to 256 and 5 seconds. */
  readonly places?: RequestPlaces;
  /** The current application. While the network is replaced, a promise of the next one. */
  readonly app: () => Promise<FastifyInstance>;
}

/**
 * Serves all HTTP routes of the sandbox on one port, which stays open while the network is replaced.
 * @throws PlanchetError `bind-refused` for an address that other machines can reach, `port-in-use`
 */
export function serveSandbox(options: SandboxServerOptions): Promise<LocalServer> {
  const { bind, faults, idleMs = IDLE_MS, app } = options;
  const { places = new RequestPlaces(MAX_REQUESTS, PLACE_WAIT_MS, systemClock) } = options;
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const area = areaOf(request.url ?? '');
    // The control API always works.
    if (!(request.url ?? '').startsWith('/admin/')) {
      if (!(await places.enter())) return refuseForNow(response);
      // A request also releases its slot if its client disconnects, while waiting or later.
      if (response.destroyed || response.closed) places.leave();
      else response.once('close', () => places.leave());
    }
    if (area !== undefined && (await misbehave(faults, area, response))) return;
    (await app()).routing(request, response);
  };
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    answer(request, response).catch(() => response.destroy());
  };
  return listenLocally({
    bind,
    key: 'sandbox.bind',
    remoteFix: phrase('fix.sandbox-local'),
    create: () => httpServer(listener, idleMs),
  });
}

function httpServer(
  listener: (request: IncomingMessage, response: ServerResponse) => void,
  keepAliveTimeout: number,
): Server {
  const server = createServer({
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout,
    keepAliveTimeoutBuffer: 0,
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.on('request', listener);
  // without a listener Node would send "100 Continue" before any check
  server.on('checkContinue', listener);
  return server;
}

/** Refuses a request without closing the connection: the rest of the body is read and discarded, so that the client can read the response. */
function refuseForNow(response: ServerResponse): void {
  response.setHeader('retry-after', '1');
  writeError(response, { status: 429, code: 'too-many-requests', message: textOf('sandbox-api.busy') });
}

/** Refuses a path whose escapes are not UTF-8. The framework finds no route for it and calls no error handler. */
function refuseTarget(response: ServerResponse): void {
  const isTxid = response.req.url?.startsWith('/mapi/tx/') === true;
  const message = isTxid ? merchantTexts.txidInvalid : textOf('sandbox-api.request-unreadable');
  writeError(response, { status: 400, code: 'invalid-request', message });
}

function textOf(id: 'sandbox-api.busy' | 'sandbox-api.fault' | 'sandbox-api.request-unreadable'): string {
  return new PlanchetError(id).message;
}

/** Answers a request that reaches no route with an error. */
function writeError(response: ServerResponse, refusal: Refusal): void {
  if (drainRefusedBody(response.req, refusal.status)) response.setHeader('connection', 'close');
  const { type, text } = errorBody(response.req.url ?? '', refusal);
  response.writeHead(refusal.status, { 'content-type': type }).end(text);
}

const publicAreas = ['woc', 'bananablocks', 'arcade', 'cdn'] as const;
const ONESAT = '/1sat';

/** The API of a request, if faults apply to it. They never apply to the control API. */
function areaOf(url: string): FaultArea | undefined {
  if (/^\/(?:token|console)\//.test(url)) return 'token';
  if (url.startsWith('/mapi')) return 'mapi';
  if (/^\/(?:open-)?arc\//.test(url)) return 'arc';
  if (url.startsWith('/rpc')) return 'rpc';
  if (url.startsWith(`${ONESAT}/`)) return 'onesat';
  return publicAreas.find((area) => url.startsWith(`/${area}/`));
}

/** @returns true if a fault answered the request or closed its connection */
async function misbehave(faults: Faults, area: FaultArea, response: ServerResponse): Promise<boolean> {
  const latency = faults.take('latency', area);
  if (latency !== undefined) await sleep(latency.value);
  if (faults.take('drop-connection', area) !== undefined) {
    response.socket?.destroy();
    return true;
  }
  if (faults.take('html-answer', area) !== undefined) return sendPage(response, 200, 'Welcome to this network');
  if (faults.take('too-many-requests', area) !== undefined) {
    response.setHeader('retry-after', '1');
    return sendPage(response, 429, '429 Too Many Requests');
  }
  const isPublic = publicAreas.some((one) => one === area);
  if (isPublic && faults.take('endless-body', area) !== undefined) return sendWithoutEnd(response);
  if (faults.take('half-answer', area) !== undefined) cutInHalf(response);
  const drip = faults.take('slow-drip', area);
  if (drip !== undefined) dripOut(response, drip.value);
  const failing = faults.take('http-error', area);
  if (failing === undefined) return false;
  const status = failing.value >= 400 && failing.value <= 599 ? failing.value : 500;
  response.setHeader('connection', 'close');
  writeError(response, { status, code: 'fault', message: textOf('sandbox-api.fault') });
  return true;
}

/** Sends an HTML page like those of proxies and captive portals. */
function sendPage(response: ServerResponse, status: 200 | 429, title: string): true {
  response.writeHead(status, { 'content-type': 'text/html', connection: 'close' });
  response.end(`<html><head><title>${title}</title></head><body><h1>${title}</h1><hr>nginx</body></html>`);
  return true;
}

/** Sends half of the announced body, then closes the connection. */
function cutInHalf(response: ServerResponse): void {
  response.end = ((body: string | Uint8Array = '') => {
    const bytes = Buffer.from(body as string);
    response.write(bytes.subarray(0, Math.ceil(bytes.length / 2)), () => response.destroy());
    return response;
  }) as typeof response.end;
}

/** Sends an answer byte by byte. @param ms between two of them */
function dripOut(response: ServerResponse, ms: number): void {
  const end = response.end.bind(response);
  response.end = ((body: string | Uint8Array = '') => {
    const bytes = Buffer.from(body as string);
    const next = (at: number): void => {
      if (response.destroyed) return;
      if (at >= bytes.length) return void end();
      response.write(bytes.subarray(at, at + 1));
      setTimeout(next, ms, at + 1).unref();
    };
    next(0);
    return response;
  }) as typeof response.end;
}

/** Sends a body without an end, as fast as the client reads it. @returns true */
function sendWithoutEnd(response: ServerResponse): true {
  response.writeHead(200, { 'content-type': 'application/json' });
  const piece = Buffer.alloc(65_536, '[');
  const send = (): void => {
    while (!response.destroyed && response.write(piece));
  };
  response.on('drain', send);
  send();
  return true;
}

/** Answers errors that no API's own handler answers: those of the token project, quota and control APIs, and of unknown addresses. */
function answerFailure(error: unknown, request: FastifyRequest, reply: FastifyReply, logger: Logger): FastifyReply {
  const failure = asApiError(error);
  if (failure.code === 'internal') logger.error({ err: error }, 'the sandbox failed to answer a request');
  const { code, message, statusCode: status } = failure;
  const { type, text } = errorBody(request.url, { status, code, message });
  return reply.code(status).type(type).send(text);
}

function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof PlanchetError) {
    const code = CODES[error.code];
    if (code !== undefined) return new ApiError(code, 'sandbox-api.passed-on', { reason: error.message });
  }
  const { statusCode = 500 } = error as { statusCode?: number };
  // refused by the framework itself, such as a body of another length than announced
  return statusCode >= 400 && statusCode < 500
    ? new ApiError('invalid-request', 'sandbox-api.request-unreadable')
    : new ApiError('internal', 'sandbox-api.internal');
}
