import type { IncomingHttpHeaders } from 'node:http';
import { namesPrivateHost } from '../../http/public-hosts.ts';
import { ArcProblem } from './problems.ts';
import { type ArcStatus, arcStatuses } from './statuses.ts';

const DEFAULT_TIMEOUT_SECONDS = 5;
const MAX_TIMEOUT_SECONDS = 30;
const MAX_URL_CHARS = 2_048;
const MAX_TOKEN_CHARS = 4_096;

/** A callback request for a transaction. */
export interface WatchRequest {
  readonly url: string;
  /** Sent as a bearer token; empty for none. */
  readonly token: string;
  /** Whether several messages may be sent in one request. */
  readonly batch: boolean;
  /** Whether every status is sent, not only the last ones. */
  readonly fullStatusUpdates: boolean;
}

/** Options of a submission, from its headers. */
export interface ArcOptions {
  readonly callback: WatchRequest | undefined;
  readonly waitFor: ArcStatus | undefined;
  readonly timeoutMs: number;
  readonly skip: { readonly tx: boolean; readonly fee: boolean; readonly script: boolean };
  readonly cumulativeFee: boolean;
}

/** @throws ArcProblem 400 for an invalid header */
export function readOptions(headers: IncomingHttpHeaders, refusePrivate: boolean): ArcOptions {
  const skipTx = flag(headers, 'x-skiptxvalidation');
  return {
    callback: callbackOf(headers, refusePrivate),
    waitFor: waitForOf(headers),
    timeoutMs: 1_000 * timeoutOf(headers),
    skip: {
      tx: skipTx,
      fee: skipTx || flag(headers, 'x-skipfeevalidation'),
      script: skipTx || flag(headers, 'x-skipscriptvalidation'),
    },
    cumulativeFee: flag(headers, 'x-cumulativefeevalidation'),
  };
}

function text(headers: IncomingHttpHeaders, name: string): string {
  const value = headers[name];
  return (Array.isArray(value) ? value.join(',') : (value ?? '')).trim();
}

function flag(headers: IncomingHttpHeaders, name: string): boolean {
  const value = text(headers, name).toLowerCase();
  if (value === '' || value === 'false' || value === '0') return false;
  if (value === 'true' || value === '1') return true;
  throw new ArcProblem(400, `${name} must be true or false`);
}

function waitForOf(headers: IncomingHttpHeaders): ArcStatus | undefined {
  const wanted = text(headers, 'x-waitfor');
  if (wanted === '') return undefined;
  const found = arcStatuses.find((status) => status === wanted);
  if (found === undefined) throw new ArcProblem(400, 'x-waitfor is not a status');
  return found;
}

function timeoutOf(headers: IncomingHttpHeaders): number {
  const given = text(headers, 'x-maxtimeout');
  if (given === '') return DEFAULT_TIMEOUT_SECONDS;
  const seconds = /^\d{1,3}$/.test(given) ? Number(given) : 0;
  if (seconds < 1 || seconds > MAX_TIMEOUT_SECONDS) {
    throw new ArcProblem(400, `x-maxtimeout must be a number of seconds from 1 to ${MAX_TIMEOUT_SECONDS}`);
  }
  return seconds;
}

function callbackOf(headers: IncomingHttpHeaders, refusePrivate: boolean): WatchRequest | undefined {
  const url = text(headers, 'x-callbackurl');
  const token = text(headers, 'x-callbacktoken');
  const batch = flag(headers, 'x-callbackbatch');
  const fullStatusUpdates = flag(headers, 'x-fullstatusupdates');
  if (url === '') return undefined;
  if (url.length > MAX_URL_CHARS || !/^https?:\/\/[^/\s]/i.test(url) || !URL.canParse(url)) {
    throw new ArcProblem(400, 'x-callbackurl is not an http(s) URL');
  }
  if (refusePrivate && namesPrivateHost(new URL(url))) throw new ArcProblem(400, 'x-callbackurl is a private address');
  if (token.length > MAX_TOKEN_CHARS || !/^[\x20-\x7e]*$/.test(token)) {
    throw new ArcProblem(400, 'x-callbacktoken contains invalid characters');
  }
  return { url, token, batch, fullStatusUpdates };
}
