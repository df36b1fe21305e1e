import type { IncomingMessage, ServerResponse } from 'node:http';
import { jsonOf } from '../../foreign-json.ts';
import type { PairingRequests } from './pairing.ts';
import { readRequestBody } from './request-body.ts';
import { type Refusal, refuse, securityHeaders, tooLarge } from './request-guard.ts';

const MAX_BODY_BYTES = 1_024;

/**
 * Answers `POST /pair` once the user has decided: with the page's key, in an answer that only this origin can read, or with a refusal that
 * no page can read. Nothing is sent before that.
 * @param signal aborted when the page leaves or the gateway stops
 * @returns the refusal for the traffic log; undefined if the page was accepted
 */
export async function answerPairing(
  request: IncomingMessage,
  response: ServerResponse,
  origin: string,
  { pairing, signal }: { pairing: PairingRequests; signal: AbortSignal },
): Promise<Refusal | undefined> {
  const body = await readRequestBody(request, MAX_BODY_BYTES);
  const code = 'bytes' in body ? codeOf(body.bytes) : undefined;
  if (code === undefined) {
    const wrong = { status: 400, text: 'The body must be empty or {"code":"…"} of at most 12 letters, digits and -' };
    const refusal = 'bytes' in body ? wrong : tooLarge(MAX_BODY_BYTES);
    refuse(request, response, refusal);
    return refusal;
  }
  const outcome = await pairing.ask(origin, code, signal);
  if ('refused' in outcome) {
    const { status, refused: text, retryAfter } = outcome;
    const refusal = { status, text, ...(retryAfter && { headers: { 'retry-after': String(retryAfter) } }) };
    if (!response.destroyed) refuse(request, response, refusal);
    return refusal;
  }
  const { paired, username, password } = outcome.granted;
  const answer = JSON.stringify({ origin, username, password, expiresAt: paired.expiresAt });
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(answer),
    ...securityHeaders,
    'access-control-allow-origin': origin,
    vary: 'Origin',
  });
  response.end(answer);
  return undefined;
}

/** @returns undefined for any other body */
function codeOf(body: Buffer): string | null | undefined {
  if (body.length === 0) return null;
  const { code } = (jsonOf(body.toString('utf8')) ?? {}) as { code?: unknown };
  return typeof code === 'string' && /^[A-Za-z0-9-]{1,12}$/.test(code) ? code : undefined;
}
