import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { program } from '../../../../e2e/support/host.ts';

export interface Ended {
  code: number | null;
  out: string;
  err: string;
}

export function startCommand(args: readonly string[], env = process.env): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [program(), ...args], { stdio: 'pipe', env });
}

/** Runs a command to its end, in a process of its own. @param env in place of this process's own variables */
export function runCommand(args: readonly string[], input: string | Buffer = '', env = process.env): Promise<Ended> {
  return new Promise((resolve) => {
    const child = startCommand(args, env);
    const ended: Ended = { code: null, out: '', err: '' };
    child.stdout.on('data', (chunk: Buffer) => {
      ended.out += chunk.toString();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      ended.err += chunk.toString();
    });
    child.stdin.end(input);
    child.once('close', (code) => resolve({ ...ended, code }));
  });
}
