import { Readable } from 'node:stream';
import { runCommandLine } from '../../command-line.ts';
import { type Ended, runCommand } from './command-line.ts';

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs a command to its end in this process, which costs a tenth; one at a time, since each has the process's streams. In the long run each has a
 * process of its own.
 */
export const callCommand: typeof runCommand = process.env.PLANCHET_LONG
  ? runCommand
  : (...call) => {
      const next = last.then(() => runHere(...call));
      last = next;
      return next;
    };

async function runHere(args: readonly string[], input: string | Buffer = '', env = process.env): Promise<Ended> {
  const { stdout, stderr, exitCode } = process;
  const own = { env: process.env, stdin: Object.getOwnPropertyDescriptor(process, 'stdin') as PropertyDescriptor };
  const written = { out: '', err: '' };
  const writes = [stdout, stderr].map((stream) => stream.write);
  const keep = (name: keyof typeof written) => (chunk: string | Uint8Array) => {
    written[name] += Buffer.from(chunk as string).toString();
    return true;
  };
  stdout.write = keep('out');
  stderr.write = keep('err');
  Object.defineProperty(process, 'stdin', { value: Readable.from([Buffer.from(input)]), configurable: true });
  process.env = env;
  process.exitCode = 0;
  try {
    await runCommandLine(args);
    return { ...written, code: Number(process.exitCode) };
  } finally {
    [stdout.write, stderr.write] = writes as [typeof stdout.write, typeof stderr.write];
    Object.defineProperty(process, 'stdin', own.stdin);
    process.env = own.env;
    process.exitCode = exitCode;
  }
}
