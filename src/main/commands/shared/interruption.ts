/** Exit code of a command that was interrupted before it was done. */
const INTERRUPTED = 130;
const signals = ['SIGINT', 'SIGTERM'] as const;

/**
 * Does a command's work so that a signal ends the process with 130, as Ctrl+C at a question does.
 * @param stop what must end properly before the process does
 */
export async function interruptible<T>(work: () => Promise<T>, stop: () => Promise<void> = async () => {}): Promise<T> {
  const interrupted = (): void => {
    void stop().finally(() => process.exit(INTERRUPTED));
  };
  for (const signal of signals) process.once(signal, interrupted);
  try {
    return await work();
  } finally {
    for (const signal of signals) process.removeListener(signal, interrupted);
  }
}
