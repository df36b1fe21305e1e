import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const cli = fileURLToPath(new URL('../../src/main/cli.ts', import.meta.url));
const MAX_OUTPUT_BYTES = 64_000_000;

/** Runs a command of the terminal beside a running host. @returns what it printed. @throws where it ends with another code than 0 */
export async function runCli(dataDir: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [cli, '--data-dir', dataDir, ...args], {
    maxBuffer: MAX_OUTPUT_BYTES,
  });
  return stdout;
}
