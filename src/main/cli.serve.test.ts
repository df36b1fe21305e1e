import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freePorts, type RunningHost, startHost } from '../../e2e/support/host.ts';
import type { ReadyLine } from './commands/serve/ready-line.ts';
import { callCommand } from './test-support/hosts/call-command.ts';
import { runCommand } from './test-support/hosts/command-line.ts';
import { filledDataDir } from './test-support/hosts/open-host.ts';

const fields = [
  'ready',
  'reason',
  'alreadyRunning',
  'network',
  'rpc',
  'zmq',
  'console',
  'writer',
  'mapi',
  'baseUrl',
  'sandbox',
  'dataDir',
  'rpcUsername',
  'rpcCookieFile',
  'consoleToken',
  'sandboxApiKey',
  'problems',
];

let folder: string;
let host: RunningHost | undefined;
const closing: (() => void)[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'planchet-serve-'));
});
afterEach(async () => {
  await host?.stop();
  host = undefined;
  for (const close of closing.splice(0)) close();
  rmSync(folder, { recursive: true, force: true });
});

const serve = (...more: string[]) => callCommand(['--data-dir', folder, 'serve', '--json', ...more]);
const free = Object.entries(freePorts).flatMap(([key, value]) => ['--set', `${key}=${value}`]);

/** The one line, which always has the same fields. */
function lineOf(out: string): ReadyLine {
  expect(out.trimEnd().split('\n')).toHaveLength(1);
  const line = JSON.parse(out) as ReadyLine;
  expect(Object.keys(line)).toEqual(fields);
  return line;
}

function takenPort(): Promise<string> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      closing.push(() => server.close());
      resolve(`127.0.0.1:${(server.address() as { port: number }).port}`);
    });
  });
}

function settingsFile(text: string): string {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'settings.json');
  writeFileSync(file, text);
  return file;
}

describe('serve --json', () => {
  it('says that it is ready, and beside a running host the same', async () => {
    host = await startHost({ dataDir: folder });
    expect(lineOf(JSON.stringify(host.ready))).toMatchObject({ ready: true, reason: null, problems: [] });
    const { code, out } = await runCommand(['--data-dir', folder, 'serve', '--json', '--strict']);
    const beside = lineOf(out);
    expect(code).toBe(0);
    const own = ['consoleToken', 'sandboxApiKey', 'alreadyRunning'];
    const shared = (line: object): object =>
      Object.fromEntries(Object.entries(line).filter(([key]) => !own.includes(key)));
    expect(shared(beside)).toEqual(shared(host.ready));
    expect(beside.alreadyRunning).toBe(true);
    const session = await fetch(`${beside.console}/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token: beside.consoleToken }),
    });
    expect(session.status).toBe(200);
    expect(beside.sandboxApiKey).toMatch(/^\S{16,}$/);
  });

  it('ends at a signal, also where something of it goes on listening', { tags: 'long' }, async () => {
    const goesOn = 'data:text/javascript,import{createServer}from"node:net";createServer().listen(0,"127.0.0.1")';
    host = await startHost({ dataDir: await filledDataDir(folder), nodeFlags: ['--import', goesOn] });
    await host.stop();
    expect(host.process.exitCode).toBe(0);
  });

  it('is not ready where the gateway or ZMQ did not start, and names why, also beside it', async () => {
    const rpcBind = await takenPort();
    host = await startHost({
      dataDir: await filledDataDir(folder),
      set: { rpcBind, zmqAddress: `tcp://${await takenPort()}` },
    });
    const problem = (service: string) => ({
      service,
      code: 'port-in-use',
      message: expect.stringContaining('already listens') as string,
      hint: expect.stringMatching(/./) as string,
    });
    const told = {
      ready: false,
      reason: expect.stringContaining(rpcBind) as string,
      rpc: null,
      zmq: null,
      problems: [problem('gateway'), problem('zmq')],
    };
    expect(lineOf(JSON.stringify(host.ready))).toMatchObject(told);
    const beside = await serve();
    expect(beside.code).toBe(0);
    expect(lineOf(beside.out)).toMatchObject(told);
    expect((await serve('--strict')).code).toBe(1);
  });

  it('ends with 1 under --strict where there is a problem, with the same line', { tags: 'long' }, async () => {
    await filledDataDir(folder);
    const taken = ['--set', `writerBind=${await takenPort()}`];
    const { code, out } = await runCommand(['--data-dir', folder, 'serve', '--json', '--strict', ...free, ...taken]);
    expect(code).toBe(1);
    expect(lineOf(out)).toMatchObject({ ready: false, problems: [{ service: 'writer', code: 'port-in-use' }] });
    expect(existsSync(join(folder, 'planchet.lock'))).toBe(false);
  });
});

describe('a broken settings file', () => {
  it.each(['{"network": "test", "rpcBind"', 'not json at all', '{"network": "mian"}'])(
    'stops the start with its reason and stays as it is: %s',
    async (text) => {
      const file = settingsFile(text);
      const { code, out, err } = await serve(...free);
      expect(code).toBe(1);
      const problem = {
        service: 'settings',
        code: 'settings-invalid',
        message: expect.stringContaining(file) as string,
      };
      expect(lineOf(out)).toMatchObject({ ready: false, network: null, problems: [problem] });
      expect(JSON.parse(err)).toMatchObject({
        error: { code: 'settings-invalid', hint: expect.stringContaining('--network') as string },
      });
      const doctor = await callCommand(['--data-dir', folder, 'doctor', '--json']);
      expect(doctor.code).toBe(1);
      const { findings } = JSON.parse(doctor.out) as { findings: { check: string; ok: boolean; message: string }[] };
      expect(findings).toContainEqual(
        expect.objectContaining({ check: 'settings', ok: false, message: expect.stringContaining(file) as string }),
      );
      expect(readFileSync(file, 'utf8')).toBe(text);
    },
  );

  it('is reported as a problem where the run names its network', { tags: 'long' }, async () => {
    settingsFile('{"network": "sandbox", "theme"');
    host = await startHost({ dataDir: folder });
    expect(lineOf(JSON.stringify(host.ready))).toMatchObject({
      ready: true,
      network: 'sandbox',
      problems: [{ service: 'settings', code: 'settings-invalid' }],
    });
    expect(readdirSync(folder).some((name) => name.startsWith('settings.json.bad-'))).toBe(true);
    const doctor = await callCommand(['--data-dir', folder, 'doctor', '--json']);
    expect(JSON.parse(doctor.out)).toMatchObject({ ok: false });
    expect((await serve('--strict')).code).toBe(1);
  });
});

describe('settings from the environment', () => {
  it('hold for the run, and are named with their variable', async () => {
    const env = { ...process.env, PLANCHET_MAX_TOKEN_BYTES: '1234', PLANCHET_NETWORK: 'test' };
    const settings = (...args: string[]) => callCommand(['--data-dir', folder, ...args], '', env);
    const { out } = await settings('settings', 'list');
    expect(out).toContain('maxTokenBytes = 1234   (environment: PLANCHET_MAX_TOKEN_BYTES)');
    expect(out).toContain('network = test   (environment: PLANCHET_NETWORK)');
    const { out: set } = await settings('settings', 'set', 'maxTokenBytes', '99');
    expect(set).toContain('PLANCHET_MAX_TOKEN_BYTES');
    expect((await settings('settings', 'get', 'maxTokenBytes')).out.trim()).toBe('1234');
    const without = await callCommand(['--data-dir', folder, '--network', 'test', 'settings', 'list', '--json']);
    expect(JSON.parse(without.out)).toContainEqual(
      expect.objectContaining({ key: 'maxTokenBytes', value: 99, origin: 'file' }),
    );
    const wrong = await callCommand(['--data-dir', folder, 'doctor'], '', { ...env, PLANCHET_RPC_BIND: 'x' });
    expect(wrong).toMatchObject({ code: 1, out: expect.stringContaining('PLANCHET_RPC_BIND') as string });
  });
});
