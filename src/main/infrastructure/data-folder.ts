import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { z } from 'zod';
import { isDiskFull, PlanchetError } from '../../contract/index.ts';
import { makeFolder } from './make-folder.ts';

const LOCK_FILE = 'planchet.lock';
/** States of /proc/<pid>/stat in which a process has ended: zombie and dead. */
const DEAD_STATES = ['Z', 'X', 'x'];

const lockSchema = z.object({
  pid: z.number().int(),
  /** Kernel's start time of that process where it can be read: a pid used again by another program is no owner. */
  startedAt: z.string().nullable(),
  /** Address of the running host's console, once it listens. */
  console: z.string().nullable(),
  /** What the command line shows the console to be let in. */
  token: z.string(),
});
export type LockOwner = z.infer<typeof lockSchema>;

/**
 * The one folder all data lives in.
 * @param option value of `--data-dir`, if given
 */
export function resolveDataDir(option: string | undefined, env: NodeJS.ProcessEnv = process.env): string {
  const chosen = option ?? env.PLANCHET_DATA_DIR;
  if (chosen !== undefined && chosen !== '') return resolve(chosen);
  // A variable that is empty or relative would make another folder of every folder that a command is run in.
  const { APPDATA = '', XDG_CONFIG_HOME = '' } = env;
  const home = homedir() || userInfo().homedir;
  if (process.platform === 'win32')
    return join(isAbsolute(APPDATA) ? APPDATA : join(home, 'AppData', 'Roaming'), 'Planchet');
  if (process.platform === 'darwin') return join(home, 'Library', 'Application Support', 'Planchet');
  return join(isAbsolute(XDG_CONFIG_HOME) ? XDG_CONFIG_HOME : join(home, '.config'), 'planchet');
}

/** Who holds the data folder, if a living process does. @throws PlanchetError `store-locked` where another user does */
export function lockOwner(dataDir: string): LockOwner | undefined {
  const owner = readLock(dataDir);
  return owner !== undefined && isAlive(owner) ? owner : undefined;
}

export interface DataFolderLock {
  /** The credential other commands of the same user present to this process. */
  readonly token: string;
  /** Publishes where this process can be talked to, unless the lock was released or lost. */
  announce(console: string | null): void;
  release(): void;
}

/**
 * Takes the data folder for this process. A lock left by a process that died is taken over.
 * @throws PlanchetError `store-locked` where another process holds it, `store-failed` where the folder cannot be written
 */
export function lockDataFolder(dataDir: string): DataFolderLock {
  const file = join(dataDir, LOCK_FILE);
  const own: LockOwner = {
    pid: process.pid,
    startedAt: processStat(process.pid)?.startedAt ?? null,
    console: null,
    token: randomBytes(32).toString('base64url'),
  };
  try {
    makeFolder(dataDir);
    if (!createLock(file, own)) {
      const owner = lockOwner(dataDir);
      if (owner !== undefined) throw heldBy(owner, dataDir);
      takeOver(file);
      if (!createLock(file, own)) throw heldBy(readLock(dataDir), dataDir);
    }
  } catch (error) {
    if (error instanceof PlanchetError) throw error;
    throw new PlanchetError(
      isDiskFull(error) ? 'host.data-folder-full' : 'host.data-folder-unwritable',
      { dataDir },
      { cause: error },
    );
  }
  const isOwn = (): boolean => {
    try {
      return readLock(dataDir)?.token === own.token;
    } catch {
      return false;
    }
  };
  return {
    token: own.token,
    announce: (console) => {
      if (!isOwn()) return;
      own.console = console;
      // Renamed into place, so a reader never sees half a file.
      writeOwn(`${file}.new`, own);
      renameSync(`${file}.new`, file);
    },
    release: () => {
      if (isOwn()) rmSync(file, { force: true });
    },
  };
}

/** Links a finished file into place: atomic, so no reader ever sees a lock without its content. */
function createLock(file: string, own: LockOwner): boolean {
  const finished = `${file}.${own.pid}.new`;
  writeOwn(finished, own);
  try {
    linkSync(finished, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(finished, { force: true });
  }
}

/** Writes a file anew: one that stands there may be of somebody else, who would read the token. */
function writeOwn(file: string, own: LockOwner): void {
  rmSync(file, { force: true });
  writeFileSync(file, JSON.stringify(own), { mode: 0o600, flag: 'wx' });
}

/** Moves a dead owner's lock away under a name of our own, so that of two processes that see it dead only one removes it. */
function takeOver(file: string): void {
  const aside = `${file}.${process.pid}`;
  try {
    renameSync(file, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  rmSync(aside, { force: true });
}

/**
 * Undefined where there is no lock, or its content was cut short.
 * @throws PlanchetError `store-locked` where it cannot be read: it is that of another user, whose process may live
 */
function readLock(dataDir: string): LockOwner | undefined {
  let text: string;
  try {
    text = readFileSync(join(dataDir, LOCK_FILE), 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EACCES' || code === 'EPERM')
      throw new PlanchetError('host.data-folder-locked', { dataDir }, { cause: error });
    return undefined;
  }
  try {
    return lockSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

function isAlive(owner: LockOwner): boolean {
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    // EPERM: it lives, but belongs to somebody else.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  const found = processStat(owner.pid);
  if (found === undefined) return true;
  // A killed process keeps its pid until its parent collects it, which may take long; it does nothing any more.
  if (DEAD_STATES.includes(found.state)) return false;
  return owner.startedAt === null || owner.startedAt === found.startedAt;
}

/** Fields 3 (state) and 22 (start, clock ticks since boot) of /proc/<pid>/stat; undefined where there is no such file. */
function processStat(pid: number): { state: string; startedAt: string } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // the name before the last bracket may hold anything
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, startedAt] = [fields[0], fields[19]];
    return state === undefined || startedAt === undefined ? undefined : { state, startedAt };
  } catch {
    return undefined;
  }
}

function heldBy(owner: LockOwner | undefined, dataDir: string): PlanchetError {
  return owner === undefined
    ? new PlanchetError('host.data-folder-locked', { dataDir })
    : new PlanchetError('host.data-folder-locked-by', { process: `${owner.pid}`, dataDir });
}
