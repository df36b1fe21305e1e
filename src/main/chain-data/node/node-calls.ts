import { z } from 'zod';
import { ChainError, fromHex } from '../../../chain/index.ts';
import { PlanchetError } from '../../../contract/index.ts';
import type { Answer } from '../../ports/chain-data.ts';
import { isNotKnown, isPruned, lacksCommand, type NodeRpc, NodeRpcError } from '../../ports/node.ts';
import { unknown } from '../answers.ts';

/** Of a block that was sent as a whole, so many bytes are read in one turn of the event loop. */
const PIECE_BYTES = 65_536;

/** The commands of a node, with answers that are read before they are used. What a signal ends, it ends here. */
export class NodeCalls {
  readonly signal: AbortSignal | undefined;
  readonly #rpc: NodeRpc;
  readonly #options: { signal?: AbortSignal };

  constructor(rpc: NodeRpc, signal?: AbortSignal) {
    this.#rpc = rpc;
    this.signal = signal;
    this.#options = signal === undefined ? {} : { signal };
  }

  get name(): string {
    return this.#rpc.name ?? 'bitcoinRpcUrl';
  }

  until(signal: AbortSignal): NodeCalls {
    return new NodeCalls(this.#rpc, this.signal === undefined ? signal : AbortSignal.any([this.signal, signal]));
  }

  /** @throws NodeRpcError; PlanchetError `upstream-*`, also where the answer is none of the schema */
  async ask<T extends z.ZodType>(schema: T, method: string, params: readonly unknown[] = []): Promise<z.infer<T>> {
    const answer = schema.safeParse(await this.#rpc.call<unknown>(method, params, this.#options));
    if (answer.success) return answer.data;
    throw new PlanchetError('chain.answer-malformed', { method });
  }

  /** Results of calls that are made together; undefined where they are to be made one by one. @throws PlanchetError `upstream-*` */
  async each(method: string, params: readonly (readonly unknown[])[]): Promise<readonly unknown[] | undefined> {
    if (params.length < 2) return undefined;
    return this.#rpc.callEach?.<unknown>(method, params, this.#options);
  }

  /** The bytes of a block, as they arrive. @throws as {@link ask}, before all are read */
  async *block(hash: string): AsyncGenerator<Uint8Array, void> {
    if (this.#rpc.readBlock !== undefined) return yield* await this.#rpc.readBlock(hash, this.#options);
    const bytes = await this.bytes('getblock', [hash, 0]);
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
  }

  /** Bytes are decoded while they arrive; as a text of hex they would take several times their size. */
  async bytes(method: string, params: readonly unknown[]): Promise<Uint8Array> {
    if (this.#rpc.callBytes !== undefined) return this.#rpc.callBytes(method, params, this.#options);
    try {
      return fromHex(await this.ask(z.string(), method, params));
    } catch (error) {
      if (error instanceof ChainError) throw new PlanchetError('chain.answer-malformed', { method });
      throw error;
    }
  }
}

/**
 * An answer of the node. That it knows no such thing, or not any more, is one; any other error of the node, such as that of one that starts, makes
 * the question fail.
 */
export async function answerOf<T>(ask: () => Promise<Answer<T>>): Promise<Answer<T>> {
  try {
    return await ask();
  } catch (error) {
    if (isNotKnown(error) || isPruned(error)) return unknown;
    throw nodeError(error);
  }
}

/** An error of the node itself as one that a person can read; anything else stays as it is. */
export function nodeError(error: unknown): unknown {
  if (!(error instanceof NodeRpcError)) return error;
  return new PlanchetError('chain.node-error', { reason: error.message.slice(0, 300) }, { cause: error });
}

/** Whether the node, or what stands before it, does not serve a command; that it knows no such transaction or block is an answer. */
export function isRefusal(error: unknown): boolean {
  if (error instanceof NodeRpcError) return !isNotKnown(error);
  return error instanceof PlanchetError && error.code === 'upstream-error';
}

/** Whether a question failed because the node does not have a command for it. @param error as {@link nodeError} makes it */
export function isLackOfCommand(error: unknown): boolean {
  return error instanceof PlanchetError && lacksCommand(error.cause);
}
