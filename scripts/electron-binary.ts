import { spawn } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './paths.ts';

const electronDir = join(root, 'node_modules', 'electron');
const DOWNLOAD_LIMIT_MS = 60_000;

/** Path of Electron's program if its package has downloaded it, else undefined. Never downloads. */
export function electronBinary(): string | undefined {
  const pathFile = join(electronDir, 'path.txt');
  const dist = process.env.ELECTRON_OVERRIDE_DIST_PATH ?? join(electronDir, 'dist');
  const name = existsSync(pathFile) ? readFileSync(pathFile, 'utf8').trim() : platformName();
  const binary = join(dist, name);
  return existsSync(binary) ? binary : undefined;
}

/** Whether a display is available. */
export function hasDisplay(): boolean {
  if (process.platform === 'win32' || process.platform === 'darwin') return true;
  return Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);
}

/** What decides whether Chromium can sandbox its processes. */
interface SandboxFacts {
  readonly platform: NodeJS.Platform;
  /** Chromium exits at once if it runs as root. */
  readonly isRoot: boolean;
  /** A setting of the kernel, such as `user/max_user_namespaces`; undefined if it has none of this name. */
  readonly setting: (name: string) => string | undefined;
  /** Whether the helper next to Electron's program belongs to root and has its setuid bit. */
  readonly hasHelper: () => boolean;
}

const thisMachine: SandboxFacts = {
  platform: process.platform,
  isRoot: process.getuid?.() === 0,
  setting: (name) => {
    try {
      return readFileSync(`/proc/sys/${name}`, 'utf8').trim();
    } catch {
      return undefined;
    }
  },
  hasHelper: () => {
    const helper = statSync(join(electronDir, 'dist', 'chrome-sandbox'), { throwIfNoEntry: false });
    return helper?.uid === 0 && (helper.mode & 0o4000) !== 0;
  },
};

/** Whether Electron can start. On a Linux that restricts user namespaces to known programs, such as Ubuntu, it exits at once. */
export function hasSandbox({ platform, isRoot, setting, hasHelper }: SandboxFacts = thisMachine): boolean {
  if (platform !== 'linux') return true;
  if (isRoot) return false;
  if (hasHelper()) return true;
  return (
    setting('kernel/apparmor_restrict_unprivileged_userns') !== '1' &&
    setting('kernel/unprivileged_userns_clone') !== '0' &&
    setting('user/max_user_namespaces') !== '0'
  );
}

/**
 * Lets Electron's own installer download the program, with a line that shows the progress.
 * @returns the path, or undefined if it failed or took over a minute
 */
export async function downloadElectron(): Promise<string | undefined> {
  const started = performance.now();
  const child = spawn(process.execPath, [join(electronDir, 'install.js')], { stdio: 'ignore' });
  const line = setInterval(() => {
    process.stderr.write(
      `\rFetching Electron for the desktop window… ${Math.round((performance.now() - started) / 1000)} s `,
    );
  }, 500);
  const limit = setTimeout(() => child.kill('SIGKILL'), DOWNLOAD_LIMIT_MS);
  await new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('exit', () => resolve());
  });
  clearInterval(line);
  clearTimeout(limit);
  process.stderr.write('\n');
  return electronBinary();
}

function platformName(): string {
  if (process.platform === 'win32') return 'electron.exe';
  if (process.platform === 'darwin') return 'Electron.app/Contents/MacOS/Electron';
  return 'electron';
}
