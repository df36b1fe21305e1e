import { rpcError } from '../../node-format/params.ts';
import { problemDocument } from '../arc/problems.ts';
import { type ErrorBody, fundingErrorBody, merchantErrorBody } from '../merchant/error-bodies.ts';

const JSON_TYPE = 'application/json';
/** Paths of the funding service. They are below those of the merchant API, but have other errors. */
const FUNDING = /^\/mapi(?:\/api\/v1)?\/(?:pubkey|txTemplates|submitTransactions)\/?(?:\?|$)/;

/** An error, before it has the form of an API. */
export interface Refusal {
  readonly status: number;
  /** Code of the token project, quota and control APIs. */
  readonly code: string;
  readonly message: string;
}

/** An error in the form of the API that a request addresses. @param url its target, with or without query */
export function errorBody(url: string, { status, code, message }: Refusal): ErrorBody {
  if (FUNDING.test(url)) return fundingErrorBody(status, message);
  if (url.startsWith('/mapi')) return merchantErrorBody(status, message);
  if (/^\/(?:open-)?arc\b/.test(url))
    return { type: JSON_TYPE, text: JSON.stringify(problemDocument(status, message)) };
  if (/^(?:\/rpc)?\/rest/.test(url)) return { type: 'text/plain', text: `${message}\r\n` };
  // Only a request that cannot be read gets the node's own error. Faults occur before the node.
  if (url.startsWith('/rpc') && code === 'invalid-request') return { type: JSON_TYPE, text: refusedCall(message) };
  return { type: JSON_TYPE, text: JSON.stringify({ success: false, error: { code, message } }) };
}

/** The node's response to a malformed call. */
function refusedCall(message: string): string {
  return `${JSON.stringify({ result: null, error: { code: rpcError.invalidRequest, message }, id: null })}\n`;
}
