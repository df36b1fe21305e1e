import { Worker } from 'node:worker_threads';
import type { Around, Shape } from './shapes.ts';

interface Shaped {
  readonly shape: Shape;
  readonly bytes: number;
}

export type Order = Shaped &
  (
    | { readonly do: 'send'; readonly url: string; readonly headers: Record<string, string>; readonly around: Around }
    | { readonly do: 'send plain'; readonly url: string }
    | { readonly do: 'answer'; readonly around: Around; readonly gzip: boolean }
  );

/** What came of an order: the status of an answer, where answers are given, or why there was none. */
export interface Answered {
  readonly status?: number;
  readonly url?: string;
  readonly error?: string;
}

/** A thread that sends hostile shapes, and answers with them. */
export class HostileThread {
  readonly #worker = new Worker(new URL('./hostile-thread.ts', import.meta.url), { execArgv: [] });
  readonly #waiting = new Map<number, (result: Answered) => void>();
  #orders = 0;

  constructor() {
    this.#worker.on('message', ({ id, result }: { id: number; result: Answered }) => {
      this.#waiting.get(id)?.(result);
      this.#waiting.delete(id);
    });
  }

  order(order: Order): Promise<Answered> {
    const id = ++this.#orders;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#worker.postMessage({ id, order });
    });
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}
