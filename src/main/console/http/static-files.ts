import { randomBytes } from 'node:crypto';
import { readFile, realpath } from 'node:fs/promises';
import { extname, isAbsolute, join, relative, sep } from 'node:path';
import { contentTypeOfName } from '../../../contract/index.ts';

const NONCE_PLACEHOLDER = '__CSP_NONCE__';

/** Headers of every answer, page or not. */
export const hardeningHeaders: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

/** Policy of replies that are data: opened as a document they may do nothing. */
export const DATA_POLICY = "default-src 'none'; frame-ancestors 'none'";

/**
 * Policy of the application's page. Scripts come from the build alone, and nothing reaches any network but the page's own origin. Token
 * content is shown as `blob:` pictures and media or in a sandboxed `srcdoc` frame, which inherits this policy.
 */
function contentSecurityPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    'media-src blob:',
    "font-src 'self'",
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/**
 * Policy of the documents: scripts and styles come from files alone. Marked code carries its colours in style attributes; no part of the
 * site comes from anywhere but the build.
 */
const DOCS_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  // The one style element of the site's scripts: it stops transitions while the colours change.
  "style-src 'self' 'sha256-skqujXORqzxt1aE0NNXxujEanPTX6raoqSscTV/Ww/Y='",
  "style-src-attr 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * The file below `root` that the path of a URL names, or undefined where it names none that may be served. Paths are not normalised: a path
 * with an empty, hidden, relative or otherwise unusual part names nothing.
 * @param path as received, still percent-encoded, without the query
 */
export function resolveStaticPath(root: string, path: string): string | undefined {
  if (!path.startsWith('/')) return undefined;
  const parts = (path === '/' ? '/index.html' : path).slice(1).split('/');
  const names: string[] = [];
  for (const part of parts) {
    const name = decodePart(part);
    if (name === undefined || !/^[\w-][\w.@~-]*$/.test(name)) return undefined;
    names.push(name);
  }
  const file = join(root, ...names);
  return servedType(file) !== undefined && isInside(root, file) ? file : undefined;
}

/** Content type of a file that a build may contain; files of other kinds are not served. */
function servedType(file: string): string | undefined {
  const row = contentTypeOfName(file);
  if (row?.isServed !== true) return undefined;
  return row.isUtf8 || row.type === 'application/json' ? `${row.type}; charset=utf-8` : row.type;
}

export interface StaticAnswer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** What the build compresses its texts with (scripts/build/compress-page.ts), the smallest first, and how such a file's name ends. */
const encodings = [
  { name: 'br', ending: '.br' },
  { name: 'gzip', ending: '.gz' },
] as const;

/** The encodings that a request accepts, the smallest first. @param header its `accept-encoding` */
function acceptedEncodings(header: string): (typeof encodings)[number][] {
  const accepted = new Set<string>();
  for (const part of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim());
    if (!parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))) accepted.add(name);
  }
  return encodings.filter(({ name }) => accepted.has(name));
}

/**
 * Answers a request for a file of the built page. Every answer carries the hardening headers; a document gets the page's policy with a
 * nonce of its own, which is also written into it.
 * @param root folder of the built page
 * @param path of the URL, still percent-encoded
 * @param acceptEncoding the request's header of this name; without it nothing is compressed
 */
export async function answerStatic(root: string, path: string, acceptEncoding = ''): Promise<StaticAnswer> {
  if (path === '/docs' || path.startsWith('/docs/')) return answerDocs(root, path, acceptEncoding);
  const file = resolveStaticPath(root, path);
  const type = file === undefined ? '' : (servedType(file) as string);
  const answer =
    file === undefined
      ? undefined
      : type.startsWith('text/html')
        ? await pageOf(root, file, type)
        : await packable(root, file, { path, type, policy: DATA_POLICY, acceptEncoding });
  if (answer !== undefined) return answer;
  if (path === '/') return text(503, 'The page of Planchet is not built yet. Build it with: npm run build\n');
  return text(404, 'There is nothing here.\n');
}

async function pageOf(root: string, file: string, type: string): Promise<StaticAnswer | undefined> {
  const bytes = await readInside(root, file);
  if (bytes === undefined) return undefined;
  const nonce = randomBytes(16).toString('base64');
  const page = new TextDecoder().decode(bytes).replaceAll(NONCE_PLACEHOLDER, nonce);
  return {
    status: 200,
    headers: {
      ...hardeningHeaders,
      'content-type': type,
      'content-security-policy': contentSecurityPolicy(nonce),
      'cache-control': 'no-store',
    },
    body: new TextEncoder().encode(page),
  };
}

/**
 * Answers a request for a page or file of the documents (`/docs/…`), which the build puts beside the page's folder. A page is found without its
 * `.html` too; where there is none, the page that leads home says so.
 * @param rendererDir folder of the built page
 */
async function answerDocs(rendererDir: string, path: string, acceptEncoding: string): Promise<StaticAnswer> {
  const root = join(rendererDir, '..', 'docs');
  if (path === '/docs') return moved('/docs/');
  const below = path.slice('/docs'.length);
  const found = async (name: string): Promise<StaticAnswer | undefined> => {
    const file = resolveStaticPath(root, name);
    if (file === undefined) return undefined;
    const type = servedType(file) as string;
    const policy = type.startsWith('text/html') ? DOCS_POLICY : DATA_POLICY;
    return packable(root, file, { path: name, type, policy, acceptEncoding });
  };
  const answer = await found(below.endsWith('/') ? `${below}index.html` : below);
  if (answer !== undefined) return answer;
  if (path === '/docs/') return text(503, 'The documents are not built yet. Build them with: npm run docs\n');
  const isPage = extname(below) === '' || below.endsWith('.html');
  if (!isPage) return text(404, 'There is nothing here.\n');
  if (!below.endsWith('/')) {
    const named = await found(`${below}.html`);
    if (named !== undefined) return named;
    if ((await found(`${below}/index.html`)) !== undefined) return moved(`${path}/`);
  }
  const lost = await found('/404.html');
  return lost === undefined ? text(404, 'There is nothing here.\n') : { ...lost, status: 404 };
}

function moved(location: string): StaticAnswer {
  const answer = text(302, '');
  return { ...answer, headers: { ...answer.headers, location } };
}

interface BuiltFile {
  /** Below the folder of the build, with a leading slash. */
  path: string;
  type: string;
  policy: string;
  acceptEncoding: string;
}

/** A built file in the compressed form that the build put beside it, else as it is; undefined where there is none. */
async function packable(
  root: string,
  file: string,
  { path, type, policy, acceptEncoding }: BuiltFile,
): Promise<StaticAnswer | undefined> {
  // The build names everything in this folder by its content.
  const lasting = path.startsWith('/assets/');
  const packed = await readPacked(root, file, acceptEncoding);
  const body = packed?.bytes ?? (await readInside(root, file));
  if (body === undefined) return undefined;
  return {
    status: 200,
    headers: {
      ...hardeningHeaders,
      'content-type': type,
      vary: 'accept-encoding',
      ...(packed && { 'content-encoding': packed.name }),
      'content-security-policy': policy,
      'cache-control': lasting ? 'public, max-age=31536000, immutable' : 'no-cache',
    },
    body,
  };
}

/** The compressed form of a file that the request accepts, or undefined where the build made none. */
async function readPacked(
  root: string,
  file: string,
  acceptEncoding: string,
): Promise<{ name: string; bytes: Uint8Array<ArrayBuffer> } | undefined> {
  for (const { name, ending } of acceptedEncodings(acceptEncoding)) {
    const bytes = await readInside(root, `${file}${ending}`);
    if (bytes !== undefined) return { name, bytes };
  }
  return undefined;
}

function text(status: number, message: string): StaticAnswer {
  return {
    status,
    headers: {
      ...hardeningHeaders,
      'content-type': 'text/plain; charset=utf-8',
      'content-security-policy': DATA_POLICY,
      'cache-control': 'no-store',
    },
    body: new TextEncoder().encode(message),
  };
}

function decodePart(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

/** The bytes of a file, or undefined if there is none or a link leads out of the folder. */
async function readInside(root: string, file: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  try {
    const [realRoot, realFile] = await Promise.all([realpath(root), realpath(file)]);
    return isInside(realRoot, realFile) ? new Uint8Array(await readFile(realFile)) : undefined;
  } catch {
    return undefined;
  }
}

function isInside(root: string, file: string): boolean {
  const path = relative(root, file);
  return path !== '' && !isAbsolute(path) && path !== '..' && !path.startsWith(`..${sep}`);
}
