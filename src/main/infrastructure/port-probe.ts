import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { basename } from 'node:path';

/** Ports that are tried after one that is taken. */
const MAX_TRIED = 100;
const LAST_PORT = 65_535;
/** Of a listening socket, in the tables of the Linux kernel. */
const LISTENING = '0A';

/** Whether every one of the addresses can be listened on. Port 0 always can: the system chooses one. */
export async function canListen(hosts: readonly string[], port: number): Promise<boolean> {
  if (port === 0) return true;
  for (const host of hosts) {
    if (!(await canListenOn(host, port))) return false;
  }
  return true;
}

/** @returns the next port after `port` that can be listened on; undefined where none near it can */
export async function nextFreePort(hosts: readonly string[], port: number): Promise<number | undefined> {
  for (let next = port + 1; next <= Math.min(port + MAX_TRIED, LAST_PORT); next++) {
    if (await canListen(hosts, next)) return next;
  }
  return undefined;
}

/** The name of the program that listens on a port, where the system lets us see it (Linux, programs of the same user). */
export function listenerOf(port: number): string | undefined {
  try {
    const sockets = new Set(['tcp', 'tcp6'].flatMap((table) => socketsOf(table, port)));
    return sockets.size === 0 ? undefined : programOf(sockets);
  } catch {
    return undefined;
  }
}

function canListenOn(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      // On a machine without IPv6, nothing can listen there.
      resolve(error.code === 'EADDRNOTAVAIL' || error.code === 'EAFNOSUPPORT');
    });
    server.listen({ host: host === '*' ? '0.0.0.0' : host, port, ipv6Only: host === '::1', exclusive: true }, () =>
      server.close(() => resolve(true)),
    );
  });
}

function socketsOf(table: string, port: number): string[] {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  return readFileSync(`/proc/net/${table}`, 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local = '', , state]) => local.endsWith(`:${hex}`) && state === LISTENING)
    .flatMap((fields) => fields[9] ?? []);
}

function programOf(sockets: ReadonlySet<string>): string | undefined {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    if (holdsOne(pid, sockets)) return basename(linkOf(`/proc/${pid}/exe`)) || undefined;
  }
  return undefined;
}

/** Other users' processes cannot be looked into. */
function holdsOne(pid: string, sockets: ReadonlySet<string>): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => {
      const inode = /^socket:\[(\d+)\]$/.exec(linkOf(`/proc/${pid}/fd/${fd}`))?.[1];
      return inode !== undefined && sockets.has(inode);
    });
  } catch {
    return false;
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
