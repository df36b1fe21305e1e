import type { Transferable } from 'node:worker_threads';
import { type Failure, PlanchetError, toFailure } from '../../contract/index.ts';

// biome-ignore lint/suspicious/noExplicitAny: each has an input of its own
type Handlers = Readonly<Record<string, (input: any) => unknown>>;

interface Request {
  readonly id: number;
  readonly name: string;
  readonly input: unknown;
}

interface Reply {
  readonly to: number;
  readonly output?: unknown;
  readonly failure?: Failure;
}

/** A port, or a thread as its starter sees it. */
interface CallPort {
  on(event: 'message', listener: (message: Request | Reply) => void): unknown;
  postMessage(message: unknown, moved: readonly Transferable[]): void;
}

/** What the other side of a port answers. */
export interface PortCalls<Theirs extends Handlers> {
  /**
   * @param moved buffers of the input that are moved instead of copied
   * @throws PlanchetError as the handler threw it, `internal` in place of other errors, `cancelled` once closed
   */
  call<Name extends keyof Theirs & string>(
    name: Name,
    input: Parameters<Theirs[Name]>[0],
    moved?: readonly Transferable[],
  ): Promise<Awaited<ReturnType<Theirs[Name]>>>;
  /** What waits for a reply fails with `cancelled`. */
  close(): void;
}

/**
 * Calls between two threads, in both directions. Messages keep their order: what one side sends before a reply is handled before the reply.
 * @param handlers answers the calls of the other side
 * @param onError called with what a handler threw by a defect
 */
export function portCalls<Theirs extends Handlers>(
  port: CallPort,
  handlers: Handlers,
  onError: (error: unknown) => void,
): PortCalls<Theirs> {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let lastId = 0;

  async function answer({ id, name, input }: Request): Promise<void> {
    let reply: Reply;
    try {
      reply = { to: id, output: await handlers[name]?.(input) };
    } catch (error) {
      if (!(error instanceof PlanchetError)) onError(error);
      reply = { to: id, failure: toFailure(error) };
    }
    port.postMessage(reply, []);
  }

  port.on('message', (message) => {
    if (!('to' in message)) return void answer(message);
    const { to, output, failure } = message;
    const call = waiting.get(to);
    waiting.delete(to);
    if (failure === undefined) call?.resolve(output);
    else call?.reject(new PlanchetError(failure));
  });

  return {
    call: (name, input, moved = []) => {
      const call = Promise.withResolvers<unknown>();
      const id = lastId++;
      port.postMessage({ id, name, input } satisfies Request, moved);
      waiting.set(id, call);
      return call.promise as Promise<never>;
    },
    close: () => {
      for (const call of waiting.values()) call.reject(new PlanchetError('host.stopping'));
      waiting.clear();
    },
  };
}
