import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startCommand } from './test-support/hosts/command-line.ts';
import { startHere } from './test-support/hosts/start-here.ts';

let folder: string;
let dataDir: string;
let host: Awaited<ReturnType<typeof startHere>>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'planchet-cli-ends-'));
  dataDir = join(folder, 'data');
  host = await startHere({ dataDir });
});
afterAll(async () => {
  await host.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('a command that goes on', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)('ends with 130 at %s beside a running host', async (signal) => {
    const watch = startCommand(['--data-dir', dataDir, 'tx', 'watch']);
    await once(watch.stderr, 'data');
    watch.kill(signal);
    expect(await once(watch, 'close')).toEqual([130, null]);
  });
});
