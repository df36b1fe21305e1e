import { PlanchetError } from '../../../contract/index.ts';
import { printFailure } from './run.ts';

/** Exit code of a command that was interrupted before it was done. */
const INTERRUPTED = 130;
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Does a command's work so that a signal ends the process with 130, as Ctrl+C at a question does. A closed pipe ends it with what it has as its
 * exit code: the reader of the output has enough.
 * @param work gets an abort signal, to say what becomes of what it began
 * @param stop what must end properly before the process does
 */
export async function interruptible<T>(
  work: (interrupted: AbortSignal) => Promise<T>,
  stop: () => Promise<void> = async () => {},
): Promise<T> {
  const interruption = new AbortController();
  const end = (code?: number): void => {
    void stop().finally(() => process.exit(code));
  };
  const interrupted = (): void => {
    interruption.abort();
    end(INTERRUPTED);
  };
  const unread = (): void => end();
  for (const signal of signals) process.once(signal, interrupted);
  process.stdout.once('error', unread);
  try {
    return await work(interruption.signal);
  } finally {
    for (const signal of signals) process.removeListener(signal, interrupted);
    process.stdout.removeListener('error', unread);
  }
}

/**
 * A closed pipe is no failure, as in `planchet settings list | head -1`. Any other error of the output is: it is told, and the exit code is 1.
 * @param json as {@link printFailure} takes it
 */
export function watchOutput(json: boolean): void {
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return;
    process.exitCode = 1;
    printFailure(new PlanchetError('cli.output-unwritable', { reason: error.message }).toFailure(), json);
  });
}
