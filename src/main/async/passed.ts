import type { Clock } from '../ports/clock.ts';

/** Resolves after so many milliseconds, or with the signal. */
export async function passed(clock: Pick<Clock, 'after'>, ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = clock.after(ms, resolve);
  const end = (): void => resolve();
  signal?.addEventListener('abort', end, { once: true });
  await promise;
  signal?.removeEventListener('abort', end);
  cancel();
}
