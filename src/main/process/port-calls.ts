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
  /** Of the failure, as the log needs it. An error as a whole may hold what no thread can be sent. */
  readonly cause?: Pick<Error, 'message' | 'stack'> | undefined;
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
   * @throws PlanchetError as the handler threw it, `internal` in place of other errors and of an answer that cannot be sent, `cancelled`
   * once closed
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
  let isClosed = false;

  async function answer({ id, name, input }: Request): Promise<void> {
    const reply = (answered: Omit<Reply, 'to'>): void => port.postMessage({ to: id, ...answered } satisfies Reply, []);
    try {
      reply({ output: await handlers[name]?.(input) });
    } catch (error) {
      if (!(error instanceof PlanchetError)) onError(error);
      reply({ failure: toFailure(error), cause: error instanceof PlanchetError ? causeOf(error) : undefined });
    }
  }

  port.on('message', (message) => {
    if (!('to' in message)) return void answer(message);
    const { to, output, failure, cause } = message;
    const call = waiting.get(to);
    waiting.delete(to);
    if (failure === undefined) call?.resolve(output);
    else call?.reject(new PlanchetError(failure, { cause }));
  });

  return {
    call: async (name, input, moved = []) => {
      if (isClosed) throw new PlanchetError('host.stopping');
      const call = Promise.withResolvers<unknown>();
      const id = lastId++;
      port.postMessage({ id, name, input } satisfies Request, moved);
      waiting.set(id, call);
      return call.promise as Promise<never>;
    },
    close: () => {
      isClosed = true;
      for (const call of waiting.values()) call.reject(new PlanchetError('host.stopping'));
      waiting.clear();
    },
  };
}

function causeOf({ cause }: PlanchetError): Reply['cause'] {
  return cause instanceof Error ? { message: cause.message, ...(cause.stack && { stack: cause.stack }) } : undefined;
}
