import type { IncomingHttpHeaders } from 'node:http';
import {
  type ErrorArguments,
  type ErrorId,
  type Failure,
  httpStatusOf,
  PlanchetError,
} from '../../../contract/index.ts';

/** A request before its body is read. */
export interface RequestHead {
  readonly method: string;
  /** Request target as received. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly hostHeaders: number;
}

export interface Refusal {
  readonly status: number;
  readonly failure: Failure;
  readonly headers?: Record<string, string>;
}

export type Area = 'api' | 'session' | 'page';

/** Which part of the console a request target belongs to. */
export function areaOf(url: string): Area {
  const path = url.split('?', 1)[0] as string;
  if (path === '/api' || path.startsWith('/api/')) return 'api';
  return path === '/session' ? 'session' : 'page';
}

/**
 * Every name a browser may call the console by, as `Host` headers carry it.
 * @param bound addresses it listens on
 */
export function acceptedHosts(bound: readonly string[], port: number): string[] {
  const names = new Set([
    'localhost',
    '127.0.0.1',
    '[::1]',
    ...bound.map((host) => (host.includes(':') ? `[${host}]` : host)),
  ]);
  return [...names].flatMap((name) => (port === 80 ? [`${name}:80`, name] : [`${name}:${port}`]));
}

const methods: Readonly<Record<Area, readonly string[]>> = {
  api: ['POST'],
  session: ['GET', 'POST'],
  page: ['GET', 'HEAD'],
};

const contentTypes: Readonly<Record<Area, readonly string[]>> = {
  api: ['application/json', 'multipart/form-data'],
  session: ['application/json'],
  page: [],
};

/**
 * The checks that need no credential, in their fixed order: request target, method, Host, Origin, Sec-Fetch-Site, content type. Each is
 * decided by exact comparison. Together they reject every page of another origin, including one whose name was rebound to this machine (DNS rebinding).
 * @param hosts accepted Host headers; the first one is named in hints
 */
export function checkHead(head: RequestHead, hosts: readonly string[]): Refusal | undefined {
  const { method, url, headers } = head;
  const [host = ''] = hosts;
  if (!url.startsWith('/')) return refusal('console.target-not-a-path');
  const area = areaOf(url);
  if (!methods[area].includes(method)) {
    const allowed = methods[area].join(', ');
    return { ...refusal('console.method-not-allowed', { allowed }), headers: { allow: allowed } };
  }
  if (head.hostHeaders !== 1 || headers.host === undefined || !hosts.includes(headers.host.toLowerCase()))
    return refusal('console.host-refused', { hosts: hosts.join(', '), host });
  if (headers.origin !== undefined && headers.origin.toLowerCase() !== `http://${headers.host.toLowerCase()}`)
    return refusal('console.origin-refused', { host });
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'none' && site !== 'same-origin')
    return refusal('console.origin-refused', { host });
  if (method === 'POST' && !contentTypes[area].includes(mediaType(headers['content-type'])))
    return refusal('console.content-type-refused', { types: contentTypes[area].join(' or ') });
  return undefined;
}

function mediaType(header: string | undefined): string {
  return (header ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** An answer that refuses a request, with the status of its failure. */
export function refusal<Id extends ErrorId>(id: Id, ...args: ErrorArguments<Id>): Refusal {
  const failure = new PlanchetError(id, ...args).toFailure();
  return { status: httpStatusOf(failure), failure };
}
