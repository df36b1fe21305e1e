import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ChainError, readHex } from '../../../chain/index.ts';
import { parseJson } from '../../json-in-turns.ts';
import { inTurns } from '../../pause.ts';
import { StatusError } from '../api/api-error.ts';
import type { SandboxNode } from '../node/node.ts';

/** Body limit: hex doubles the size of a transaction, and a JSON body is in memory three times while it is parsed. */
const BODY_BYTES = 16_000_000;
const BODY_LIMITS = { levels: 8, values: 10_000 } as const;

/** Maximum ids, outpoints or addresses of a bulk request. */
export const BULK = 20;

/** An error of a public service. */
export class PublicError extends StatusError {}

/**
 * Parses JSON bodies, and answers errors in the form of a service. These services need no credential.
 * @param errorOf body of an error response
 */
export function publicScope(
  app: FastifyInstance,
  node: SandboxNode,
  errorOf: (message: string) => object | string,
): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    '*',
    { parseAs: 'buffer', bodyLimit: BODY_BYTES },
    // most clients do not declare JSON as content type
    async (_: FastifyRequest, body: Buffer) => {
      try {
        return await parseJson(body, BODY_LIMITS);
      } catch {
        throw new PublicError(400, 'invalid JSON');
      }
    },
  );
  app.setErrorHandler((error: Error & { statusCode?: number }, _, reply) => {
    const status = error instanceof PublicError ? error.status : (error.statusCode ?? 500);
    if (status >= 500) node.logger.error({ err: error }, 'the sandbox failed to answer as a public service');
    const body = errorOf(error instanceof PublicError ? error.message : 'internal error');
    return reply
      .code(status)
      .type(typeof body === 'string' ? 'text/plain' : 'application/json')
      .send(body);
  });
}

/** @throws PublicError 400 */
export function txidOfPath(request: FastifyRequest): string {
  const { txid = '' } = request.params as { txid?: string };
  if (!/^[0-9a-fA-F]{64}$/.test(txid)) throw new PublicError(400, 'invalid txid');
  return txid.toLowerCase();
}

/** @throws PublicError 400 */
export function outpointOfPath(request: FastifyRequest): { txid: string; vout: number } {
  const { vout = '' } = request.params as { vout?: string };
  if (!/^\d{1,9}$/.test(vout)) throw new PublicError(400, 'invalid output index');
  return { txid: txidOfPath(request), vout: Number(vout) };
}

export function sendBytes(reply: FastifyReply, raw: Uint8Array): FastifyReply {
  return reply.type('application/octet-stream').send(Buffer.from(raw));
}

/** The list in the body of a bulk request. @throws PublicError 400 */
export function bulk(body: unknown, key: 'txids' | 'addresses' | 'scripts'): string[] {
  const list = (body as Record<string, unknown> | null)?.[key];
  if (!Array.isArray(list) || !list.every((one) => typeof one === 'string')) throw new PublicError(400, `no ${key}`);
  if (list.length > BULK) throw new PublicError(400, `more than ${BULK} ${key}`);
  return list;
}

/** The bytes of a transaction in a body. @throws PublicError 400 */
export async function transactionOf(hex: unknown): Promise<Uint8Array> {
  if (typeof hex !== 'string' || hex === '') throw new PublicError(400, 'invalid transaction');
  try {
    return await inTurns(readHex(hex));
  } catch (error) {
    if (error instanceof ChainError) throw new PublicError(400, 'invalid transaction');
    throw error;
  }
}
