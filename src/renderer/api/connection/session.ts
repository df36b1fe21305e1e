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
