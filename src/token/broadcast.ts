import { fromHex, txidOf } from '../chain/index.ts';
import type { TokenConfig } from './config.ts';
import { BroadcastError } from './errors.ts';

/** How long a service may take to answer. */
const TIMEOUT_MS = 30_000;
/** A refusal is quoted this far. */
const QUOTED = 200;

/**
 * Sends a transaction to the service of the configuration: `POST <apiUrl>/tx/raw` with `{"txhex":…}` and the account by HTTP Basic.
 * Nothing else in the library reaches for the network but this and {@link fetchTransaction}.
 * @returns the txid
 * @throws BroadcastError `broadcast-refused` with the service's words and HTTP status, `broadcast-unreachable`
 * @example await broadcastTransaction(transfer(params), await loadTokenConfig())
 */
export async function broadcastTransaction(built: { readonly hex: string }, config: TokenConfig): Promise<string> {
  const txid = txidOf(fromHex(built.hex));
  const body = JSON.stringify({ txhex: built.hex });
  const { status, text } = await call('/tx/raw', config, { method: 'POST', body });
  const answered = text.replace(/["\s]/g, '');
  if (status >= 200 && status < 300 && answered === txid) return txid;
  throw refused('The transaction was not taken', status, text);
}

/**
 * Asks the service of the configuration for a transaction: `GET <apiUrl>/tx/<txid>/hex`.
 * @returns its hex; undefined where the service does not know it
 * @throws BroadcastError `broadcast-refused`, `broadcast-unreachable`
 * @example await traceToken(outpoint, (txid) => fetchTransaction(txid, config))
 */
export async function fetchTransaction(txid: string, config: TokenConfig): Promise<string | undefined> {
  const { status, text } = await call(`/tx/${encodeURIComponent(txid)}/hex`, config, { method: 'GET' });
  if (status === 404) return undefined;
  if (status < 200 || status >= 300) throw refused(`The transaction ${txid} was not given`, status, text);
  return text.trim();
}

async function call(path: string, config: TokenConfig, init: RequestInit): Promise<{ status: number; text: string }> {
  const { apiUrl, username, password } = config;
  const account = btoa(String.fromCharCode(...new TextEncoder().encode(`${username}:${password}`)));
  const headers = { authorization: `Basic ${account}`, 'content-type': 'application/json' };
  try {
    const answer = await fetch(apiUrl + path, { ...init, headers, signal: AbortSignal.timeout(TIMEOUT_MS) });
    return { status: answer.status, text: await answer.text() };
  } catch (error) {
    throw new BroadcastError('broadcast-unreachable', 'apiUrl', `${apiUrl} cannot be reached.`, {}, { cause: error });
  }
}

function refused(what: string, status: number, text: string): BroadcastError {
  const words = text.trim().slice(0, QUOTED) || 'no reason given';
  return new BroadcastError('broadcast-refused', 'apiUrl', `${what} (HTTP ${status}): ${words}`, { status });
}
