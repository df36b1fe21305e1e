import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startCommand } from './test-support/hosts/command-line.ts';
import { OwnCoins } from './test-support/hosts/own-coins.ts';
import { startHere } from './test-support/hosts/start-here.ts';

const own = new OwnCoins();
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

/** Runs a command whose output nobody reads. @param then once it has said something on the other stream */
async function unread(stream: 'stdout' | 'stderr', args: string[], then = async () => {}): Promise<object> {
  const child = startCommand(['--data-dir', dataDir, ...args]);
  child[stream].destroy();
  let said = '';
  let started: Promise<void> | undefined;
  child[stream === 'stdout' ? 'stderr' : 'stdout'].on('data', (chunk: Buffer) => {
    said += chunk.toString();
    started ??= then();
  });
  const [code] = await once(child, 'close');
  await started;
  return { code, said };
}

describe('a closed pipe', () => {
  it('ends a command quietly', async () => {
    expect(await unread('stdout', ['settings', 'list', '--json'])).toEqual({ code: 0, said: '' });
  });

  it('leaves the exit code of a failure as it is', async () => {
    expect(await unread('stderr', ['frobnicate'])).toEqual({ code: 2, said: '' });
  });

  it('ends what goes on printing', async () => {
    const { client } = host;
    const pay = async (): Promise<void> => {
      const coin = await own.funded(client(), 10_000);
      await client().tx.submit({ source: { text: own.spend([coin], [9_900]).hex } });
    };
    const ended = await unread('stdout', ['tx', 'watch'], pay);
    expect(ended).toEqual({ code: 0, said: expect.stringMatching(/^Watching.*\n$/) as string });
  });
});

describe('a command that goes on', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)('ends with 130 at %s beside a running host', async (signal) => {
    const watch = startCommand(['--data-dir', dataDir, 'tx', 'watch']);
    await once(watch.stderr, 'data');
    watch.kill(signal);
    expect(await once(watch, 'close')).toEqual([130, null]);
  });
});
