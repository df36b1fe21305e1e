import type { CustomScheme } from 'electron';
import { answerStatic, DATA_POLICY, hardeningHeaders } from '../../console/http/static-files.ts';

/** A scheme of its own isolates the page from every web page and every file. */
export const SCHEME = 'planchet';
const HOST = 'app';

export const APP_URL = `${SCHEME}://${HOST}/`;

/** Must be registered before Electron is ready. Without `bypassCSP` and `corsEnabled`: the page is an ordinary origin. */
export const schemePrivileges: CustomScheme[] = [
  { scheme: SCHEME, privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true } },
];

/** Whether a URL belongs to the application's own page. Decided on the parsed URL, never on how the text begins. */
export function isAppUrl(url: string): boolean {
  const parsed = URL.parse(url);
  return (
    parsed !== null &&
    parsed.protocol === `${SCHEME}:` &&
    parsed.host === HOST &&
    parsed.username === '' &&
    parsed.password === ''
  );
}

/** Answers requests of the window with files of the built page. */
export function appRequestHandler(rendererDir: string): (request: Request) => Promise<Response> {
  return async (request) => {
    const refused = refuseUnlessPage(request);
    if (refused) return refused;
    const { status, headers, body } = await answerStatic(rendererDir, new URL(request.url).pathname);
    return new Response(request.method === 'HEAD' ? null : body, { status, headers });
  };
}

/**
 * Answers requests of the window with what a development server builds on the fly, under the same origin as ever. Its inline start script
 * and its socket are allowed for; nothing of this exists in a packaged application.
 */
export function devRequestHandler(serverUrl: string): (request: Request) => Promise<Response> {
  const server = new URL(serverUrl);
  const policy = [
    "default-src 'self' data: blob:",
    "script-src 'self' 'unsafe-inline'",
    "style-src 'self' 'unsafe-inline'",
    `connect-src 'self' ws://${server.host}`,
  ].join('; ');
  return async (request) => {
    const refused = refuseUnlessPage(request);
    if (refused) return refused;
    const { pathname, search } = new URL(request.url);
    // Set part by part: a path that begins with two slashes would otherwise name another host.
    const target = new URL(server);
    target.pathname = pathname;
    target.search = search;
    const answer = await fetch(target, {
      method: request.method,
      headers: { accept: '*/*' },
    });
    const type = answer.headers.get('content-type') ?? 'application/octet-stream';
    return new Response(answer.body, {
      status: answer.status,
      headers: {
        ...hardeningHeaders,
        'content-type': type,
        'content-security-policy': policy,
        'cache-control': 'no-store',
      },
    });
  };
}

function refuseUnlessPage(request: Request): Response | undefined {
  const allowed = (request.method === 'GET' || request.method === 'HEAD') && isAppUrl(request.url);
  if (allowed) return undefined;
  return new Response(null, {
    status: isAppUrl(request.url) ? 405 : 404,
    headers: { ...hardeningHeaders, 'content-security-policy': DATA_POLICY },
  });
}
