import { createHash } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, request, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Conf from 'conf';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import { type Preferences, preferenceOptions } from '../preferences/preferences.ts';
import { ElectronDouble } from '../test-support/electron-double.ts';
import { fill, textsIn } from '../texts/texts.ts';
import { goesBack } from './rollback.ts';
import { StartRecord } from './start-record.ts';
import { type Updater, Updates } from './updates.ts';

const require = createRequire(import.meta.url);
const electronPath = require.resolve('electron');
const NAME = 'Planchet-1.1.0-linux-x86_64.AppImage';

let folder: string;
let server: Server;
let url: string;
/** What the folder of updates holds, by path. */
let served: Map<string, string | Buffer>;
let asked: { path: string; headers: IncomingHttpHeaders }[];
let electron: ElectronDouble;
let store: Conf<Preferences>;
let quits: number;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'planchet-feed-'));
  served = new Map();
  asked = [];
  quits = 0;
  server = createServer(({ url: path = '', headers }, response) => {
    const found = new URL(path, 'http://feed').pathname;
    asked.push({ path: found, headers });
    const body = served.get(found);
    response.writeHead(body === undefined ? 404 : 200).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/planchet/`;
  electron = new ElectronDouble();
  store = new Conf<Preferences>({ ...preferenceOptions('1.0.0'), cwd: folder, configName: 'shell' });
  vi.stubEnv('XDG_CACHE_HOME', join(folder, 'cache'));
  vi.stubEnv('APPIMAGE', join(folder, 'Planchet.AppImage'));
  writeFileSync(join(folder, 'Planchet.AppImage'), 'the version that runs');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  delete require.cache[electronPath];
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

/** What the library asks of Electron, over plain Node. */
function electronOfNode(version: string): object {
  const app = {
    isPackaged: true,
    getVersion: () => version,
    getName: () => 'Planchet',
    getPath: () => folder,
    whenReady: async () => {},
    once: () => {},
    quit: () => {
      quits += 1;
    },
  };
  const net = { request: ({ session: _, ...options }: { session: object }) => request(options) };
  return { app, net, session: { fromPartition: () => ({}) }, autoUpdater: new EventEmitter() };
}

/** The library's own updater of an AppImage, with the configuration that the packer writes. */
function open(isBusy = () => false, version = '1.0.0'): Updates {
  require.cache[electronPath] = { exports: electronOfNode(version), loaded: true } as NodeJS.Module;
  const { AppImageUpdater } = require('electron-updater') as typeof import('electron-updater');
  const updater = new AppImageUpdater();
  updater.logger = null;
  const config = join(folder, 'app-update.yml');
  writeFileSync(config, stringify({ provider: 'generic', url, updaterCacheDirName: 'planchet-updater' }));
  updater.updateConfigPath = config;
  return new Updates({
    electron: electron.api,
    updater: updater satisfies Updater,
    preferences: store,
    logger: { info: () => {}, warn: () => {}, error: () => {} },
    texts: () => textsIn('en'),
    version,
    folder: join(folder, 'installers'),
    handOver: async () => {},
    quit: () => {},
    isBusy,
    after: () => () => {},
  });
}

/** Puts a version into the folder of updates, as electron-builder describes it. */
function publish(
  program: string,
  { version = '1.1.0', described = program }: { version?: string; described?: string } = {},
) {
  const sha512 = createHash('sha512').update(described).digest('base64');
  const file = { url: NAME, sha512, size: Buffer.byteLength(described) };
  const releaseDate = '2026-01-01T00:00:00.000Z';
  const latest = stringify({ version, files: [file], path: NAME, sha512, releaseDate, releaseNotes: 'Better mints' });
  const arch = process.arch === 'x64' ? '' : `-${process.arch}`;
  served.set(`/planchet/latest-linux${arch}.yml`, latest);
  served.set(`/planchet/${NAME}`, program);
}

/** A program that ends at once. */
const programOf = (version: string): string => `#!/bin/sh\n# ${version}\n`;
const told = (): string[] => electron.questions.map(({ message }) => String(message));
/** What could be installed. A refused file may stay under its temporary name: its stream can make it after the library took it away. */
const downloaded = (): string[] => {
  const pending = join(folder, 'cache', 'planchet-updater', 'pending');
  return existsSync(pending) ? readdirSync(pending).filter((name) => name === NAME) : [];
};
const failed = 'The update could not be checked or downloaded.';

describe.skipIf(process.platform !== 'linux')('the folder of updates, read by electron-updater', () => {
  it('gives a newer version, which is downloaded, checked and remembered, but not installed during a job', async () => {
    publish('the next version');
    await open(() => true).check(false);
    expect(electron.questions[0]).toMatchObject({
      message: 'Planchet 1.1.0 is available',
      detail: 'You have 1.0.0.\n\nBetter mints',
    });
    expect(electron.questions.at(-1)?.detail).toContain('A job is running.');
    const { version, path } = store.get('installer') as { version: string; path: string };
    expect([version, readFileSync(path, 'utf8')]).toEqual(['1.1.0', 'the next version']);
    expect(readFileSync(join(folder, 'Planchet.AppImage'), 'utf8')).toBe('the version that runs');
    expect(quits).toBe(0);
  });

  it('puts the new version in the place of the old one, starts it, and ends this one', async () => {
    const mark = join(folder, 'started');
    const program = `#!/bin/sh\necho "$APPIMAGE_SILENT_INSTALL" > '${mark}.part' && mv '${mark}.part' '${mark}'\n`;
    publish(program);
    await open().check(false);
    expect(readFileSync(join(folder, 'Planchet.AppImage'), 'utf8')).toBe(program);
    await expect.poll(() => existsSync(mark), { timeout: 30_000 }).toBe(true);
    await expect.poll(() => quits).toBe(1);
  });

  it('gives an installer that is kept, to go back to where the next version does not start', async () => {
    publish(programOf('1.1.0'));
    await open().check(false);
    new StartRecord(store, '1.1.0').good();
    publish(programOf('1.2.0'), { version: '1.2.0' });
    await open(() => false, '1.1.0').check(false);
    expect(readFileSync(join(folder, 'Planchet.AppImage'), 'utf8')).toBe(programOf('1.2.0'));
    const starts = new StartRecord(store, '1.2.0');
    electron.answer = 1;
    const options = { electron: electron.api, version: '1.2.0', texts: textsIn('en') };
    for (const goes of [false, false, true]) expect(await goesBack(starts, options)).toBe(goes);
    expect(electron.opened.map((path) => readFileSync(path, 'utf8'))).toEqual([programOf('1.1.0')]);

    // a third version needs the first no more
    new StartRecord(store, '1.2.0').good();
    publish(programOf('1.3.0'), { version: '1.3.0' });
    electron.answer = 0;
    await open(() => true, '1.2.0').check(false);
    expect(readdirSync(join(folder, 'installers')).sort()).toEqual(['1.2.0', '1.3.0']);
  });

  it('leaves the way back to the person where the installer of the earlier version is gone', async () => {
    store.set('goodVersion', { version: '1.0.0', installer: join(folder, 'nowhere') });
    const starts = new StartRecord(store, '1.1.0');
    electron.answer = 1;
    for (let start = 1; start <= 3; start++)
      expect(await goesBack(starts, { electron: electron.api, version: '1.1.0', texts: textsIn('en') })).toBe(false);
    expect(electron.questions.map(({ detail }) => detail)).toEqual([
      fill(textsIn('en').rollbackByHand, { previous: '1.0.0' }),
    ]);
  });

  it.each([
    ['another file of the same length', 'the NEXT version'],
    ['a shorter file', 'the next'],
    ['a longer file', 'the next version and more'],
  ])('is refused where its checksum is that of something else: %s', async (_, program) => {
    publish(program, { described: 'the next version' });
    await open().check(true);
    expect(told()).toEqual(['Planchet 1.1.0 is available', failed]);
    expect([downloaded(), store.get('installer')]).toEqual([[], null]);
  });

  it('is refused without a checksum', async () => {
    served.set(
      '/planchet/latest-linux.yml',
      stringify({ version: '1.1.0', files: [{ url: NAME, size: 3 }], path: NAME }),
    );
    served.set(`/planchet/${NAME}`, 'any');
    await open().check(true);
    expect(told().at(-1)).toBe(failed);
    expect([downloaded(), store.get('installer')]).toEqual([[], null]);
  });

  it.each(['1.0.0', '0.9.0', '1.1.0-beta.1'])('offers no %s', async (version) => {
    publish('another version', { version });
    await open().check(true);
    expect(told()).toEqual(['Planchet 1.0.0 is the newest version.']);
    expect(asked.map(({ path }) => path)).not.toContain(`/planchet/${NAME}`);
  });

  it('is no failure where it is missing', async () => {
    await open().check(true);
    expect(told()).toEqual([failed]);
  });

  it('learns nothing by which it could tell one installation from another', async () => {
    publish('the next version');
    await open(() => true).check(false);
    expect(asked.length).toBeGreaterThan(1);
    for (const { headers } of asked) expect(headers['x-user-staging-id'] ?? '').toBe('');
  });
});
