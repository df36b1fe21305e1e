import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { buildDocsIfStale } from '../docs/build-docs.ts';
import { fuseFaults } from '../fuses.ts';
import { root } from '../paths.ts';
import { APP_SIZE_LIMIT, type PackedFile, sizeOf, writeAppTree } from './app-tree.ts';
import {
  extractAsar,
  filesOfAsar,
  partsOf,
  runBuilder,
  updateAddress,
  updateFolder,
  validateConfiguration,
} from './builder.ts';
import { readDeb, writeDeb } from './deb.ts';
import { writeIcons } from './icons.ts';
import { faultsOf, isPacked } from './packed-files.ts';
import { billOfMaterials, writeChecksums } from './records.ts';
import { developmentPackages, runtimePackages, type Target } from './runtime-packages.ts';
import { writeStandInForElectron } from './stand-in.ts';
import { startFrom } from './start-check.ts';

interface Bom {
  bomFormat: string;
  components: { name: string }[];
}

const target = { platform: process.platform, arch: process.arch } as Target;
const onLinux = process.platform === 'linux';
const picture = join(root, 'resources', 'samples', 'copper-moon.png');
const scratch = mkdtempSync(join(tmpdir(), 'planchet-package-test-'));
const app = join(scratch, 'app');
let files: PackedFile[];
const paths = (): string[] => files.map(({ path }) => path);

beforeAll(() => {
  buildDocsIfStale();
  files = writeAppTree(root, app, target);
}, 180_000);
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

describe('the packed application', () => {
  it('contains no file that must not be shipped', () => {
    expect(faultsOf(paths(), target, developmentPackages(root))).toEqual([]);
  });

  it('stays below its size limit', () => {
    expect(sizeOf(files)).toBeLessThan(APP_SIZE_LIMIT);
  });

  it('contains all entry points, the page, its workers and one native module of each kind', () => {
    expect(paths()).toEqual(
      expect.arrayContaining([
        'package.json',
        'out/main/index.js',
        'out/main/host-process.js',
        'resources/tray/runningTemplate@2x.png',
        'out/main/cli.js',
        'out/main/metadata-worker.js',
        'out/main/sandbox-worker.js',
        'out/main/script-worker.js',
        'out/main/session-worker.js',
        'out/main/picture-process.js',
        'out/preload/index.cjs',
        'out/renderer/index.html',
        'out/docs/index.html',
        `node_modules/better-sqlite3/prebuilds/${target.platform}-${target.arch}.node`,
      ]),
    );
    expect(paths().filter((path) => path.includes('/secp256k1/') && path.endsWith('.node'))).toHaveLength(1);
  });

  it('lists exact versions of the packages that the program imports, and no others', () => {
    const { dependencies } = JSON.parse(readFileSync(join(app, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
    };
    expect(dependencies).toHaveProperty('better-sqlite3');
    expect(dependencies).not.toHaveProperty('react');
    for (const version of Object.values(dependencies)) expect(version).toMatch(/^\d+\.\d+\.\d+/);
  });

  it('is listed package by package in a bill of materials', () => {
    const { bomFormat, components } = JSON.parse(billOfMaterials(app)) as Bom;
    expect(bomFormat).toBe('CycloneDX');
    const listed = components.map(({ name }) => name);
    expect(listed).toEqual(expect.arrayContaining(['better-sqlite3', 'fastify', 'undici']));
    const packed = paths().flatMap(
      (path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)\/package\.json$/.exec(path)?.[1] ?? [],
    );
    expect(packed.filter((name) => !listed.includes(name))).toEqual([]);
  });

  it('starts under plain Node, answers, and mints a token', { tags: 'long' }, async () => {
    const { answered, txid } = await startFrom(app, picture);
    expect(answered).toEqual(['/healthz', '/readyz', '/healthz', '/health', '/', '/docs/']);
    expect(txid).toHaveLength(64);
  });

  it('has checksums of every file', async () => {
    const dir = mkdtempSync(join(scratch, 'sums-'));
    writeFileSync(join(dir, 'a.deb'), 'abc');
    await writeChecksums(dir);
    expect(readFileSync(join(dir, 'SHA256SUMS'), 'utf8')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  a.deb\n',
    );
  });

  it.each([
    [{ platform: 'darwin', arch: 'arm64' }, 'node_modules/@img/sharp-darwin-arm64'],
    [{ platform: 'win32', arch: 'x64' }, 'node_modules/@img/sharp-win32-x64'],
    [{ platform: 'linux', arch: 'arm64' }, 'node_modules/@img/sharp-linux-arm64'],
  ] as const)('contains the packages of the system it is made for: %o', (other, folder) => {
    const { folders } = runtimePackages(root, other);
    expect(folders).toContain(folder);
    expect(folders.filter((path) => path.includes('/@img/sharp-linuxmusl') || path.includes('wasm32'))).toEqual([]);
  });

  it.each([
    ['better-sqlite3', 'prebuilds/win32-x64.node'],
    ['secp256k1', 'prebuilds/win32-x64/secp256k1.node'],
  ])('contains from %s the binary %s on Windows only', (name, path) => {
    expect(isPacked(name, path, { platform: 'win32', arch: 'x64' })).toBe(true);
    expect(isPacked(name, path, { platform: 'linux', arch: 'x64' })).toBe(false);
  });
});

it.each([
  ['out/main/index.js.map', 'a source map'],
  ['node_modules/pg/lib/client.ts', 'a TypeScript source'],
  ['node_modules/pg/lib/client.test.js', 'a test'],
  ['src/main/index.js', 'a folder of the repository'],
  ['out/main/.cookie', 'a secret'],
  ['node_modules/better-sqlite3/binding.gyp', 'something to build'],
  ['node_modules/vitest/index.js', 'a development dependency'],
  ['node_modules/react/index.js', 'a package of the page, whose bundles hold what they need of it'],
  ['node_modules/better-sqlite3/prebuilds/win32-x64.node', 'a native module that is not for linux x64'],
])('the check of packed files refuses %s: %s', (path, why) => {
  expect(faultsOf([path], { platform: 'linux', arch: 'x64' }, developmentPackages(root))).toEqual([{ path, why }]);
});

describe('electron-builder.yml', () => {
  const read = () => parse(readFileSync(join(root, 'electron-builder.yml'), 'utf8'));

  it("is valid by electron-builder's own schema", async () => {
    await expect(validateConfiguration(root)).resolves.not.toThrow();
  });

  it('unpacks only native modules and their libraries', () => {
    expect(read().asar).toBe(true);
    expect(read().asarUnpack).toEqual([
      '**/*.node',
      '**/@img/sharp-libvips-*/lib/**',
      '**/@img/sharp-win32-*/lib/*.dll',
    ]);
  });

  it('makes the usual installers of each system, per user on Windows', () => {
    const { win, mac, linux, nsis } = read();
    expect([win.target, mac.target, linux.target]).toEqual([['nsis'], ['dmg', 'zip'], ['AppImage', 'deb']]);
    expect(win).toMatchObject({ requestedExecutionLevel: 'asInvoker', verifyUpdateCodeSignature: true });
    expect(nsis).toMatchObject({ perMachine: false, allowElevation: false, deleteAppDataOnUninstall: false });
    // Electron 44 and later need it.
    expect(Number(mac.minimumSystemVersion)).toBeGreaterThanOrEqual(13);
  });

  it('keeps the sandbox when an AppImage is started from a menu', () => {
    expect(read().appImage).toEqual({ executableArgs: [] });
    expect(read().toolsets).toEqual({ appimage: '1.0.3' });
  });

  it('makes a hardened program for macOS with one entitlement', () => {
    const { mac } = read();
    expect(mac).toMatchObject({ hardenedRuntime: true, notarize: true });
    const granted = readFileSync(join(root, mac.entitlements), 'utf8').match(/<key>.*<\/key>/g);
    expect(granted).toEqual(['<key>com.apple.security.cs.allow-jit</key>']);
    expect(mac.entitlementsInherit).toBe(mac.entitlements);
  });
});

it('packing makes icons in the format of each system', async () => {
  const dir = join(scratch, 'icons');
  await writeIcons(join(root, 'resources', 'icon.svg'), dir);
  expect(readFileSync(join(dir, 'icon.ico')).subarray(0, 6)).toEqual(Buffer.from([0, 0, 1, 0, 7, 0]));
  const icns = readFileSync(join(dir, 'icon.icns'));
  expect(icns.toString('latin1', 0, 4)).toBe('icns');
  expect(icns.readUInt32BE(4)).toBe(icns.length);
  expect(await sharp(join(dir, 'png', '512x512.png')).metadata()).toMatchObject({
    width: 512,
    height: 512,
    hasAlpha: true,
  });
});

it.each([
  'http://updates.example/planchet',
  'https://user:password@updates.example/',
  'https://updates.example/?channel=a',
  'updates.example',
  'file:///updates',
])('packing refuses the update address %s', (address) => {
  expect(() => updateAddress(address)).toThrow('PLANCHET_UPDATE_URL must be an https address');
});

it.each([
  ['darwin', 'arm64', 'https://updates.example/planchet/mac-arm64'],
  ['darwin', 'x64', 'https://updates.example/planchet/mac-x64'],
  ['linux', 'x64', 'https://updates.example/planchet/'],
  ['win32', 'x64', 'https://updates.example/planchet/'],
] as const)('packing sets the update folder of %s on %s to %s', (platform, arch, folder) => {
  expect(updateFolder('https://updates.example/planchet/', { platform, arch })).toBe(folder);
});

it('packing turns updates off if no address is set', () => {
  expect([updateAddress(undefined), updateAddress('')]).toEqual([undefined, undefined]);
});

// One run of the real electron-builder, in the long run. Electron's own program is a stand-in, since it is not in node_modules.
describe.runIf(onLinux && process.env.PLANCHET_LONG)(
  'packed by electron-builder around a stand-in for Electron',
  () => {
    let folder: string;
    const parts = () => partsOf(folder, target);

    beforeAll(async () => {
      const electron = join(scratch, 'electron');
      writeStandInForElectron(electron, '45.4.1');
      // The paths of the icons in its configuration are relative to the repository.
      await writeIcons(join(root, 'resources', 'icon.svg'), join(root, 'dist', 'icons'));
      folder = runBuilder(root, target, {
        output: join(scratch, 'packages'),
        app,
        installers: false,
        electronDist: electron,
        updates: 'https://updates.example/planchet',
        quiet: true,
      });
    }, 180_000);

    it('looks for updates at the address it was built with', () => {
      const config = parse(readFileSync(join(folder, 'resources', 'app-update.yml'), 'utf8'));
      expect(config).toEqual({
        provider: 'generic',
        url: 'https://updates.example/planchet',
        updaterCacheDirName: 'planchet-updater',
      });
    });

    it('has every fuse set as required, read back from the program', async () => {
      expect(await fuseFaults(parts().program)).toEqual([]);
    });

    it('reports a program whose fuses were not set', async () => {
      const untouched = join(scratch, 'untouched');
      cpSync(join(scratch, 'electron', 'electron'), untouched);
      expect(await fuseFaults(untouched)).toEqual(
        expect.arrayContaining(['RunAsNode is on, not off', 'OnlyLoadAppFromAsar is off, not on']),
      );
    });

    it('has an archive without files that must not be shipped, and its native modules next to it', () => {
      const { asar } = parts();
      expect(faultsOf(filesOfAsar(asar), target, developmentPackages(root))).toEqual([]);
      const sqlite = `node_modules/better-sqlite3/prebuilds/${target.platform}-${target.arch}.node`;
      expect(statSync(join(`${asar}.unpacked`, sqlite)).size).toBeGreaterThan(1_000_000);
      expect(existsSync(join(`${asar}.unpacked`, 'out'))).toBe(false);
    });

    it('has an archive whose host starts under plain Node, answers, and mints a token', async () => {
      const extracted = join(scratch, 'extracted');
      extractAsar(parts().asar, extracted);
      const { answered, txid } = await startFrom(extracted, picture);
      expect(answered).toEqual(['/healthz', '/readyz', '/healthz', '/health', '/', '/docs/']);
      expect(txid).toHaveLength(64);
    }, 180_000);

    it.skipIf(!hasDpkg())('makes a Debian package with the layout of one', async () => {
      const file = join(scratch, 'planchet-without-electron.deb');
      const arch = target.arch;
      const icons = join(root, 'dist', 'icons', 'png');
      writeDeb({ unpacked: folder, icons, manifest: join(app, 'package.json'), arch, dir: join(scratch, 'deb'), file });
      const { fields, entries } = readDeb(file);
      expect(fields).toMatchObject({
        Package: 'planchet',
        Version: '0.1.0',
        Architecture: arch === 'x64' ? 'amd64' : 'arm64',
      });
      expect(entries.map(({ path }) => path)).toEqual(
        expect.arrayContaining([
          '/opt/Planchet/planchet',
          '/opt/Planchet/chrome-sandbox',
          '/opt/Planchet/resources/app.asar',
          '/usr/share/applications/planchet.desktop',
          '/usr/share/icons/hicolor/256x256/apps/planchet.png',
        ]),
      );
      expect(new Set(entries.map(({ owner }) => owner))).toEqual(new Set(['root/root']));
      expect(entries.filter(({ mode }) => /s|.w.$/.test(mode.slice(1)) && !mode.startsWith('l'))).toEqual([]);
      const desktop = readFileSync(join(scratch, 'deb', 'usr/share/applications/planchet.desktop'), 'utf8');
      expect(desktop).toContain('MimeType=x-scheme-handler/planchet;');
    });
  },
);

function hasDpkg(): boolean {
  try {
    execFileSync('dpkg-deb', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
