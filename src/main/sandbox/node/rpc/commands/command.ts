import type { RpcValue } from '../../../../node-format/json.ts';
import type { RpcStream } from '../../../../node-format/json-stream.ts';
import type { SandboxNode } from '../../node.ts';

/** Result of a command: a value, or a stream that is generated while it is sent. */
export type RpcAnswer = RpcValue | RpcStream;

/** One RPC command of the node. Its parameters and its help are in the tables of gateway/methods. */
interface Command {
  /** True if the node streams the result: no newline follows it. */
  readonly streamed?: boolean;
  /** @throws NodeRpcError */
  run(node: SandboxNode, params: readonly unknown[]): RpcAnswer | Promise<RpcAnswer>;
}

export type Commands = Readonly<Record<string, Command>>;
