import type { Worker } from 'node:worker_threads';

/**
 * Ends the next threads of this process from outside, as the system does where memory runs out.
 * @param when `started` before a thread's code is loaded, `ready` with its first message, which is when work is handed to it
 * @returns how many were ended, once all of them have exited
 */
export function endThreads(count: number, when: 'started' | 'ready'): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  let seen = 0;
  let exited = 0;
  const end = (worker: Worker): void => {
    seen += 1;
    if (seen === count) process.off('worker', end);
    worker.once('exit', () => {
      exited += 1;
      if (exited === count) resolve(exited);
    });
    if (when === 'started') void worker.terminate();
    else worker.once('message', () => void worker.terminate());
  };
  process.on('worker', end);
  return promise;
}
