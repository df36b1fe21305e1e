import { Command } from 'commander';
import type { Shell } from '../shared/run.ts';

/** What a command gives with `--json`, what it prints without, and its exit code. */
export interface CommandRun<T> {
  readonly value: T;
  readonly text: string;
  readonly exitCode: unknown;
}

/**
 * Runs a command against the running host of a data folder.
 * @param add the commands that the program has
 * @param args the words behind `planchet`
 */
export async function runCommand<T>(
  dataDir: string,
  add: (program: Command, shell: Shell) => void,
  args: readonly string[],
): Promise<CommandRun<T>> {
  let printed: { value: unknown; text: string } | undefined;
  const program = new Command().exitOverride().configureOutput({ writeErr: () => undefined });
  add(program, {
    globals: () => ({ dataDir, set: {}, json: true, safeMode: false }),
    output: () => ({
      note: () => undefined,
      result: (value, text) => {
        printed = { value, text };
      },
    }),
  });
  const before = process.exitCode;
  try {
    await program.parseAsync([...args], { from: 'user' });
    return { ...(printed as { value: T; text: string }), exitCode: process.exitCode };
  } finally {
    process.exitCode = before;
  }
}
