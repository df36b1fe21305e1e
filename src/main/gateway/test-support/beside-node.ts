import { writeJson } from '../../node-format/json.ts';
import { NodeRpcError } from '../../ports/node.ts';
import { type NodeRpcDispatcher, RpcStream } from '../../sandbox/node/rpc/dispatcher.ts';
import { absentWithoutNode } from '../methods/without-node.ts';
import { send } from './gateway.ts';

export interface AskedCall {
  readonly method: string;
  readonly params: unknown;
}

/** The node's answer to the byte; without what only a node can tell; a refusal that names the need of a node; or what is different. */
export type Verdict = 'equal' | 'absent' | 'needs-node' | { readonly different: string };

const NOT_FOUND = '{"result":null,"error":{"code":-5,"message":"Block not found"},"id":"row"}\n';

/** Whether an answer says that the call needs a node. */
export const needsNode = (text: string): boolean => / in this form needs a node: /.test(text);

/** The result of a command of a node, as text. */
export async function textOf(node: NodeRpcDispatcher, { method, params }: AskedCall): Promise<string> {
  const value = await node.dispatch(method, params);
  if (!(value instanceof RpcStream)) return writeJson(value);
  let text = '';
  for await (const piece of value.pieces()) text += piece;
  return text;
}

/**
 * Holds the answer of a gateway that has no node against that of the node whose chain it is about.
 * @param isOfLostBranch whether the call is about a block that left the chain, of which headers do not tell: it is not found
 */
export async function besideNode(
  node: NodeRpcDispatcher,
  port: number,
  { method, params }: AskedCall,
  isOfLostBranch: boolean,
): Promise<Verdict> {
  const { text: answer } = await send(port, { body: JSON.stringify({ method, params, id: 'row' }) });
  if (needsNode(answer)) return 'needs-node';
  const wanted = isOfLostBranch ? NOT_FOUND : await byNode(node, { method, params });
  if (answer === wanted) return isOfLostBranch ? 'absent' : 'equal';
  const missing = absentWithoutNode[method] ?? [];
  if (missing.length > 0 && without(wanted, answer, missing) === JSON.stringify(JSON.parse(answer))) return 'absent';
  return { different: `${method} ${JSON.stringify(params)}: ${answer} – the node: ${wanted}`.slice(0, 1_000) };
}

async function byNode(node: NodeRpcDispatcher, call: AskedCall): Promise<string> {
  try {
    return `{"result":${await textOf(node, call)},"error":null,"id":"row"}${node.isStreamed(call.method) ? '' : '\n'}`;
  } catch (error) {
    if (!(error instanceof NodeRpcError)) throw error;
    return `${JSON.stringify({ result: null, error: { code: error.code, message: error.message }, id: 'row' })}\n`;
  }
}

type Json = Record<string, unknown>;

/** The node's answer without those of the members that only a node tells which the answer here does not have. */
function without(wanted: string, answer: string, paths: readonly string[]): string {
  const [from, here] = [wanted, answer].map((text) => (JSON.parse(text) as { result: unknown }).result);
  for (const path of paths) cut(from, here, path.split('.'));
  return JSON.stringify({ ...(JSON.parse(wanted) as object), result: from });
}

function cut(from: unknown, here: unknown, [name = '', ...rest]: readonly string[]): void {
  if (typeof from !== 'object' || from === null) return;
  const other = (here ?? {}) as Json;
  for (const key of name === '*' ? Object.keys(from) : [name]) {
    if (rest.length > 0) cut((from as Json)[key], other[key], rest);
    else if (Array.isArray(from) && other[key] === undefined) from.splice(Number(key), from.length);
    else if (!Array.isArray(from) && other[key] === undefined) delete (from as Json)[key];
  }
}
