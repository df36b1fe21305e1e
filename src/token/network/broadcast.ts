import { ChainError, fromHex, type Sentence, sentence, txidOf } from '../../chain/index.ts';
import { BroadcastError, ConfigError, ParameterError } from '../errors.ts';
import { guarded, isRecord, lengthOf } from '../values/values.ts';
import type { TokenConfig } from './config.ts';

/** Timeout of a service call. */
const TIMEOUT_MS = 30_000;
/** Maximum reply size in bytes: the hex of the largest history that a trace accepts by default, in quotes. */
const MOST_BYTES = 130_000_000;
/** Maximum characters quoted from a refusal. */
const QUOTED = 200;

/**
 * Broadcasts a transaction through the configured service: `POST <apiUrl>/tx/raw` with `{"txhex":…}` and HTTP Basic authentication. Only
 * this function and {@link fetchTransaction} use the network.
 * @returns the txid
 * @throws BroadcastError `broadcast-refused` with the service's reply and HTTP status, `broadcast-unreachable`
 * @example await broadcastTransaction(transfer(params), await loadTokenConfig())
 */
export async function broadcastTransaction(built: { readonly hex: string }, config: TokenConfig): Promise<string> {
  const hex = guarded('built', () => (isRecord(built) ? (built.hex as unknown) : undefined));
  if (typeof hex !== 'string') throw new ParameterError('parameter-missing', 'built.hex', 'built.hex is missing.');
  const txid = txidOf(bytesOf(hex));
  requireConfig(config);
  const body = JSON.stringify({ txhex: hex });
  const { status, text } = await call('/tx/raw', config, { method: 'POST', body });
  const answered = text.replace(/["\s]/g, '');
  if (status >= 200 && status < 300 && answered === txid) return txid;
  throw refused(sentence('The transaction was refused'), status, text);
}

/**
 * Fetches a transaction from the configured service: `GET <apiUrl>/tx/<txid>/hex`.
 * @param txid in either case
 * @param signal aborts the call
 * @returns its hex; undefined if the service does not know it
 * @throws BroadcastError `broadcast-refused`, `broadcast-unreachable`
 * @throws TokenError `parameter-invalid`, `config-invalid`
 * @example await traceToken(outpoint, (txid, signal) => fetchTransaction(txid, config, signal))
 */
export async function fetchTransaction(
  txid: string,
  config: TokenConfig,
  signal?: AbortSignal,
): Promise<string | undefined> {
  if (typeof txid !== 'string' || !/^[0-9a-fA-F]{64}$/.test(txid)) {
    throw new ParameterError('parameter-invalid', 'txid', 'txid is not 64 hex digits.', { length: lengthOf(txid) });
  }
  if (signal !== undefined && signal !== null && !(signal instanceof AbortSignal))
    throw new ParameterError('parameter-invalid', 'signal', 'signal is not an AbortSignal.');
  requireConfig(config);
  const init = { method: 'GET', ...(signal ? { signal } : {}) };
  const { status, text } = await call(`/tx/${txid.toLowerCase()}/hex`, config, init);
  if (status === 404) return undefined;
  if (status < 200 || status >= 300)
    throw refused(sentence('The request for transaction {txid} was refused', { txid }), status, text);
  return text.trim();
}

async function call(path: string, config: TokenConfig, init: RequestInit): Promise<{ status: number; text: string }> {
  const { apiUrl, username, password } = config;
  const account = btoa(String.fromCharCode(...new TextEncoder().encode(`${username}:${password}`)));
  const headers = { authorization: `Basic ${account}`, 'content-type': 'application/json' };
  try {
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    const signal = init.signal ? AbortSignal.any([init.signal, timeout]) : timeout;
    const answer = await fetch(apiUrl + path, { ...init, headers, signal });
    return { status: answer.status, text: await readText(answer) };
  } catch (error) {
    throw new BroadcastError(
      'broadcast-unreachable',
      'apiUrl',
      sentence('{apiUrl} cannot be reached.', { apiUrl }),
      {},
      { cause: error },
    );
  }
}

/** Reads a reply up to the maximum size. */
async function readText(answer: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for (const reader = answer.body?.getReader(); reader; ) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes += value.length;
    if (bytes > MOST_BYTES) {
      await reader.cancel();
      throw new Error(`The answer is longer than ${MOST_BYTES} bytes.`);
    }
    text += decoder.decode(value, { stream: true });
  }
  return text + decoder.decode();
}

function bytesOf(hex: string): Uint8Array {
  try {
    return fromHex(hex);
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    const numbers = { length: hex.length };
    throw new ParameterError('parameter-invalid', 'built.hex', 'built.hex is not hex.', numbers, { cause: error });
  }
}

/** @throws TokenError `config-invalid` unless the fields that a call needs are valid. */
function requireConfig(config: TokenConfig): void {
  guarded('config', () => {
    const given: Readonly<Record<string, unknown>> = isRecord(config) ? config : {};
    const wrong = ['apiUrl', 'username', 'password'].find((name) => typeof given[name] !== 'string');
    const field = `config.${wrong ?? 'apiUrl'}`;
    if (wrong !== undefined) throw new ConfigError('config-invalid', field, '{field} is missing or not text.');
    if (!/^https?:\/\//i.test(given.apiUrl as string) || !URL.canParse(given.apiUrl as string))
      throw new ConfigError('config-invalid', field, '{field} is not the address of a service.');
  });
}

function refused(what: Sentence, status: number, text: string): BroadcastError {
  const words = text.trim().slice(0, QUOTED) || sentence('no reason given');
  const refusal = sentence('{what} (HTTP {status}): {words}', { what, status, words });
  return new BroadcastError('broadcast-refused', 'apiUrl', refusal, { status });
}
