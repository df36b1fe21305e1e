import { SCHEME } from '../window/scheme.ts';

/** Longest link that is read at all. The longest allowed one, to a token, has 93 characters. */
const MAX_LINK_CHARS = 160;

const hash = '[0-9a-f]{64}';
const id = '[A-Za-z0-9-]{1,64}';

/**
 * Views a link may open, and nothing else: each only shows something. None prepares, approves, sends or changes anything, and none takes
 * text that it would fill into a form.
 */
const views: readonly RegExp[] = [
  '/',
  '/projects',
  `/projects/${id}`,
  '/jobs',
  `/jobs/${id}`,
  `/runs/${id}`,
  '/tokens',
  `/tokens/${hash}_[0-9]{1,10}`,
  '/redeemable-tokens',
  '/wallet',
  '/wallet/(?:coins|receive)',
  '/transactions',
  `/transactions/${hash}`,
  `/tx/${hash}`,
  '/explorer',
  `/explorer/block/${hash}`,
  '/explorer/mempool',
  '/gateway',
  '/writer',
  '/writer/documents',
  '/miners',
  '/settings',
  '/help',
].map((path) => new RegExp(`^${path}$`));

/**
 * Reads a link that the operating system handed over, such as `planchet://open/tx/<txid>`. Anybody can write one, on any web page: it is
 * compared with the allowed views as text, so there is no query, no fragment, no escape and no other host to get wrong.
 * @returns the view's address inside the application, or undefined where the link is refused
 */
export function viewOfLink(link: string): string | undefined {
  if (link.length > MAX_LINK_CHARS) return undefined;
  const prefix = `${SCHEME}://open`;
  // A browser writes scheme and host in small letters, and may add the last slash.
  if (link.slice(0, prefix.length).toLowerCase() !== prefix) return undefined;
  const rest = link.slice(prefix.length);
  const path = rest.length > 1 && rest.endsWith('/') ? rest.slice(0, -1) : rest === '' ? '/' : rest;
  return views.some((view) => view.test(path)) ? path : undefined;
}

/** The link among the arguments of a start: the operating system passes it as the last one. */
export function linkAmong(args: readonly string[]): string | undefined {
  return args.findLast((argument) => argument.slice(0, SCHEME.length + 1).toLowerCase() === `${SCHEME}:`);
}
