import type { BlockPart } from '../../contract/index.ts';

/** What the node answered; `error` is its own. */
interface NodeAnswer<T = unknown> {
  readonly result: T;
  readonly error: { code: number; message: string } | null;
}

export interface NodePort {
  /** One call under the gateway's rules; a refusal of the node itself is returned in `error`. */
  call(method: string, params: unknown[], signal: AbortSignal | undefined): Promise<NodeAnswer>;
  /** A block with those of its transactions, from one on, whose id holds the search. */
  block(
    wanted: { hash: string; search: string; from: number },
    signal: AbortSignal | undefined,
  ): Promise<NodeAnswer<BlockPart | null>>;
}
