import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ForkOptions } from 'electron';
import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PROGRAM } from '../../../../e2e/support/host.ts';
import { failureOf } from '../../console/test-support/failure-of.ts';
import { filledDataDir } from '../../test-support/hosts/open-host.ts';
import { forkAs } from '../test-support/desktop-doubles.ts';
import { BackOff } from './back-off.ts';
import type { HostLink, HostLinkOptions } from './host-link.ts';
import type { ShellKeychain } from './keychain.ts';
import { utilityHosts } from './utility-host.ts';

/** The entry of a process: built where `npm test` names what it has built, which starts with half of the work. */
const entryOf = (name: string): string => {
  const built = process.env[PROGRAM];
  if (built !== undefined) return join(dirname(built), `${name}.js`);
  return fileURLToPath(new URL(`../../${name}.ts`, import.meta.url));
};
const entry = entryOf('host-process');
const pictures = entryOf('picture-process');
type Forked = Extract<ReturnType<typeof forkAs>, { child: unknown }>;

let folder: string;
/** Every process of a host that was started. */
let children: Forked[];
/** Every process of pictures. */
let pictureProcesses: Forked[];
let told: string[];
let host: HostLink | undefined;
let forkOptions: ForkOptions | undefined;
/** What is started in the place of the host. */
let nextEntry: string | undefined;

beforeEach(async () => {
  folder = await filledDataDir();
  children = [];
  pictureProcesses = [];
  told = [];
  nextEntry = undefined;
});
afterEach(async () => {
  await host?.stop();
  host = undefined;
  vi.unstubAllEnvs();
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
  const fork = (path: string, _args: string[], given: ForkOptions): Forked => {
    forkOptions = given;
    const child = forkAs('child', nextEntry ?? path, given.env as NodeJS.ProcessEnv | undefined) as Forked;
    (path === pictures ? pictureProcesses : children).push(child);
    return child;
  };
  const opened = await utilityHosts({
    electron: { utilityProcess: { fork } } as never,
    entry,
    pictures,
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

const exitOf = ({ child }: Forked) => [child.exitCode, child.signalCode];

async function upload(link: HostLink, width: number): Promise<{ sha256: string }> {
  const bytes = await sharp({ create: { width, height: 400, channels: 3, background: '#b4692e' } })
    .png()
    .toBuffer();
  const file = { name: 'art.png', bytes: bytes.length, contentType: 'image/png' };
  const { uploadId } = await link.client.files.begin(file);
  const piece = new Blob([new Uint8Array(bytes)]);
  await link.client.files.append({ uploadId, offset: 0, piece });
  return link.client.files.finish({ uploadId });
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

  it('is started again with the same data and a locked wallet after it was killed, those who call are told, and it ends with what started it', async () => {
    const waits: number[] = [];
    const link = await open({}, waits);
    await link.start();
    await link.client.files.thumbnail(await upload(link, 400));
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
    await expect.poll(() => told, { timeout: 30_000 }).toEqual(['crash', 'back']);
    expect(waits).toEqual([500]);
    expect(await link.client.projects.get({ uid })).toMatchObject({ name: 'Kept' });
    expect(children).toHaveLength(2);
    // also on the sandbox, whose keys are worthless
    expect(await link.client.wallet.status()).toMatchObject({ network: 'sandbox', state: 'locked' });
    // The process of its pictures ended with it; the next one has its own.
    await expect.poll(() => pictureProcesses[0]?.child.signalCode, { timeout: 30_000 }).toBe('SIGKILL');
    expect((await link.client.files.thumbnail(await upload(link, 600)))?.type).toBe('image/webp');
    expect(pictureProcesses).toHaveLength(2);
    const { child } = children[1] as Forked;
    const ended = once(child, 'exit');
    child.disconnect();
    expect((await ended)[0]).toBe(0);
    host = undefined;
  });

  it('shows the words of a wallet that the keychain keeps once a passphrase was set, which the person was asked about', {
    tags: 'long',
  }, async () => {
    const answers = [false, true];
    const keychain = { ...plainKeychain, allowsPassphrase: async () => answers.shift() === true };
    const link = await open({ keychain, overrides: { ...overrides, network: 'test' } });
    await link.start();
    const { wallet } = link.client;
    await wallet.create({ words: 12 });
    expect(await wallet.vault.status()).toEqual({ keychain: true, passphrase: false, needsPassphrase: false });
    expect((await failureOf(wallet.seed.reveal({ passphrase: '' }))).code).toBe('not-found');
    const set = () => wallet.vault.changePassphrase({ current: '', next: 'a passphrase' });
    expect((await failureOf(set())).code).toBe('forbidden');
    expect((await failureOf(wallet.seed.reveal({ passphrase: 'a passphrase' }))).code).toBe('not-found');
    expect(await set()).toEqual({ keychain: true, passphrase: true, needsPassphrase: false });
    expect((await failureOf(wallet.seed.reveal({ passphrase: 'another' }))).code).toBe('vault-passphrase-wrong');
    expect((await wallet.seed.reveal({ passphrase: 'a passphrase' })).words.split(' ')).toHaveLength(12);
  });

  it('is given up when it ends again and again', { tags: 'long' }, async () => {
    const waits: number[] = [];
    const link = await open({}, waits);
    await link.start();
    nextEntry = join(folder, 'ends.mjs');
    writeFileSync(nextEntry, 'process.exit(1);');
    children[0]?.kill();
    await expect.poll(() => told, { timeout: 30_000 }).toEqual(['crash', 'gone']);
    expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000]);
    await expect(async () => link.client.app.info()).rejects.toMatchObject({ code: 'not-running' });
  });

  it('says why it could not be built, in the words of the host', { tags: 'long' }, async () => {
    const first = await open();
    await expect(open()).rejects.toMatchObject({ code: 'store-locked' });
    host = first;
    children[1]?.kill();
  });
});

describe('the pictures of a host in a process of its own', () => {
  it('are made by another one beside it, by the next where one is killed, which has none of its secrets and ends with it', async () => {
    vi.stubEnv('PLANCHET_PASSPHRASE', 'secret');
    const link = await open();
    await link.start();
    expect(pictureProcesses).toHaveLength(0);
    expect((await link.client.files.thumbnail(await upload(link, 400)))?.type).toBe('image/webp');
    expect(pictureProcesses).toHaveLength(1);
    expect(forkOptions).toMatchObject({ execArgv: [], stdio: 'ignore' });
    expect(Object.keys(forkOptions?.env ?? {})).toContain('PATH');
    expect(Object.keys(forkOptions?.env ?? {}).filter((name) => name.startsWith('PLANCHET'))).toEqual([]);
    pictureProcesses[0]?.kill();
    expect((await link.client.files.thumbnail(await upload(link, 500)))?.type).toBe('image/webp');
    await link.stop();
    expect(pictureProcesses.map(exitOf)).toEqual([
      [null, 'SIGKILL'],
      [0, null],
    ]);
  });

  it('do not hold up the end of the host where their process hangs', { tags: 'long' }, async () => {
    const link = await open();
    await link.start();
    nextEntry = join(folder, 'deaf.mjs');
    writeFileSync(nextEntry, "process.on('message', () => {});");
    const thumbnail = link.client.files.thumbnail(await upload(link, 400)).catch(() => 'none');
    await expect.poll(() => pictureProcesses).toHaveLength(1);
    await link.stop();
    expect(await thumbnail).toBe('none');
    await expect.poll(() => pictureProcesses[0]?.child.signalCode, { timeout: 30_000 }).toBe('SIGKILL');
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

  it('does not count ends from before the clock was put back', () => {
    let now = 86_400_000;
    const backOff = new BackOff({ now: () => now });
    for (let n = 0; n < 5; n++) backOff.next();
    now = 0;
    expect(backOff.next()).toBe(500);
  });
});
