import { ChainError } from '../../../../chain/index.ts';
import { PlanchetError } from '../../../../contract/index.ts';
import { helpOf, mostParametersOf, parametersIn } from '../../../gateway/methods/help.ts';
import { failure } from '../../../node-format/params.ts';
import { NodeRpcError } from '../../../ports/node.ts';
import type { SandboxNode } from '../node.ts';
import { chainCommands } from './commands/chain-commands.ts';
import type { Commands, RpcAnswer } from './commands/command.ts';
import { controlCommands } from './commands/control-commands.ts';
import { generateCommands } from './commands/generate-commands.ts';
import { mempoolCommands } from './commands/mempool-commands.ts';
import { outputCommands } from './commands/output-commands.ts';
import { proofCommands } from './commands/proof-commands.ts';
import { statsCommands } from './commands/stats-commands.ts';
import { transactionCommands } from './commands/transaction-commands.ts';

export { writeJson } from '../../../node-format/json.ts';
export { RpcStream } from '../../../node-format/json-stream.ts';

export interface NodeRpcDispatcher {
  readonly node: SandboxNode;
  /**
   * @param params an array, an object of named parameters, or nothing.
   * @returns JSON with markers for amounts: {@link writeJson} writes it like the node, JSON.stringify loses the decimals. A block is an
   *   {@link RpcStream}.
   * @throws NodeRpcError with the node's code and message, for any failure.
   */
  dispatch(method: string, params?: unknown): Promise<RpcAnswer>;
  /** True for commands whose result the node streams. */
  isStreamed(method: string): boolean;
  readonly commands: readonly string[];
}

/** Creates the commands of node-rpc.md sections 1 to 5 for a node, plus `sendrawtransaction` and `generate*`. */
export function createNodeRpc(node: SandboxNode): NodeRpcDispatcher {
  const commands = new Map(Object.entries(allCommands));
  return {
    node,
    commands: [...commands.keys()].sort(),
    isStreamed: (method) => commands.get(method)?.streamed === true,
    dispatch: async (method, params) => {
      const command = commands.get(method);
      if (command === undefined) throw failure('methodNotFound', 'Method not found');
      const known = parametersIn(method);
      const values = positional(known, params);
      const required = known.filter((parameter) => parameter.required).length;
      if (values.length < required || values.length > mostParametersOf(method)) {
        throw failure('misc', helpOf(method));
      }
      try {
        return await command.run(node, values);
      } catch (error) {
        throw asRpcError(node, method, error);
      }
    },
  };
}

const allCommands: Commands = {
  ...chainCommands,
  ...mempoolCommands,
  ...outputCommands,
  ...proofCommands,
  ...statsCommands,
  ...transactionCommands,
  ...generateCommands,
  ...controlCommands,
};

/** Parameters in order; omitted ones before a named one become null. */
function positional(known: ReturnType<typeof parametersIn>, params: unknown): readonly unknown[] {
  if (params === undefined || params === null) return [];
  if (Array.isArray(params)) return params;
  if (typeof params !== 'object') throw failure('invalidRequest', 'Params must be an array or object');
  const values: unknown[] = [];
  for (const [name, value] of Object.entries(params)) {
    const index = known.findIndex(({ names }) => names.includes(name));
    if (index < 0) throw failure('parameter', `Unknown named parameter ${name}`);
    while (values.length < index) values.push(null);
    values[index] = value;
  }
  return values;
}

function asRpcError(node: SandboxNode, method: string, error: unknown): NodeRpcError {
  if (error instanceof NodeRpcError) return error;
  // PlanchetError messages may be shown; other messages are not exposed
  if (error instanceof PlanchetError || error instanceof ChainError) return failure('misc', error.message);
  node.logger.error({ err: error, method }, 'a command of the sandbox node failed');
  return failure('internal', 'Internal error');
}
