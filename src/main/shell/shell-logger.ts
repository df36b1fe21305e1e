/** The shell's log goes to the host, whose process writes the file. */
export interface ShellLogger {
  info(fields: object, text: string): void;
  warn(fields: object, text: string): void;
  error(fields: object, text: string): void;
}

/** An error as it can cross a process border. */
export function described(error: unknown): { error: string } {
  return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}
