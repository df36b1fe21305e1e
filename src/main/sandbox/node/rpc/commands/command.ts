import type { SandboxNode } from '../../node.ts';
import type { RpcValue } from '../json.ts';
import type { RpcStream } from '../streams.ts';

/** What a command answers: a value, or one that is made while it is sent. */
export type RpcAnswer = RpcValue | RpcStream;

/** One command of the node. What `help` says of it stands in gateway/methods/help.ts. */
export interface Command {
  readonly name: string;
  /** Parameters in order; `a|b` are two names of one. Only the first `required` must be given. */
  readonly params: readonly string[];
  readonly required: number;
  /** Highest number of parameters taken, where it is not the number of names. */
  readonly most?: number;
  /** True for one whose answer the node streams: no newline follows it. */
  readonly streamed?: boolean;
  /** @throws NodeRpcError */
  run(node: SandboxNode, params: readonly unknown[]): RpcAnswer | Promise<RpcAnswer>;
}
