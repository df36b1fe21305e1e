import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { failureOf } from '../../console/test-support/failure-of.ts';
import { forkAs } from '../test-support/desktop-doubles.ts';
import { BackOff } from './back-off.ts';
import type { HostLink, HostLinkOptions } from './host-link.ts';
import type { ShellKeychain } from './keychain.ts';
import { utilityHosts } from './utility-host.ts';

const entry = fileURLToPath(new URL('../../host-process.ts', import.meta.url));
type Forked = ReturnType<typeof forkAs> & { kill(): boolean };

let folder: string;
/** Every process that was started. */
let children: Forked[];
let told: string[];
let host: HostLink | undefined;
let forkOptions: object | undefined;
/** What is started in the place of the host. */
let nextEntry: string | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'planchet-utility-'));
  children = [];
  told = [];
  nextEntry = undefined;
});
afterEach(async () => {
  await host?.stop();
  host = undefined;
  rmSync(folder, { recursive: true, force: true });
});

const ports = ['consoleAddress', 'rpcBind', 'writerBind', 'sandbox.bind'].map((key) => [key, '127.0.0.1:0'] as const);
const zmq = ['zmqAddress', 'sandbox.zmqAddress'].map((key) => [key, 'tcp://127.0.0.1:0'] as const);

const overrides = Object.fromEntries([...ports, ...zmq]);
/** Seals by turning round what it is given. */
const plainKeychain: ShellKeychain = {
  weak: false,
  available: async () => true,
  allowsPassphrase: async () => false,
  encrypt: async (text) => new TextEncoder().encode(text).reverse(),
  decrypt: async (sealed) => ({ text: new TextDecoder().decode(new Uint8Array(sealed).reverse()) }),
};

async function open(options: Partial<HostLinkOptions> = {}, waits: number[] = []): Promise<HostLink> {
  const fork = (path: string, _args: string[], given: object): Forked => {
    forkOptions = given;
    const child = forkAs('child', nextEntry ?? path) as Forked;
    children.push(child);
    return child;
  };
  const opened = await utilityHosts({
    electron: { utilityProcess: { fork } } as never,
    entry,
    pause: async (ms) => void waits.push(ms),
  })({
    dataDir: folder,
    version: '0.1.0',
    overrides,
    safeMode: false,
    rendererDir: folder,
    keychain: plainKeychain,
    onRestart: () => told.push('restart'),
    onCrash: () => told.push('crash'),
    onBack: () => told.push('back'),
    onGone: () => told.push('gone'),
    ...options,
  });
  host = opened;
  return opened;
}

describe('the host in a process of its own', () => {
  it('answers calls and tells events, and stops when it is asked to', async () => {
    const link = await open();
    // Switches of Node that started the shell are not passed on.
    expect(forkOptions).toMatchObject({ execArgv: [] });
    for (const odd of [null, 'started', { type: 'failed' }, { type: 'keychain', id: 1, call: 'all' }]) {
      children[0]?.emit('message', odd);
    }
    await link.start();
    expect(await link.client.app.info()).toMatchObject({ shell: 'desktop', network: 'sandbox', dataDir: folder });
    const events = await link.client.events.subscribe();
    expect((await events.next()).value).toMatchObject({ type: 'snapshot' });
    await link.stop();
    expect(told).toEqual([]);
    await expect(link.client.app.info()).rejects.toThrow();
  });

  it('is started again with the same data and a locked wallet after it was killed, and those who call are told', async () => {
    const waits: number[] = [];
    const link = await open({}, waits);
    await link.start();
    const { uid } = await link.client.projects.create({ name: 'Kept', type: 'collection' });
    expect(await link.client.wallet.status()).toMatchObject({ state: 'ready' });
    const events = await link.client.events.subscribe();
    await events.next();
    const rest = (async () => {
      for await (const _ of events);
    })();
    // As Electron tells of an engine that gave up, before the process ends.
    children[0]?.emit('error', 'FatalError', 'v8::internal::Heap::FatalProcessOutOfMemory', '{}');
    children[0]?.kill();
    // The stream of the host that ended does not hang.
    await rest.catch(() => {});
    await vi.waitFor(() => expect(told).toEqual(['crash', 'back']), { timeout: 30_000 });
    expect(waits).toEqual([500]);
    expect(await link.client.projects.get({ uid })).toMatchObject({ name: 'Kept' });
    expect(children).toHaveLength(2);
    // also on the sandbox, whose keys are worthless
    expect(await link.client.wallet.status()).toMatchObject({ network: 'sandbox', state: 'locked' });
  });

  it('shows the words of a wallet that the keychain keeps once a passphrase was set, which the person was asked about', async () => {
    const answers = [false, true];
    const keychain = { ...plainKeychain, allowsPassphrase: async () => answers.shift() === true };
    const link = await open({ keychain, overrides: { ...overrides, network: 'test' } });
    await link.start();
    const { wallet } = link.client;
    await wallet.create({ words: 12 });
    expect(await wallet.vault.status()).toEqual({ keychain: true, passphrase: false });
    expect((await failureOf(wallet.seed.reveal({ passphrase: '' }))).code).toBe('not-found');
    const set = () => wallet.vault.changePassphrase({ current: '', next: 'a passphrase' });
    expect((await failureOf(set())).code).toBe('forbidden');
    expect((await failureOf(wallet.seed.reveal({ passphrase: 'a passphrase' }))).code).toBe('not-found');
    expect(await set()).toEqual({ keychain: true, passphrase: true });
    expect((await failureOf(wallet.seed.reveal({ passphrase: 'another' }))).code).toBe('vault-passphrase-wrong');
    expect((await wallet.seed.reveal({ passphrase: 'a passphrase' })).words.split(' ')).toHaveLength(12);
  });

  it('is given up when it ends again and again', async () => {
    const waits: number[] = [];
    const link = await open({}, waits);
    await link.start();
    nextEntry = join(folder, 'ends.mjs');
    writeFileSync(nextEntry, 'process.exit(1);');
    children[0]?.kill();
    await vi.waitFor(() => expect(told).toEqual(['crash', 'gone']), { timeout: 30_000 });
    expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000]);
    await expect(async () => link.client.app.info()).rejects.toMatchObject({ code: 'not-running' });
  });

  it('says why it could not be built, in the words of the host', async () => {
    const first = await open();
    await expect(open()).rejects.toMatchObject({ code: 'store-locked' });
    host = first;
    children[1]?.kill();
  });

  it('ends with the process that started it', async () => {
    await open();
    const { child } = children[0] as unknown as { child: import('node:child_process').ChildProcess };
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.disconnect();
    expect(await ended).toBe(0);
    host = undefined;
  });
});

describe('BackOff', () => {
  it('waits longer each time, and gives up after five ends in two minutes', () => {
    let now = 0;
    const backOff = new BackOff({ now: () => now });
    expect(Array.from({ length: 6 }, () => backOff.next())).toEqual([500, 1_000, 2_000, 4_000, 8_000, undefined]);
    now = 120_000;
    expect(backOff.next()).toBe(500);
  });
});
