import { parseForeign } from '../../foreign-json.ts';
import { NodeRpcError } from '../../ports/node.ts';
import { resultOf } from './answers/parse-result.ts';
import { notJsonRpc, tooLarge } from './errors.ts';
import type { Asks } from './requests.ts';

const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
/** A hundred values for each of some hundred calls. */
const BOUNDS = { bytes: MAX_ANSWER_BYTES, depth: 64, values: 50_000 };

/**
 * Sends calls of one method as a JSON-RPC batch.
 * @param params of each call
 * @returns their results, in order; NodeRpcError of a call that the node refuses
 * @throws PlanchetError `upstream-*`, also from a node that takes no batches; `upstream.answer-too-large` where their answers have more than 4 MiB
 */
export function callEach<T>(
  node: Asks,
  method: string,
  params: readonly (readonly unknown[])[],
  signal?: AbortSignal,
): Promise<(T | NodeRpcError)[]> {
  const body = JSON.stringify(params.map((own, id) => ({ jsonrpc: '1.0', id, method, params: own })));
  return node.ask(body, { signal, wholeBytes: MAX_ANSWER_BYTES, list: true }, ({ bytes, status, origin, rest }) => {
    void rest?.return?.();
    if (rest !== undefined) throw tooLarge(origin, MAX_ANSWER_BYTES);
    const answers = parseForeign(bytes.toString('utf8'), BOUNDS);
    if (!Array.isArray(answers) || answers.length !== params.length) throw notJsonRpc(origin, status);
    const byId = new Map(answers.map((answer: { id?: unknown } | null) => [String(answer?.id), answer]));
    return params.map((_, id) => {
      try {
        return resultOf<T>(byId.get(String(id)), id, status, origin);
      } catch (error) {
        if (error instanceof NodeRpcError) return error;
        throw error;
      }
    });
  });
}

/** The same where every call has a result. @throws NodeRpcError of the first call that the node refuses; as {@link callEach} */
export async function callAll<T>(...args: Parameters<typeof callEach>): Promise<T[]> {
  return (await callEach<T>(...args)).map((result) => {
    if (result instanceof NodeRpcError) throw result;
    return result;
  });
}
