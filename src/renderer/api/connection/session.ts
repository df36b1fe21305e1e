/** The token in `#token=…` of the link that the terminal prints. Undefined if the fragment is an ordinary route. */
export function tokenFromHash(hash: string): string | null {
  const match = /^#token=([A-Za-z0-9_\-.~]{8,512})$/.exec(hash);
  return match?.[1] ?? null;
}

/**
 * Exchanges a one-time token for the session cookie. The token is removed from the address bar first, so that neither the history
 * nor a copied address contains it.
 * @returns false if the token was refused; an earlier session may still be valid then
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
 * Exchanges the token in the address, if there is one. Every request waits for this, since one sent earlier would be refused.
 * @returns the result of {@link exchangeToken} for the last token; the same promise until there is another token
 */
export function signIn(): Promise<boolean> {
  const token = tokenFromHash(location.hash);
  if (token !== null) exchange = exchangeToken(token);
  return exchange;
}
