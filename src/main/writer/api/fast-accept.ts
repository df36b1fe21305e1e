import type { IncomingMessage, ServerResponse } from 'node:http';
import { refuseAmbiguousTarget, refuseBrowser } from '../../local-server.ts';
import { type DocumentHead, readDocument, readHead } from '../acceptance/request-document.ts';
import { WriteError, writeCodes } from '../write-errors.ts';
import {
  acceptedAnswer,
  asWriteError,
  bearerOf,
  commonHeaders,
  cutOff,
  type RoutesOptions,
  refuseRevoked,
} from './routes.ts';

const ADDRESS = '/api/v1/write?wait=accepted';
/** Longer bodies gain nothing. */
const MAX_BYTES = 65_536;
const answerHeaders = [...Object.entries(commonHeaders).flat(), 'content-type', 'application/json; charset=utf-8'];

interface Admitted {
  readonly keyId: string;
  readonly head: DocumentHead;
  /** Gives back the room in memory. */
  readonly leave: () => void;
}

/** Takes a request that it can answer. @returns whether it did; the web framework handles every other request */
export type FastAccept = (request: IncomingMessage, response: ServerResponse) => boolean;

/** The fast accept switched off: the web framework handles every request. */
export const noFastAccept: FastAccept = () => false;

/**
 * Takes requests that wait for the disk alone and that can be admitted before their body arrives. In the web framework such a request costs
 * twice as much processor time. Every other request goes to the framework, which handles or refuses it. See docs/writer-fast-accept.md for
 * what this gains, how to switch it off and when to delete it.
 */
export function createFastAccept(options: RoutesOptions): FastAccept {
  return (request, response) => {
    const admitted = admit(request, options);
    if (admitted === undefined) return false;
    const undo = cutOff(request, response, options.requestTimeoutMs);
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      undo();
      void answer(parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts), admitted, response, options);
    });
    response.on('close', () => {
      undo();
      admitted.leave();
    });
    return true;
  };
}

/** @returns undefined where the request is not of the plain kind, or something speaks against it */
function admit(request: IncomingMessage, options: RoutesOptions): Admitted | undefined {
  if (request.url !== ADDRESS || request.method !== 'POST') return undefined;
  const { headers } = request;
  const length = Number(headers['content-length']);
  // Without its length, as with anything to be asked back, NaN or a header says no.
  if (!(length <= MAX_BYTES) || headers.expect !== undefined || headers['transfer-encoding'] !== undefined) return;
  if (headers['content-type'] !== 'application/json') return undefined;
  const server = options.server();
  const { limiter, keys, queue, settings, unready } = options;
  if (server === undefined || length > settings.current().writerMaxBytes) return undefined;
  try {
    if (refuseAmbiguousTarget(request) !== undefined || refuseBrowser(headers, server) !== undefined) return undefined;
    const keyId = keys.known(bearerOf(headers.authorization) ?? '');
    if (keyId === undefined || unready(keyId) !== undefined) return undefined;
    const head = readHead(headers, { anyContentType: false });
    const leave = limiter.admit(length);
    queue.scheduler.clientArrived();
    return { keyId, head, leave };
  } catch {
    // The web framework finds the same fault again and answers it.
    return undefined;
  }
}

async function answer(
  body: Buffer,
  { keyId, head }: Admitted,
  response: ServerResponse,
  options: RoutesOptions,
): Promise<void> {
  const { log, limiter, pipeline, cipher } = options;
  try {
    const document = await readDocument(head, body, keyId, cipher);
    await refuseRevoked(keyId, options);
    const { row, outcome } = await log.accept(document);
    if (outcome === 'conflict') throw new WriteError(writeCodes.idempotency, 'write-api.idempotency-key-used');
    if (outcome === 'new') limiter.documentAccepted();
    pipeline.accepted();
    const location = ['location', `/api/v1/writes/${row.id}`];
    send(response, 202, location, acceptedAnswer(row.id));
  } catch (error) {
    const refusal = asWriteError(error, options);
    const retry = refusal.retryAfter === undefined ? [] : ['retry-after', String(refusal.retryAfter)];
    send(response, refusal.status, retry, JSON.stringify(refusal.toBody()));
  }
}

function send(response: ServerResponse, status: number, headers: string[], body: string): void {
  // The caller may have gone meanwhile, or waited too long and been answered.
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, [...answerHeaders, ...headers, 'content-length', String(Buffer.byteLength(body))]);
  response.end(body);
}
