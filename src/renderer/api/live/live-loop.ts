import type { LiveEvent } from '../../../contract/index.ts';
import type { ConnectionPhase } from '../connection/connection.ts';

const DELAYS_MS = [250, 500, 1_000, 2_000, 4_000, 8_000] as const;

/** Delay before attempt `attempt` (from 1): doubles up to eight seconds. */
export function reconnectDelay(attempt: number): number {
  return DELAYS_MS[Math.min(Math.max(attempt, 1), DELAYS_MS.length) - 1] as number;
}

export interface LiveLoop {
  subscribe(signal: AbortSignal): Promise<AsyncIterable<LiveEvent>>;
  onEvent(event: LiveEvent): void;
  onPhase(phase: ConnectionPhase, attempt: number): void;
  /** Whether a retry cannot change a refusal. */
  isRefused(error: unknown): boolean;
  /** Resolves after the time, or earlier if a retry is likely to succeed (the window regained the focus, the network is back). */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

/** Resolves after the time, or earlier if the signal aborts or the window fires one of these events. */
export function sleep(ms: number, signal: AbortSignal, wakes: readonly string[] = []): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      for (const wake of wakes) window.removeEventListener(wake, done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
    for (const wake of wakes) window.addEventListener(wake, done);
  });
}

/** Keeps the event stream open until `signal` aborts or the host refuses it. Each break is followed by a reconnect and a new snapshot. */
export async function runLiveLoop(loop: LiveLoop, signal: AbortSignal): Promise<void> {
  let attempt = 0;
  let wasLive = false;
  while (!signal.aborted) {
    try {
      for await (const event of await loop.subscribe(signal)) {
        if (signal.aborted) return;
        loop.onEvent(event);
        if (event.type === 'snapshot') {
          attempt = 0;
          wasLive = true;
          loop.onPhase('live', 0);
        }
      }
    } catch (error) {
      if (signal.aborted) return;
      if (loop.isRefused(error)) {
        loop.onPhase('unauthorized', 0);
        return;
      }
    }
    if (signal.aborted) return;
    attempt += 1;
    loop.onPhase(wasLive ? 'reconnecting' : 'connecting', attempt);
    await loop.wait(reconnectDelay(attempt), signal);
  }
}
