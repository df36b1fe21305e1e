import { useSyncExternalStore } from 'react';

/** Path and query of an address's fragment, such as `#/writer/documents?state=dead`. */
function placeOf(hash: string): { path: string; search: string } {
  const [path = '', search = ''] = hash.replace(/^#?\/?/, '').split(/\?(.*)/s);
  return { path: `/${path}`, search };
}

function subscribe(changed: () => void): () => void {
  window.addEventListener('hashchange', changed);
  return () => window.removeEventListener('hashchange', changed);
}

function navigate(to: string, { state = null, replace = false }: { state?: unknown; replace?: boolean } = {}): void {
  const oldURL = location.href;
  const next = new URL(oldURL);
  next.hash = `/${to.replace(/^#?\/?/, '')}`;
  if (replace) history.replaceState(state ?? history.state, '', next.href);
  else history.pushState(state, '', next.href);
  // The browser fires this event only for its own changes.
  window.dispatchEvent(new HashChangeEvent('hashchange', { oldURL, newURL: next.href }));
}

/** The path in the address's fragment, for the router: the page's server serves one address only. */
export function useHashPath(): [string, typeof navigate] {
  return [useSyncExternalStore(subscribe, () => placeOf(location.hash).path), navigate];
}
useHashPath.hrefs = (href: string): string => `#${href}`;

/**
 * The query in the address's fragment, for the router. It follows the path, so that a copied link contains it, and it is not sent to the
 * page's server.
 */
export function useHashSearch(): string {
  return useSyncExternalStore(subscribe, () => placeOf(location.hash).search);
}
