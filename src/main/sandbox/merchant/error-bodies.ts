import { randomUUID } from 'node:crypto';
import { merchantTexts } from './texts.ts';

/** The body of an error response and its content type. */
export interface ErrorBody {
  readonly type: string;
  readonly text: string;
}

/** A problem document of the merchant API; for 401, whatever the cause, the text of the reference (wire.md 3.5). */
export function merchantErrorBody(status: number, title: string, detail?: string): ErrorBody {
  if (status === 401) return { type: 'application/json', text: JSON.stringify(merchantTexts.tokenMalformed) };
  const problem = { type: 'about:blank', title, status, detail, traceId: randomUUID() };
  return { type: 'application/problem+json', text: JSON.stringify(problem) };
}

/** An error of the funding service of the data-writing client (wire.md 4.1). */
export function fundingErrorBody(status: number, error: string): ErrorBody {
  return { type: 'application/json', text: JSON.stringify({ status, error }) };
}
