import { parseForeign } from '../../foreign-json.ts';
import type { NodeClient } from './client.ts';
import { notJsonRpc } from './errors.ts';
import { resultOf } from './parse-result.ts';

const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
/** A hundred values for each of some hundred calls. */
const BOUNDS = { bytes: MAX_ANSWER_BYTES, depth: 64, values: 50_000 };

/**
 * Sends calls of one method as a JSON-RPC batch.
 * @param params of each call; their answers must have 4 MiB at most
 * @returns their results, in order
 * @throws NodeRpcError of the first call that the node refuses; PlanchetError `upstream-*`, also from a node that takes no batches
 */
export function callAll<T>(
  node: Pick<NodeClient, 'ask'>,
  method: string,
  params: readonly (readonly unknown[])[],
  signal?: AbortSignal,
): Promise<T[]> {
  const body = JSON.stringify(params.map((own, id) => ({ jsonrpc: '1.0', id, method, params: own })));
  return node.ask(body, { signal, wholeBytes: MAX_ANSWER_BYTES, list: true }, ({ bytes, status, origin, rest }) => {
    const answers = rest === undefined ? listOf(bytes) : undefined;
    void rest?.return?.();
    if (answers?.length !== params.length) throw notJsonRpc(origin, status);
    const byId = new Map(answers.map((answer) => [String((answer as { id?: unknown } | null)?.id), answer]));
    return params.map((_, id) => resultOf<T>(byId.get(String(id)), id, status, origin));
  });
}

function listOf(bytes: Buffer): unknown[] | undefined {
  const list = parseForeign(bytes.toString('utf8'), BOUNDS);
  return Array.isArray(list) ? list : undefined;
}
