import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import type { Logger } from 'pino';
import { PlanchetError } from '../../../contract/index.ts';
import { systemClock } from '../../clock.ts';
import { drainRefusedBody } from '../../infrastructure/drain-request.ts';
import { type LocalServer, listenLocally } from '../../local-server.ts';
import type { Controls } from '../controls/controls.ts';
import type { FaultArea, Faults } from '../controls/faults.ts';
import { type DataFundingOptions, dataFundingRoutes } from '../merchant/data-funding.ts';
import { type MerchantOptions, merchantRoutes } from '../merchant/routes.ts';
import type { NodeRpcDispatcher } from '../node/rpc/dispatcher.ts';
import { registerNodeRest } from '../node/rpc/rest.ts';
import { registerNodeRpc } from '../node/rpc/server.ts';
import { quotaRoutes, type TokenService, tokenRoutes } from '../token/routes.ts';
import { adminRoutes } from './admin-routes.ts';
import { ApiError, type ApiErrorCode } from './api-error.ts';
import { guardServer } from './request-guard.ts';
import { RequestPlaces } from './request-places.ts';

const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 120_000;
/** Open connections; the system cuts further ones, so this is far above what programs of one machine need. */
const MAX_CONNECTIONS = 10_000;
/** Requests worked on at the same time; further ones wait so long for a place, then they get 429. */
const MAX_REQUESTS = 256;
const PLACE_WAIT_MS = 5_000;
/** As long as the node keeps a connection nobody uses (`-rpcservertimeout`). */
const IDLE_MS = 30_000;
/** How failures of the parts below are told to clients. */
const CODES: Readonly<Record<string, ApiErrorCode>> = {
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
  readonly controls: Controls;
  /** The server it answers for, once that listens. */
  readonly local: () => LocalServer | undefined;
  readonly logger: Logger;
}

/** All of the sandbox's HTTP addresses over one network. */
export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const { logger, service, merchant, controls } = options;
  const { guard } = merchant;
  const app = fastify({ logger: false, exposeHeadRoutes: false, routerOptions: { ignoreTrailingSlash: true } });
  app.setErrorHandler((error, _request, reply) => answerFailure(error, reply, logger));
  guardServer(app, options.local);
  // whoever is refused while the body still comes can read why
  app.addHook('onSend', async (request, reply) => {
    if (reply.statusCode >= 400 && drainRefusedBody(request.raw, reply.statusCode)) reply.header('connection', 'close');
  });
  await app.register(tokenRoutes, { prefix: '/token/v1', service, guard });
  await app.register(quotaRoutes, { prefix: '/console/v1', service, guard });
  await app.register(merchantRoutes, { ...merchant, prefix: '/mapi' });
  // with the version prefix its clients put behind the address of the miner, and without
  await app.register(dataFundingRoutes, { ...merchant, prefix: '/mapi/api/v1' });
  await app.register(dataFundingRoutes, { ...merchant, prefix: '/mapi' });
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
  /** Milliseconds a connection may be idle between two requests; left out, the node's 30 seconds. */
  readonly idleMs?: number;
  /** Requests at the same time and the milliseconds a further one waits for its turn; left out, 256 and 5 seconds. */
  readonly places?: RequestPlaces;
  /** Who answers now; while the network is replaced, who will. */
  readonly app: () => Promise<FastifyInstance>;
}

/**
 * Serves all of the sandbox's HTTP addresses on one port, that stays open while the network behind it is replaced.
 * @throws PlanchetError `bind-refused` for an address other machines reach, `port-in-use`
 */
export function serveSandbox(options: SandboxServerOptions): Promise<LocalServer> {
  const { bind, faults, idleMs = IDLE_MS, app } = options;
  const { places = new RequestPlaces(MAX_REQUESTS, PLACE_WAIT_MS, systemClock) } = options;
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const area = areaOf(request.url ?? '');
    // The controls always work.
    if (!(request.url ?? '').startsWith('/admin/')) {
      if (!(await places.enter())) return refuseForNow(area, response);
      // Whoever went away while it waited, or goes away later, leaves its place as well.
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
    allowRemote: false,
    remoteFix: 'The sandbox serves programs on this machine alone.',
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
  // without a listener Node itself would ask for the body before anything is checked
  server.on('checkContinue', listener);
  return server;
}

/** The connection stays open: the body that is still on its way is read and dropped, so that the client can read the answer. */
function refuseForNow(area: FaultArea | undefined, response: ServerResponse): void {
  response.setHeader('retry-after', '1');
  writeError(response, area, 429, 'too-many-requests', 'The sandbox has too many requests to answer at the same time.');
}

/** Answers with an error in the form of the interface that was asked. */
function writeError(
  response: ServerResponse,
  area: FaultArea | undefined,
  status: number,
  code: string,
  message: string,
): void {
  if (drainRefusedBody(response.req, status)) response.setHeader('connection', 'close');
  const [type, body] =
    area === 'mapi'
      ? ['application/problem+json', { type: 'about:blank', title: message, status, traceId: randomUUID() }]
      : ['application/json', { success: false, error: { code, message } }];
  response.writeHead(status, { 'content-type': type }).end(JSON.stringify(body));
}

/** The interface a request goes to, where faults can meet it; the controls always work. */
function areaOf(url: string): FaultArea | undefined {
  if (/^\/(?:token|console)\//.test(url)) return 'token';
  if (url.startsWith('/mapi')) return 'mapi';
  return url.startsWith('/rpc') ? 'rpc' : undefined;
}

/** @returns true where the request was answered, or cut off, by a fault */
async function misbehave(faults: Faults, area: FaultArea, response: ServerResponse): Promise<boolean> {
  const latency = faults.take('latency', area);
  if (latency !== undefined) await sleep(latency.value);
  if (faults.take('drop-connection', area) !== undefined) {
    response.socket?.destroy();
    return true;
  }
  const failing = faults.take('http-error', area);
  if (failing === undefined) return false;
  const status = failing.value >= 400 && failing.value <= 599 ? failing.value : 500;
  response.setHeader('connection', 'close');
  writeError(response, area, status, 'fault', 'The sandbox rehearses a failure (fault http-error).');
  return true;
}

/** Failures of the token project, quota and control APIs: `{"success":false,"error":{"code","message"}}`. */
function answerFailure(error: unknown, reply: FastifyReply, logger: Logger): FastifyReply {
  const failure = asApiError(error);
  if (failure.code === 'internal') logger.error({ err: error }, 'the sandbox failed to answer a request');
  const { code, message, statusCode } = failure;
  return reply.code(statusCode).send({ success: false, error: { code, message } });
}

function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof PlanchetError) {
    const code = CODES[error.code];
    if (code !== undefined) return new ApiError(code, error.message);
  }
  const { statusCode = 500 } = error as { statusCode?: number };
  // what the framework itself refuses, such as a path that is not valid UTF-8
  return statusCode >= 400 && statusCode < 500
    ? new ApiError('invalid-request', 'The request cannot be read.')
    : new ApiError('internal', 'The sandbox failed to answer; its log says why.');
}
