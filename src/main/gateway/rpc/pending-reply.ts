import type { Reply } from './reply.ts';

/** Receives the reply to a call. One of the two methods is called once, and never before the method that takes the listener has returned. */
export interface ReplyListener {
  onReply(reply: Reply): void;
  onError(error: unknown): void;
}

/** A call that has no reply yet. */
export interface PendingReply {
  /** The client has left. The listener is still called. A reply that is being streamed ends. */
  cancel(): void;
}

/** Runs asynchronous work and passes its result to a listener. */
export function inSteps(
  work: (signal: AbortSignal) => Promise<Reply>,
  { onReply, onError }: ReplyListener,
): PendingReply {
  const controller = new AbortController();
  work(controller.signal).then(onReply, onError);
  return { cancel: () => controller.abort() };
}

/** Turns the result for a listener into a promise. */
export function promised<T extends { readonly kind: string }>(
  begin: (resolve: (value: T) => void, reject: (error: unknown) => void) => PendingReply,
  signal: AbortSignal | undefined,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const settled = (): void => signal?.removeEventListener('abort', cancel);
    const pending = begin(
      (value) => {
        // a client that leaves ends the stream it receives
        if (value.kind !== 'flowing') settled();
        resolve(value);
      },
      (error) => {
        settled();
        reject(error as Error);
      },
    );
    const cancel = (): void => pending.cancel();
    if (signal?.aborted) cancel();
    else signal?.addEventListener('abort', cancel, { once: true });
  });
}
