import type { Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { WriteError, writeCodes } from '../write-errors.ts';

/**
 * Lets a server answer what is no readable HTTP request with the error of the table, as it does everything else; without this Node
 * answers a bare status.
 * @param headersTimeout how long headers may take, in milliseconds; told to the caller
 */
export function refuseUnreadable(server: Server, headersTimeout: number): void {
  const answers = new WeakMap<Duplex, ServerResponse>();
  const note = (_: unknown, response: ServerResponse): void => {
    if (response.socket !== null) answers.set(response.socket, response);
  };
  server.on('request', note);
  server.on('checkContinue', note);
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const answer = answers.get(socket);
    // An answer that has begun cannot become another one.
    const begun = answer?.headersSent === true && !answer.writableFinished;
    if (!socket.writable || begun || error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    socket.end(refusal(reason(error.code, headersTimeout)));
  });
}

function reason(code: string | undefined, headersTimeout: number): WriteError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new WriteError(writeCodes.body, 'write-api.headers-late', { ms: headersTimeout });
  if (code === 'HPE_HEADER_OVERFLOW') return new WriteError(writeCodes.body, 'write-api.headers-too-long');
  return new WriteError(writeCodes.body, 'write-api.request-unreadable');
}

const phrases: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
};

function refusal(error: WriteError): string {
  const body = JSON.stringify(error.toBody());
  return [
    `HTTP/1.1 ${error.status} ${phrases[error.status]}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
