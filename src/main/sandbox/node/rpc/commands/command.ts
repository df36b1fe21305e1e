import type { SandboxNode } from '../../node.ts';
import type { RpcValue } from '../json.ts';
import type { RpcStream } from '../streams.ts';

/** Result of a command: a value, or a stream that is generated while it is sent. */
export type RpcAnswer = RpcValue | RpcStream;

/** One RPC command of the node. Its help text is in gateway/methods/help.ts. */
export interface Command {
  readonly name: string;
  /** Parameter names in order; `a|b` are aliases. Only the first `required` are mandatory. */
  readonly params: readonly string[];
  readonly required: number;
  /** Maximum number of parameters, if it differs from the number of names. */
  readonly most?: number;
  /** True if the node streams the result: no newline follows it. */
  readonly streamed?: boolean;
  /** @throws NodeRpcError */
  run(node: SandboxNode, params: readonly unknown[]): RpcAnswer | Promise<RpcAnswer>;
}
