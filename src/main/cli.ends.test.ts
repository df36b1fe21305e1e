import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { program, startHost } from '../../e2e/support/host.ts';
import { lockDataFolder } from './infrastructure/data-folder.ts';
import { callCommand } from './test-support/hosts/call-command.ts';
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

  it('ends a command that goes on printing', async () => {
    const { client } = host;
    const pay = async (): Promise<void> => {
      const coin = await own.funded(client(), 10_000);
      await client().tx.submit({ source: { text: own.spend([coin], [9_900]).hex } });
    };
    const ended = await unread('stdout', ['tx', 'watch'], pay);
    expect(ended).toEqual({ code: 0, said: expect.stringMatching(/^Watching.*\n$/) as string });
  });
});

describe.runIf(process.platform === 'linux')('an output that cannot be written', () => {
  it.each(['--help', 'settings list'])('is told, and is a failure: %s', async (words) => {
    const full = openSync('/dev/full', 'w');
    const args = [program(), '--data-dir', dataDir, ...words.split(' '), '--json'];
    const child = spawn(process.execPath, args, { stdio: ['ignore', full, 'pipe'] });
    closeSync(full);
    const [said, [code]] = await Promise.all([text(child.stderr as Readable), once(child, 'close')]);
    expect(JSON.parse(said)).toMatchObject({ error: { message: expect.stringContaining('ENOSPC') as string } });
    expect(code).toBe(1);
  });
});

describe('a command that runs until it is stopped', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('ends with 130 at %s beside a running host', async (signal) => {
    const watch = startCommand(['--data-dir', dataDir, 'tx', 'watch']);
    await once(watch.stderr, 'data');
    watch.kill(signal);
    expect(await once(watch, 'close')).toEqual([130, null]);
  });
});

/** Asks a console that answers so for the balance. @returns the message of the error */
async function askedOf(answer: RequestListener): Promise<string> {
  const console = createServer(answer);
  await once(console.listen(0, '127.0.0.1'), 'listening');
  const held = mkdtempSync(join(folder, 'held-'));
  const lock = lockDataFolder(held);
  try {
    lock.announce(`http://127.0.0.1:${(console.address() as AddressInfo).port}`);
    const { code, err } = await callCommand(['--data-dir', held, '--json', 'wallet', 'balance']);
    expect(code).toBe(1);
    return (JSON.parse(err) as { error: { message: string } }).error.message;
  } finally {
    lock.release();
    console.closeAllConnections();
    console.close();
  }
}

describe('a command beside a host fails with the reason', () => {
  it.each<[string, RequestListener, string]>([
    ['nothing', () => {}, 'does not answer'],
    ['with a broken connection', (_, response) => response.destroy(), 'does not answer'],
    ['that it has no such procedure', (_, response) => response.writeHead(404).end('{}'), 'another version'],
    ['in another form', (_, response) => response.end('{"network":"test"}'), 'another version'],
    ['with a page', (_, response) => response.end('<!doctype html>'), 'another version'],
  ])('where the host answers %s', async (_, answer, message) => {
    expect(await askedOf(answer)).toContain(message);
  });

  it('where the host is killed meanwhile', { tags: 'long' }, async () => {
    const other = await startHost({ dataDir: join(folder, 'killed') });
    const watch = startCommand(['--data-dir', join(folder, 'killed'), 'tx', 'watch']);
    let said = '';
    watch.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    await once(watch.stderr, 'data');
    const ended = once(watch, 'close');
    other.process.kill('SIGKILL');
    expect(await ended).toEqual([1, null]);
    expect(said).toContain('does not answer, or was stopped');
  });
});
