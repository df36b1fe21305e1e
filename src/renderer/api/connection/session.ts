/** `#token=…` of the link the terminal prints; nothing where the fragment is an ordinary route. */
export function tokenFromHash(hash: string): string | null {
  const match = /^#token=([A-Za-z0-9_\-.~]{8,512})$/.exec(hash);
  return match?.[1] ?? null;
}

/**
 * Trades a one-time token for the session cookie. The token leaves the address bar first, so that neither the history
 * nor a copied address carries it.
 * @returns false where the token was refused; an earlier session may still be valid then.
 */
export async function exchangeToken(
  token: string,
  post: typeof fetch = fetch,
  forget: () => void = () => history.replaceState(null, '', `${location.pathname}#/`),
): Promise<boolean> {
  forget();
  try {
    const response = await post('/session', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token }),
      credentials: 'same-origin',
    });
    return response.ok;
  } catch {
    return false;
  }
}

let exchange: Promise<boolean> = Promise.resolve(true);

/**
 * Trades the token of the address where it holds one. Every request waits for it, since one that is sent before is refused.
 * @returns as {@link exchangeToken} for the last token; the same promise until there is another
 */
export function signIn(): Promise<boolean> {
  const token = tokenFromHash(location.hash);
  if (token !== null) exchange = exchangeToken(token);
  return exchange;
}
