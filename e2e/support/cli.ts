import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { program } from './host.ts';

const MAX_OUTPUT_BYTES = 64_000_000;

/** Runs a command of the terminal while a host is running. @returns its output @throws if its exit code is not 0 */
export async function runCli(dataDir: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [program(), '--data-dir', dataDir, ...args], {
    maxBuffer: MAX_OUTPUT_BYTES,
  });
  return stdout;
}
