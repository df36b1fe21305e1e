import type { SandboxNode } from '../node.ts';
import type { RpcValue } from './json.ts';

type CommandCategory = 'Blockchain' | 'Control' | 'Generating' | 'Network' | 'Rawtransactions';

/** One command of the node. */
export interface Command {
  readonly name: string;
  readonly category: CommandCategory;
  /** Parameters in order; `a|b` are two names of one. Only the first `required` must be given. */
  readonly params: readonly string[];
  readonly required: number;
  /** Highest number of parameters taken, where it is not the number of names. */
  readonly most?: number;
  /** How the parameters are written, e.g. `"blockhash" ( verbosity )`. */
  readonly usage: string;
  readonly summary: string;
  /** True for one whose answer the node streams: no newline follows it. */
  readonly streamed?: boolean;
  /** @throws NodeRpcError */
  run(node: SandboxNode, params: readonly unknown[]): RpcValue | Promise<RpcValue>;
}

/** What `help <command>` shows and what a wrong number of parameters is answered with. */
export function helpOf(command: Command): string {
  const usage = command.usage === '' ? command.name : `${command.name} ${command.usage}`;
  return `${usage}\n\n${command.summary}\n`;
}
