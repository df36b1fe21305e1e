import { NodeRpcError } from '../../../ports/node.ts';
import { notJsonRpc } from '../errors.ts';

/**
 * The result of a call that the gateway made itself, in one answer, alone or of a batch.
 * @param answer undefined for what is no JSON
 * @param id id of the call
 * @param status HTTP status, for the error message
 * @throws NodeRpcError with the node's error; PlanchetError `upstream-error` if this is not an answer to the call
 */
export function resultOf<T>(answer: unknown, id: number, status: number, origin: string): T {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) throw notJsonRpc(origin, status);
  const { result, error, id: answeredId } = answer as { result?: unknown; error?: unknown; id?: unknown };
  if (error !== undefined && error !== null) {
    const { code, message } = error as { code?: unknown; message?: unknown };
    if (!Number.isSafeInteger(code) || typeof message !== 'string') throw notJsonRpc(origin, status, reportedBy(error));
    throw new NodeRpcError(code as number, message);
  }
  if (result === undefined || String(answeredId) !== String(id)) throw notJsonRpc(origin, status);
  return result as T;
}

/** The reason in an error that is not a node's, of a proxy for example; undefined if it has none. */
export function reportedBy(error: unknown): string | undefined {
  if (typeof error === 'string') return error;
  const { message } = (error ?? {}) as { message?: unknown };
  return typeof message === 'string' ? message : undefined;
}
