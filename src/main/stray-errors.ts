import type { Logger } from './ports.ts';

/**
 * Node's own web streams throw outside of anybody's reach when a reader leaves while a piece is on its way: the fetch body's `pull` enqueues
 * into a stream that has just been closed (`ERR_INVALID_STATE` from ReadableByteStreamController). A tab that is closed during a preview
 * does that. Nobody waits for that piece any more, so nothing is lost by going on.
 */
export function isAbandonedStream(error: unknown): boolean {
  const { code, stack } = (error ?? {}) as { code?: unknown; stack?: unknown };
  return (
    code === 'ERR_INVALID_STATE' && typeof stack === 'string' && stack.includes('ReadableByteStreamController.enqueue')
  );
}

/**
 * Keeps the process alive through abandoned streams, and through nothing else: any other stray error ends it as it would have.
 * @returns what ends the watch
 */
export function surviveAbandonedStreams(logger: Logger): () => void {
  const onError = (error: unknown): void => {
    if (isAbandonedStream(error)) {
      logger.warn({ err: error }, 'a reader left while its answer was being written');
      return;
    }
    logger.fatal({ err: error }, 'stray error');
    process.removeListener('uncaughtException', onError);
    setImmediate(() => {
      throw error;
    });
  };
  process.on('uncaughtException', onError);
  return () => process.removeListener('uncaughtException', onError);
}
