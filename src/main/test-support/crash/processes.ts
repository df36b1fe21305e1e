import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

export interface StartedProcess<Ready> {
  readonly child: ChildProcess;
  /** The line of JSON it printed when it was ready. Rejects where it ends before that. */
  readonly ready: Promise<Ready>;
  /** Lets a held process go on. */
  go(): void;
  /** Ends it, by SIGTERM where no other signal is named, and waits until it is gone. */
  end(signal?: NodeJS.Signals): Promise<void>;
}

interface StartOptions {
  /** Of Node itself. */
  readonly args?: readonly string[];
  readonly env?: Record<string, string>;
  /** Loads the code, then waits until it is told to go on. */
  readonly held?: boolean;
  /** The file as `bundleProcess` made it. */
  readonly program?: string;
}

/**
 * Starts a file of this folder in a process of its own.
 * @param options handed over as one argument of JSON
 */
export function startProcess<Ready>(
  file: 'sandbox-process.ts' | 'writer-process.ts',
  options: unknown,
  { args = [], env = {}, held = false, program }: StartOptions = {},
): StartedProcess<Ready> {
  const path = program ?? fileURLToPath(new URL(file, import.meta.url));
  const child = spawn(process.execPath, [...args, path, JSON.stringify(options)], {
    stdio: [held ? 'pipe' : 'ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env, ...(held ? { PLANCHET_HELD: '1' } : {}) },
  });
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const ready = new Promise<Ready>((resolve, reject) => {
    createInterface(child.stdout as Readable).once('line', (line) => resolve(JSON.parse(line) as Ready));
    child.once('error', reject);
    child.once('exit', (code, signal) => reject(new Error(`${file} ended before it was ready (${signal ?? code})`)));
  });
  // Whoever ends it early does not wait for it.
  ready.catch(() => undefined);
  return {
    child,
    ready,
    go: () => child.stdin?.end('go'),
    end: async (signal = 'SIGTERM') => {
      child.kill(signal);
      await gone;
    },
  };
}
