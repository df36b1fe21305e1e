import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { drainBeforeClose } from '../../infrastructure/drain-request.ts';
import { type LocalServer, PAGES_REFUSED, refuseAmbiguousTarget, refuseBrowser } from '../../local-server.ts';
import { type ApiKeyStore, type Client, isExactOrigin, tooOften } from './api-key-store.ts';
import type { Authenticator } from './authenticator.ts';

const WRONG_PASSWORD_DELAY_MS = 250;
/** Bodies of refused requests up to this size are read and discarded, so that the connection can be reused. */
const SMALL_BODY = 64 * 1024;
/** The longest list of outputs for a REST path takes a few kilobytes. */
const REST_BODY_BYTES = 64 * 1024;
/** Most unauthenticated connections. One more closes the oldest of them. */
const MAX_UNAUTHENTICATED = 512;
const PREFLIGHT_SECONDS = 600;
/** The hint for pages. The page cannot read it; it is shown in the traffic. */
const PAIRING_FIX = 'Allow its origin under Gateway, Keys, or let it ask with POST /pair.';

export const securityHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'",
  'x-content-type-options': 'nosniff',
} as const;

export interface Refusal {
  readonly status: number;
  readonly text: string;
  readonly headers?: Record<string, string>;
}

export const unauthorized: Refusal = {
  status: 401,
  text: '',
  headers: { 'www-authenticate': 'Basic realm="jsonrpc"' },
};

export type Admission =
  | { readonly pairing: string }
  | { readonly client: Client | undefined; readonly rest: boolean; readonly headers: Record<string, string> }
  | { readonly refusal: Refusal; readonly client?: Client | undefined };

export interface RequestGuardOptions {
  server: () => LocalServer | undefined;
  credentials: () => Authenticator | undefined;
  keyStore: ApiKeyStore | undefined;
  bodyBytes: number;
  openRest: () => boolean;
}

/** Makes all checks that are possible before the body of a request is read, in the order of docs/security.md. */
export class RequestGuard {
  readonly #options: RequestGuardOptions;
  readonly #unauthenticated = new Set<Socket>();

  constructor(options: RequestGuardOptions) {
    this.#options = options;
  }

  /**
   * Registers a new connection. Unauthenticated connections only replace each other, however many there are. An authenticated client keeps
   * its connection.
   */
  onConnection(socket: Socket): void {
    this.#unauthenticated.add(socket);
    socket.once('close', () => this.#unauthenticated.delete(socket));
    if (this.#unauthenticated.size <= MAX_UNAUTHENTICATED) return;
    const [oldest] = this.#unauthenticated;
    if (oldest === undefined) return;
    this.#unauthenticated.delete(oldest);
    oldest.destroy();
  }

  /** Returns a promise only if the client has to wait, as after a wrong password. */
  check(request: IncomingMessage): Admission | Promise<Admission> {
    const { keyStore } = this.#options;
    const server = this.#options.server();
    if (server === undefined) return { refusal: { status: 503, text: 'Shutting down' } };
    const ambiguous = refuseAmbiguousTarget(request);
    if (ambiguous !== undefined) return { refusal: { status: 400, text: ambiguous } };
    if (request.url === '/pair') return checkPairing(request, server);
    const rest = request.url?.startsWith('/rest/') === true;
    const isPaired = (origin: string): boolean => keyStore?.isPaired(origin) === true;
    const { origin } = request.headers;
    if (
      request.method === 'OPTIONS' &&
      origin !== undefined &&
      isPaired(origin) &&
      server.isOurs(request.headers.host)
    ) {
      return { refusal: preflight(origin) };
    }
    if (request.method !== 'POST' && !(rest && (request.method === 'GET' || request.method === 'HEAD'))) {
      const text = rest ? 'REST paths are read with GET' : 'JSONRPC server handles only POST requests';
      return { refusal: { status: 405, text, headers: { allow: rest ? 'GET, HEAD, POST' : 'POST' } } };
    }
    const browser = refuseBrowser(request.headers, server, isPaired);
    if (browser !== undefined) {
      return { refusal: { status: 403, text: browser === PAGES_REFUSED ? `${browser} ${PAIRING_FIX}` : browser } };
    }
    const headers: Record<string, string> =
      origin === undefined ? {} : { 'access-control-allow-origin': origin, vary: 'Origin' };
    if (!rest && !isAcceptedType(request.headers)) {
      return { refusal: { status: 415, text: 'Content-Type must be application/json, text/plain or absent', headers } };
    }
    if (!rest && request.url !== '/') return { refusal: { status: 404, text: '' } };
    const found = this.#identify(request, rest);
    const enter = (client: Client | undefined | Refusal): Admission => {
      if (client !== undefined && 'status' in client) {
        return { refusal: { ...client, headers: { ...client.headers, ...headers } } };
      }
      if (client?.take() === false) {
        const { text, seconds } = tooOften(client);
        return { refusal: { status: 429, text, headers: { 'retry-after': String(seconds), ...headers } }, client };
      }
      const limit = this.bodyLimit(client, rest);
      if (Number(request.headers['content-length'] ?? 0) > limit) {
        return { refusal: { ...tooLarge(limit), headers }, client };
      }
      this.#unauthenticated.delete(request.socket);
      return { client, rest, headers };
    };
    return found instanceof Promise ? found.then(enter) : enter(found);
  }

  /** Most bytes of a body. */
  bodyLimit(client: Client | undefined, rest: boolean): number {
    const { bodyBytes } = this.#options;
    return Math.min(bodyBytes, rest ? REST_BODY_BYTES : (client?.bodyBytes ?? bodyBytes));
  }

  /**
   * Authenticates a plain `POST /`; only rate and size are left to check then. If the result is undefined, {@link check} still has to
   * decide and refuse.
   */
  authenticate(headers: IncomingHttpHeaders, socket: Socket): Client | undefined {
    const server = this.#options.server();
    const { authorization } = headers;
    if (server === undefined || authorization === undefined || headers.origin !== undefined) return undefined;
    if (refuseBrowser(headers, server) !== undefined || !isAcceptedType(headers)) return undefined;
    const client = this.#options.credentials()?.identify(authorization);
    if (client !== undefined) this.#unauthenticated.delete(socket);
    return client;
  }

  #identify(request: IncomingMessage, rest: boolean): Client | undefined | Refusal | Promise<Refusal> {
    const { authorization } = request.headers;
    const client = authorization === undefined ? undefined : this.#options.credentials()?.identify(authorization);
    if (client !== undefined) return client;
    if (authorization === undefined && rest && this.#options.openRest() && !isFromBrowser(request.headers)) {
      return undefined;
    }
    if (authorization === undefined) return unauthorized;
    return delay(WRONG_PASSWORD_DELAY_MS, undefined, { ref: false }).then(() => unauthorized);
  }
}

/**
 * A pairing request must be one that a page can send without a CORS preflight (no custom header), because a preflight would be refused.
 * Only scripts of web pages may send it.
 */
function checkPairing(request: IncomingMessage, server: LocalServer): Admission {
  const { headers, method } = request;
  if (method !== 'POST') {
    return { refusal: { status: 405, text: 'Pairing is asked for with POST', headers: { allow: 'POST' } } };
  }
  const browser = refuseBrowser(headers, server, isExactOrigin);
  if (browser !== undefined) return { refusal: { status: 403, text: browser } };
  const mode = headers['sec-fetch-mode'];
  if (headers.origin === undefined || (mode !== undefined && mode !== 'cors')) {
    return { refusal: { status: 403, text: 'Only the script of a web page can ask to be paired.' } };
  }
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() ?? 'text/plain';
  if (type !== 'text/plain') return { refusal: { status: 415, text: 'Content-Type must be text/plain or absent' } };
  return { pairing: headers.origin };
}

export function tooLarge(bytes: number): Refusal {
  return { status: 413, text: `A request may hold at most ${bytes} bytes` };
}

/** Answers without reading the body. If a large body is still to come, the connection is closed once the client has read the reason. */
export function refuse(request: IncomingMessage, response: ServerResponse, { status, text, headers }: Refusal): void {
  const length = request.headers['content-length'];
  const chunked = request.headers['transfer-encoding'] !== undefined;
  const keep = status !== 413 && !chunked && Number(length ?? 0) <= SMALL_BODY && request.headers.expect === undefined;
  if (!keep) drainBeforeClose(request);
  response.writeHead(status, {
    ...securityHeaders,
    ...(text === '' ? {} : { 'content-type': 'text/plain; charset=utf-8' }),
    'content-length': Buffer.byteLength(text),
    ...(keep ? {} : { connection: 'close' }),
    ...headers,
  });
  response.end(text);
}

function preflight(origin: string): Refusal {
  return {
    status: 204,
    text: '',
    headers: {
      'access-control-allow-origin': origin,
      'access-control-allow-methods': 'POST, GET',
      'access-control-allow-headers': 'authorization, content-type',
      'access-control-max-age': String(PREFLIGHT_SECONDS),
      vary: 'Origin',
    },
  };
}

const jsonTypes = new Set(['', 'application/json', 'application/json-rpc', 'text/plain']);

/**
 * Clients of full nodes send JSON, plain text or no type at all. `curl -d` always sends the type of a form. Together with a browser's
 * headers, it is a form.
 */
function isAcceptedType(headers: IncomingHttpHeaders): boolean {
  const header = headers['content-type'];
  if (header === undefined || header === 'application/json') return true;
  const type = header.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (jsonTypes.has(type)) return true;
  return type === 'application/x-www-form-urlencoded' && !isFromBrowser(headers);
}

function isFromBrowser(headers: IncomingHttpHeaders): boolean {
  return headers.origin !== undefined || Object.keys(headers).some((name) => name.startsWith('sec-fetch-'));
}
