/** Makes JSON-RPC calls to the upstream node. */
export interface NodeRpc {
  /** Its address without credentials, as shown to a person; several are separated by commas. Left out where it is never shown. */
  readonly name?: string;
  /** @throws NodeRpcError if the node answers with an error, PlanchetError `upstream-*` if it cannot be reached */
  call<T>(
    method: string,
    params?: readonly unknown[],
    options?: { signal?: AbortSignal; timeoutMs?: number },
  ): Promise<T>;
  /**
   * Makes calls of one method together. Left out where they are made one by one.
   * @returns their results in order, or the error of the node in place of one
   * @throws PlanchetError `upstream-*`, also where the node takes no batches; `upstream.answer-too-large` where fewer are to be asked for
   */
  callEach?<T>(
    method: string,
    params: readonly (readonly unknown[])[],
    options?: { signal?: AbortSignal },
  ): Promise<(T | NodeRpcError)[]>;
  /** The same for a result that is hex, decoded while it arrives. Left out where answers are small. */
  callBytes?(method: string, params?: readonly unknown[], options?: { signal?: AbortSignal }): Promise<Uint8Array>;
  /** The bytes of a block as they arrive, which fails while they are read too. Left out where blocks are small. */
  readBlock?(hash: string, options?: { signal?: AbortSignal }): Promise<AsyncIterable<Uint8Array>>;
}

/** An error of the node itself, with the code and message of its JSON-RPC answer. */
export class NodeRpcError extends Error {
  override readonly name = 'NodeRpcError';
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Whether the node says that it does not know a transaction or block (-5), or has no block at a height (-8). Any other error, such as -28 while
 * it starts, says nothing about what was asked for.
 */
export function isNotKnown(error: unknown): boolean {
  return error instanceof NodeRpcError && (error.code === -5 || error.code === -8);
}

/** Whether the node says that it does not have a command. */
export function lacksCommand(error: unknown): boolean {
  return error instanceof NodeRpcError && error.code === -32_601;
}

/** Whether the node says that it has the header of a block and not its transactions, as a pruned one does of all but its newest blocks. */
export function isPruned(error: unknown): boolean {
  return error instanceof NodeRpcError && /pruned|^Block file .* not available|not found on disk/i.test(error.message);
}
