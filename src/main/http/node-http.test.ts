import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

it.each(['../host/host.ts', '../sandbox/sandbox.ts'])(
  '%s does not read the HTTP client of Node at its start',
  (part) => {
    const program = `
    await import(${JSON.stringify(fileURLToPath(new URL(part, import.meta.url)))});
    process.stdout.write(process.moduleLoadList.filter((name) => name.includes('undici')).join());`;
    const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      encoding: 'utf8',
    });
    expect({ stdout, status }, stderr).toEqual({ stdout: '', status: 0 });
  },
);
