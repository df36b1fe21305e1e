import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, Server } from 'node:http';
import { isIP, type Server as NetServer } from 'node:net';
import { hostname } from 'node:os';
import { type Phrase, PlanchetError } from '../contract/index.ts';

/** Connections that still work when a server stops get this long to end their request. */
const STOP_GRACE_MS = 1_000;
/** With port 0 the system chooses for IPv4; the same port may be taken for IPv6, so another is tried. */
const PORT_ATTEMPTS = 10;
const LOOPBACK = ['127.0.0.1', '::1'];
/** The refusal for a web page that is not paired. */
export const PAGES_REFUSED = 'Web pages may not call this address.';
const WILDCARDS = new Set(['0.0.0.0', '::', '*']);

export interface Bind {
  readonly hosts: readonly string[];
  readonly port: number;
  /** True where only this machine can connect. */
  readonly loopback: boolean;
}

/**
 * Reads `host:port` as the settings have it: an empty host and `localhost` mean loopback, IPv4 and IPv6 both.
 * @example parseBind(':8332') // { hosts: ['127.0.0.1', '::1'], port: 8332, loopback: true }
 */
export function parseBind(text: string): Bind {
  const at = text.lastIndexOf(':');
  const port = Number(text.slice(at + 1));
  const host = text.slice(0, at).replace(/^\[(.*)\]$/, '$1');
  if (host === '' || host === 'localhost') return { hosts: LOOPBACK, port, loopback: true };
  return { hosts: [host], port, loopback: host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host) };
}

/** Refuses an address that other machines can reach while the credentials are generated ones. @param fix null where they are the user's own */
export function refuseRemote(bind: Bind, key: string, fix: Phrase | null): void {
  if (bind.loopback || fix === null) return;
  throw new PlanchetError('server.bind-refused', { key, hosts: bind.hosts.join(', '), fix, port: bind.port });
}

/** Says in plain words why an address could not be listened on. */
export function listenFailure(error: unknown, host: string, port: number, key: string, example: string): PlanchetError {
  const code = (error as { code?: string } | null)?.code;
  const where = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  if (code === 'EADDRINUSE') {
    return new PlanchetError('server.port-in-use', { where, key, example }, { detail: { port }, cause: error });
  }
  const reason = error instanceof Error ? error.message : String(error);
  return new PlanchetError('server.listen-failed', { where, reason, key, example }, { cause: error });
}

export interface ListenOptions {
  /** As the setting has it, e.g. `:8332`. */
  bind: string;
  /** Name of the setting, for hints. */
  key: string;
  /** What to do before other machines can be let in; null where they may be, because the credentials are the user's own. */
  remoteFix: Phrase | null;
  /** Makes a server; called once for each address. */
  create: () => Server;
}

export interface LocalServer {
  readonly port: number;
  /** `http://host:port` as a client on this machine uses it. */
  readonly url: string;
  /** Which Host headers it answers to, as a sentence. */
  readonly hostRule: string;
  /** Whether a request's Host header names this server: a page that rebinds its own name to our address does not. */
  isOurs(host: string | undefined): boolean;
  /** Stops accepting, gives running requests a second, then cuts them. */
  close(): Promise<void>;
}

/**
 * Listens on the address of a setting.
 * @throws PlanchetError `port-in-use`, `bind-refused`
 */
export async function listenLocally(options: ListenOptions): Promise<LocalServer> {
  const bind = parseBind(options.bind);
  refuseRemote(bind, options.key, options.remoteFix);
  for (let attempt = 1; ; attempt++) {
    const servers: Server[] = [];
    let port = bind.port;
    try {
      for (const host of bind.hosts) {
        const server = options.create();
        const bound = await listenOn(server, host, port).catch((error: unknown) => {
          if (servers.length > 0 && isMissingAddress(error)) return undefined;
          throw listenFailure(error, host, port, options.key, exampleFor(options.bind));
        });
        if (bound === undefined) continue;
        servers.push(server);
        port = bound;
      }
    } catch (error) {
      await closeAll(servers);
      const luckless = bind.port === 0 && error instanceof PlanchetError && error.code === 'port-in-use';
      if (luckless && attempt < PORT_ATTEMPTS) continue;
      throw error;
    }
    const first = bind.hosts[0] as string;
    const shown = WILDCARDS.has(first) ? '127.0.0.1' : first.includes(':') ? `[${first}]` : first;
    return {
      port,
      url: `http://${shown}:${port}`,
      hostRule: hostRule(bind, port),
      isOurs: (host) => isOurHost(host, bind, port),
      close: () => closeAll(servers),
    };
  }
}

/** The same host with the next port. */
function exampleFor(bind: string): string {
  const at = bind.lastIndexOf(':');
  const port = Number(bind.slice(at + 1));
  return `${bind.slice(0, at)}:${port >= 65_535 ? 0 : port + 1}`;
}

function listenOn(server: NetServer, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, ipv6Only: host === '::1' }, () => {
      server.off('error', reject);
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

/** A machine may have no IPv6; loopback is then IPv4 alone. */
export function isMissingAddress(error: unknown): boolean {
  const code = (error as { code?: string } | null)?.code;
  return code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT';
}

async function closeAll(servers: readonly Server[]): Promise<void> {
  await Promise.all(
    servers.map(
      (server) =>
        new Promise<void>((resolve) => {
          const cut = setTimeout(() => server.closeAllConnections(), STOP_GRACE_MS);
          server.close(() => {
            clearTimeout(cut);
            resolve();
          });
          server.closeIdleConnections();
        }),
    ),
  );
}

/**
 * A name without a port is taken too: full-node clients send it that way, and a browser never does for a port other than 80.
 */
function isOurHost(host: string | undefined, bind: Bind, port: number): boolean {
  const match = /^(\[[0-9a-f:.]+\]|[^:[\]]+)(?::(\d{1,5}))?$/i.exec(host ?? '');
  if (match === null) return false;
  if (match[2] !== undefined && match[2] !== String(port)) return false;
  const name = (match[1] as string).toLowerCase().replace(/^\[(.*)\]$/, '$1');
  if (name === 'localhost' || LOOPBACK.includes(name) || bind.hosts.includes(name)) return true;
  // Rebinding needs a name of the attacker's own: an address, or the machine's name, cannot be one.
  return !bind.loopback && (isIP(name) !== 0 || name === hostname().toLowerCase());
}

function hostRule(bind: Bind, port: number): string {
  const others = bind.loopback ? '' : ', or this machine’s name or address with that port';
  return `The Host header must be 127.0.0.1:${port}, localhost:${port} or [::1]:${port}${others}.`;
}

/**
 * Refuses requests that name their server more than once: with several Host headers, or with a target such as `http://other/path`, which
 * overrules the Host header. Servers and proxies disagree about which name counts, so the check of Host would prove nothing.
 * @returns why the request is refused (HTTP 400), as a sentence
 */
export function refuseAmbiguousTarget({
  url,
  rawHeaders,
}: Pick<IncomingMessage, 'url' | 'rawHeaders'>): string | undefined {
  if (!url?.startsWith('/')) return 'The request target must be a path.';
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts > 1 ? 'A request has one Host header.' : undefined;
}

/**
 * The checks that keep web pages out, whatever the method: Host, then Origin, then Sec-Fetch-Site.
 * @param isPaired whether a user let the pages of an exact origin in
 * @returns why the request is refused (HTTP 403), as a sentence
 */
export function refuseBrowser(
  headers: IncomingHttpHeaders,
  server: LocalServer,
  isPaired: (origin: string) => boolean = () => false,
): string | undefined {
  if (!server.isOurs(headers.host)) return server.hostRule;
  if (headers.origin !== undefined) return isPaired(headers.origin) ? undefined : PAGES_REFUSED;
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'none' && site !== 'same-origin') return PAGES_REFUSED;
  return undefined;
}

/** Compares secrets in a time that tells nothing about where they differ. */
export function sameSecret(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

/**
 * What a probe of a container or a load balancer is told without a credential: the state and nothing else. `/healthz` says that the process
 * answers, `/readyz` whether it can do its work (HTTP 503 where not).
 * @returns undefined for any other request
 */
export function probeAnswer(
  { method, url = '' }: Pick<IncomingMessage, 'method' | 'url'>,
  isReady: () => boolean,
): { status: number; text: string } | undefined {
  if (method !== 'GET' && method !== 'HEAD') return undefined;
  const path = url.split('?', 1)[0];
  if (path === '/healthz') return { status: 200, text: 'ok\n' };
  if (path !== '/readyz') return undefined;
  return isReady() ? { status: 200, text: 'ready\n' } : { status: 503, text: 'not ready\n' };
}
