import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { PlanchetError } from '../../contract/index.ts';
import { lockDataFolder, lockOwner, resolveDataDir } from './data-folder.ts';
import { makeFolder } from './make-folder.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'planchet-lock-'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  chmodSync(dataDir, 0o700);
  rmSync(dataDir, { recursive: true, force: true });
});

const lockFile = (): string => join(dataDir, 'planchet.lock');

describe('the lock of the data folder', () => {
  it('names its owner and is readable by its user only', () => {
    const lock = lockDataFolder(dataDir);
    lock.announce('http://127.0.0.1:1');
    expect(lockOwner(dataDir)).toMatchObject({ pid: process.pid, console: 'http://127.0.0.1:1', token: lock.token });
    expect(statSync(lockFile()).mode & 0o777).toBe(0o600);
    lock.release();
    expect(existsSync(lockFile())).toBe(false);
  });

  it('refuses a second owner', () => {
    const lock = lockDataFolder(dataDir);
    try {
      lockDataFolder(dataDir);
      expect.unreachable();
    } catch (error) {
      expect((error as PlanchetError).code).toBe('store-locked');
      expect((error as PlanchetError).message).toContain(String(process.pid));
    }
    lock.release();
  });

  it('is taken over from a process that died', () => {
    const dead = spawnSync(process.execPath, ['-e', '']).pid;
    writeFileSync(lockFile(), JSON.stringify({ pid: dead, startedAt: null, console: null, token: 'old' }));
    const lock = lockDataFolder(dataDir);
    expect(lockOwner(dataDir)?.pid).toBe(process.pid);
    lock.release();
  });

  it.runIf(process.platform === 'linux')('is taken over from a killed process that nobody has collected', async () => {
    // the shell becomes a program that never waits for its child, so the child stays a zombie
    const parent = spawn('sh', ['-c', 'sleep 60 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] });
    try {
      const [line] = (await once(parent.stdout, 'data')) as [Buffer];
      const pid = Number(line.toString());
      const stat = () => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
      const startedAt = stat()[19] ?? null;
      writeFileSync(lockFile(), JSON.stringify({ pid, startedAt, console: null, token: 'old' }));
      expect(lockOwner(dataDir)?.pid).toBe(pid);
      await expect.poll(() => readFileSync(`/proc/${parent.pid}/comm`, 'utf8')).toBe('sleep\n');
      process.kill(pid, 'SIGKILL');
      await expect.poll(() => stat()[0]).toBe('Z');
      expect(lockOwner(dataDir)).toBeUndefined();
      lockDataFolder(dataDir).release();
    } finally {
      parent.kill('SIGKILL');
    }
  });

  it('is taken over from a pid that another program uses now', () => {
    const foreignProcess = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 10000)']);
    writeFileSync(lockFile(), JSON.stringify({ pid: foreignProcess.pid, startedAt: '1', console: null, token: 'old' }));
    if (process.platform === 'linux') expect(lockOwner(dataDir)).toBeUndefined();
    foreignProcess.kill();
  });

  it('is taken over when its content was cut short', () => {
    writeFileSync(lockFile(), '{"pid":');
    lockDataFolder(dataDir).release();
    expect(existsSync(lockFile())).toBe(false);
  });

  it.skipIf(process.platform === 'win32')('of another user is left alone, also where the folder is open to all', () => {
    const lock = lockDataFolder(dataDir);
    chmodSync(dataDir, 0o777);
    const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    if (nobody.uid === undefined) chmodSync(lockFile(), 0);
    const source = `import('${join(import.meta.dirname, 'data-folder.ts')}').then(({ lockDataFolder }) => lockDataFolder('${dataDir}'))`;
    const { status, stderr } = spawnSync(process.execPath, ['-e', source], { ...nobody, encoding: 'utf8' });
    if (nobody.uid === undefined) chmodSync(lockFile(), 0o600);
    expect(stderr).toContain(`Another Planchet uses ${dataDir}.`);
    expect(status).toBe(1);
    expect(lockOwner(dataDir)).toMatchObject({ pid: process.pid, token: lock.token });
    lock.release();
  });

  it.skipIf(process.platform === 'win32')(
    'is readable by its user only, also where a file of its next name was left',
    () => {
      const left = [`${lockFile()}.new`, `${lockFile()}.${process.pid}.new`];
      for (const file of left) {
        writeFileSync(file, '');
        chmodSync(file, 0o666);
      }
      const lock = lockDataFolder(dataDir);
      const modeOf = () => statSync(lockFile()).mode & 0o777;
      const before = modeOf();
      lock.announce('http://127.0.0.1:1');
      expect([before, modeOf()]).toEqual([0o600, 0o600]);
      lock.release();
    },
  );

  it('is not written by one who released it', () => {
    const first = lockDataFolder(dataDir);
    first.release();
    first.announce('http://127.0.0.1:1');
    expect(existsSync(lockFile())).toBe(false);
    const second = lockDataFolder(dataDir);
    first.announce('http://127.0.0.1:1');
    expect(lockOwner(dataDir)).toMatchObject({ console: null, token: second.token });
    second.release();
  });

  it('is not removed by one who lost it', () => {
    const lock = lockDataFolder(dataDir);
    rmSync(lockFile());
    const second = lockDataFolder(dataDir);
    lock.release();
    expect(existsSync(lockFile())).toBe(true);
    second.release();
  });
});

describe('the place of the data folder', () => {
  it('is the option, else the environment, else the platform folder', () => {
    expect(resolveDataDir('/a', { PLANCHET_DATA_DIR: '/b' })).toBe('/a');
    expect(resolveDataDir(undefined, { PLANCHET_DATA_DIR: '/b' })).toBe('/b');
    expect(resolveDataDir(undefined, { XDG_CONFIG_HOME: '/c' })).toMatch(/planchet$/i);
  });

  it.each([
    ['a variable is empty', { XDG_CONFIG_HOME: '', APPDATA: '' }, homedir()],
    ['a variable is relative', { XDG_CONFIG_HOME: 'c', APPDATA: 'c' }, homedir()],
    ['the home folder is named by an empty variable', {}, ''],
  ])('is the same from wherever a command is run if %s', (_, env, home) => {
    vi.stubEnv('HOME', home);
    expect(isAbsolute(resolveDataDir(undefined, env))).toBe(true);
  });
});

describe('a folder', () => {
  it('is made with those above it, for its user only', () => {
    const folder = join(dataDir, 'a', 'b', 'c');
    makeFolder(folder);
    makeFolder(folder);
    expect([folder, join(dataDir, 'a')].map((one) => statSync(one).mode & 0o777)).toEqual([0o700, 0o700]);
    writeFileSync(join(dataDir, 'file'), '');
    expect(() => makeFolder(join(dataDir, 'file', 'x'))).toThrow(/ENOTDIR/);
  });

  it.runIf(process.platform === 'linux')('is refused, and not tried for ever, where the system has none', () => {
    // in a process of its own: what never ends cannot be stopped in this one
    const source = `import('${join(import.meta.dirname, 'data-folder.ts')}').then(({ lockDataFolder }) => lockDataFolder('/proc/planchet/x'))`;
    const { status, signal, stderr } = spawnSync(process.execPath, ['-e', source], {
      timeout: 60_000,
      encoding: 'utf8',
    });
    expect({ status, signal }).toEqual({ status: 1, signal: null });
    expect(stderr).toContain('The data folder /proc/planchet/x cannot be written.');
  });
});
