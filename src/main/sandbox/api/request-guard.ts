import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { parseJson } from '../../json-in-turns.ts';
import { type LocalServer, refuseAmbiguousTarget, refuseBrowser } from '../../local-server.ts';
import { ApiError } from './api-error.ts';
import type { ApiKeys, KeyOwner } from './api-keys.ts';
import { declaredBytes, readBytes } from './body-bytes.ts';
import type { RateLimiter } from './rate-limiter.ts';

/**
 * Limits of a JSON body, because parsed values can take far more memory than their bytes. 10,000 transactions with callbacks have about
 * 60,000 values.
 */
const BODY_LIMITS = { levels: 64, values: 400_000, names: 10_000 } as const;
declare module 'fastify' {
  interface FastifyContextConfig {
    /** Accepted media types; defaults to `application/json`. */
    mediaTypes?: readonly string[];
    /** Maximum body size in bytes, read on every request because the setting may change. */
    maxBytes?: () => number;
    /** Passes the body on as a stream, for bodies too large for memory. */
    streamed?: boolean;
  }
  interface FastifyRequest {
    /** Owner of the request's API key; set for every route within {@link guardScope}. */
    owner: KeyOwner;
  }
}

const DEFAULT_MAX_BYTES = 1_048_576;
const METHODS_WITH_BODY = new Set(['POST', 'PUT']);

/** Server-wide checks: path and method, then Host, Origin and Sec-Fetch-Site. */
export function guardServer(app: FastifyInstance, local: () => LocalServer | undefined): void {
  const paths = new Map<string, { pattern: RegExp; methods: Set<string> }>();
  app.addHook('onRoute', ({ url, method }) => {
    const path = paths.get(url) ?? { pattern: patternOf(url), methods: new Set() };
    for (const one of [method].flat()) path.methods.add(one);
    paths.set(url, path);
  });
  app.addHook('onRequest', async (request, reply) => {
    if (request.is404) {
      const asked = request.url.split('?')[0] as string;
      const found = [...paths.values()].filter(({ pattern }) => pattern.test(asked));
      const methods = [...new Set(found.flatMap((path) => [...path.methods]))];
      if (methods.length === 0) throw new ApiError('not-found', 'sandbox-api.address-unknown');
      reply.header('allow', methods.join(', '));
      throw new ApiError('method-not-allowed', 'sandbox-api.method-not-allowed', { methods: methods.join(' and ') });
    }
    const server = local();
    if (server === undefined) throw new ApiError('unavailable', 'sandbox-api.unavailable');
    const ambiguous = refuseAmbiguousTarget(request.raw);
    if (ambiguous !== undefined) throw new ApiError('invalid-request', 'sandbox-api.passed-on', { reason: ambiguous });
    const refusal = refuseBrowser(request.headers, server);
    if (refusal !== undefined) throw new ApiError('caller-refused', 'sandbox-api.passed-on', { reason: refusal });
  });
  app.addHook('preParsing', async (request, reply, payload) => {
    // a client with "Expect: 100-continue" may send its body only after all checks passed
    if (request.headers.expect?.toLowerCase() === '100-continue') reply.raw.writeContinue();
    return payload;
  });
}

function patternOf(url: string): RegExp {
  const parts = url
    .split('/')
    .map((part) => (part.startsWith(':') ? '[^/]+' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')));
  return new RegExp(`^${parts.join('/').replace(/\/$/, '')}/?$`);
}

/** How clients of a scope authenticate; `none` accepts every client. */
export type CredentialScheme = 'apikey' | 'bearer' | 'bearer-or-key' | 'any' | 'none';

/** Owner of all requests to scopes without authentication. */
const ANYBODY: KeyOwner = { keyHash: 'anybody', userUid: 'anybody' };

/** Authentication and rate limit of a scope. */
export interface ScopeGuard {
  readonly keys: ApiKeys;
  readonly limiter: RateLimiter;
}

/**
 * Checks for the routes of a scope before the body is read: content type, credential, size, rate. Then it parses the body: JSON as a value,
 * anything else as bytes.
 */
export function guardScope(app: FastifyInstance, { keys, limiter }: ScopeGuard, scheme: CredentialScheme): void {
  app.decorateRequest('owner');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', async (request: FastifyRequest, payload: Readable) =>
    request.routeOptions.config.streamed === true ? payload : readBody(request, payload),
  );
  app.addHook('onRequest', async (request, reply) => {
    const { mediaTypes = ['application/json'] } = request.routeOptions.config;
    if (METHODS_WITH_BODY.has(request.method) && !mediaTypes.includes(mediaType(request))) {
      throw new ApiError('content-type-unsupported', 'sandbox-api.content-type-unsupported', {
        types: mediaTypes.join(' or '),
      });
    }
    request.owner = ownerOf(request, keys, scheme);
    if ((declaredBytes(request.headers) ?? 0) > maxBytes(request)) throw tooLarge(maxBytes(request));
    const wait = limiter.take(request.owner.keyHash);
    if (wait === 0) return;
    reply.header('retry-after', wait);
    throw new ApiError('too-many-requests', 'sandbox-api.too-many-requests', { seconds: wait });
  });
}

function ownerOf({ headers }: FastifyRequest, keys: ApiKeys, scheme: CredentialScheme): KeyOwner {
  if (scheme === 'none') return ANYBODY;
  const bearer = scheme === 'apikey' ? headers.apikey : bearerOf(headers.authorization ?? '', scheme);
  const given = scheme === 'any' ? (bearer ?? headers['api-key']) : bearer;
  if (typeof given !== 'string' || given === '') {
    const header = scheme === 'apikey' ? 'Apikey: <key>' : 'Authorization: Bearer <key>';
    throw new ApiError('api-key-missing', 'sandbox-api.api-key-missing', { header });
  }
  const owner = keys.find(given);
  if (owner === undefined) throw new ApiError('api-key-unknown', 'sandbox-api.api-key-unknown');
  return owner;
}

function bearerOf(authorization: string, scheme: CredentialScheme): string | undefined {
  const [, key] = /^Bearer +(\S+)$/i.exec(authorization) ?? [];
  const takesKeyAlone = scheme !== 'bearer' && authorization !== '' && !authorization.includes(' ');
  return key === undefined && takesKeyAlone ? authorization : key;
}

function mediaType({ headers }: FastifyRequest): string {
  return ((headers['content-type'] ?? '').split(';')[0] as string).trim().toLowerCase();
}

function maxBytes({ routeOptions }: FastifyRequest): number {
  return routeOptions.config.maxBytes?.() ?? DEFAULT_MAX_BYTES;
}

function tooLarge(limit: number): ApiError {
  return new ApiError('too-large', 'sandbox-api.body-too-large', { limit });
}

/** @returns undefined for an empty body */
async function readBody(request: FastifyRequest, payload: Readable): Promise<unknown> {
  const limit = maxBytes(request);
  const body = await readBytes(payload, {
    declared: declaredBytes(request.headers),
    limit,
    tooLarge: () => tooLarge(limit),
    cutOff: () => new ApiError('invalid-request', 'sandbox-api.body-cut-off'),
  });
  if (mediaType(request) !== 'application/json') return body;
  if (body.length === 0) return undefined;
  try {
    return await parseJson(body, BODY_LIMITS);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new ApiError('invalid-request', 'sandbox-api.body-not-json');
  }
}
