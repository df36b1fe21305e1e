import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SandboxFault } from '../../contract/index.ts';
import { callCommand } from '../test-support/hosts/call-command.ts';
import { startHere } from '../test-support/hosts/start-here.ts';

let dataDir: string;
let host: Awaited<ReturnType<typeof startHere>>;
beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'planchet-cli-sandbox-'));
  host = await startHere({ dataDir });
});
afterAll(async () => {
  await host.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

/** @returns the faults that are on then */
async function fault(...args: string[]): Promise<string[]> {
  const { out, code } = await callCommand(['--data-dir', dataDir, '--json', 'sandbox', 'fault', ...args]);
  expect(code).toBe(0);
  return (JSON.parse(out) as SandboxFault[]).map(({ name, area }) => `${name} ${area}`);
}

it('planchet sandbox fault --off turns a fault off in the named area, or everywhere', async () => {
  await fault('latency', '1');
  await fault('drop-connection', '--area', 'woc', '--times', '9');
  await fault('drop-connection', '--area', 'arcade', '--times', '9');
  expect(await fault('drop-connection', '--area', 'token', '--times', '9')).toHaveLength(4);
  expect(await fault('drop-connection', '--off', '--area', 'woc')).toEqual([
    ...['latency all', 'drop-connection arcade', 'drop-connection token'],
  ]);
  expect(await fault('drop-connection', '--off', '--area', 'all')).toHaveLength(3);
  expect(await fault('drop-connection', '--off')).toEqual(['latency all']);
  expect(await fault('off')).toEqual([]);
});

it.each([
  [
    ['fund', 'mxKgvrsE5wCkPfdnZSC2CpwTwnb7v3F2gF', '9999999999999999'],
    'SATOSHIS: must be at most 2,100,000,000,000,000.',
  ],
  [['clock', '1'], 'TIME: "1" is not a time.'],
  [['fault', 'http-error', '999'], 'VALUE: must be a whole number from 400 to 599.'],
])('planchet sandbox %s is refused by the one limit that is meant', async (args, message) => {
  const { err, code } = await callCommand(['--data-dir', dataDir, '--json', 'sandbox', ...args]);
  expect(JSON.parse(err)).toMatchObject({ error: { message: expect.stringContaining(message.slice(0, -1)) } });
  expect([err.split('must be').length <= 2, code]).toEqual([true, 1]);
});
