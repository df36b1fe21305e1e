import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { extractAll, listPackage } from '@electron/asar';
import { parse } from 'yaml';
import type { Target } from './runtime-packages.ts';

const builderName = { linux: 'linux', darwin: 'mac', win32: 'win' } as const;

/**
 * Checks a configuration against electron-builder's schema, using electron-builder's own check.
 * @throws Error that names the problem
 */
export async function validateConfiguration(root: string): Promise<void> {
  const ofBuilder = createRequire(createRequire(import.meta.url).resolve('electron-builder'));
  const { validateConfiguration: validate } = ofBuilder('app-builder-lib/out/util/config/config.js');
  await validate(parse(readFileSync(join(root, 'electron-builder.yml'), 'utf8')), { isEnabled: false, add: () => {} });
}

/**
 * Runs electron-builder on the application written to `dist/app`.
 * @param options.installers the system's installers, else only the unpacked program
 * @param options.updates address of the folder of updates; by default that of `PLANCHET_UPDATE_URL`
 * @param options.electronDist Electron's folder, if it should not be downloaded
 * @returns the folder of the unpacked program
 * @throws Error with the output of electron-builder
 */
export function runBuilder(
  root: string,
  target: Target,
  options: {
    output: string;
    app: string;
    installers: boolean;
    electronDist?: string;
    updates?: string;
    quiet?: boolean;
  },
): string {
  rmSync(options.output, { recursive: true, force: true });
  const updates = updateAddress(options.updates ?? process.env.PLANCHET_UPDATE_URL);
  const config = {
    'directories.output': options.output,
    'directories.app': options.app,
    ...(options.electronDist === undefined ? {} : { electronDist: options.electronDist }),
    ...(updates !== undefined ? { 'publish.provider': 'generic', 'publish.url': updateFolder(updates, target) } : {}),
  };
  const args = [
    join(root, 'node_modules', 'electron-builder', 'cli.js'),
    `--${builderName[target.platform]}`,
    ...(options.installers ? [] : ['dir']),
    `--${target.arch}`,
    '--publish=never',
    ...Object.entries(config).map(([key, value]) => `-c.${key}=${value}`),
  ];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: root,
    encoding: 'utf8',
    stdio: options.quiet ? 'pipe' : ['ignore', 'inherit', 'inherit'],
  });
  if (status !== 0) throw new Error(`electron-builder failed.\n${stdout ?? ''}${stderr ?? ''}`);
  return unpackedFolder(options.output);
}

/**
 * The address where a package looks for updates.
 * @returns undefined if none is set: the package then has no updates
 * @throws Error for one that others could intercept
 */
export function updateAddress(given: string | undefined): string | undefined {
  if (given === undefined || given === '') return undefined;
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url?.protocol === 'https:' && url.username + url.password + url.search + url.hash === '') return url.href;
  throw new Error(`PLANCHET_UPDATE_URL must be an https address of a folder, without a user or a query: ${given}`);
}

/** The folder of a package's updates below that address. Both packages for macOS have a `latest-mac.yml`, so each has its own folder. */
export function updateFolder(address: string, { platform, arch }: Target): string {
  return platform === 'darwin' ? `${address.replace(/\/$/, '')}/mac-${arch}` : address;
}

/** The folder of the unpacked program: `linux-unpacked`, `win-unpacked`, `mac`, `mac-arm64`. */
function unpackedFolder(output: string): string {
  const found = readdirSync(output).find((name) => name.endsWith('-unpacked') || /^mac(?:-|$)/.test(name));
  if (found === undefined) throw new Error(`${output} holds no unpacked program.`);
  return join(output, found);
}

export interface UnpackedProgram {
  /** The executable, which contains the fuses. */
  readonly program: string;
  readonly asar: string;
}

/** Where the parts of a packed program are on each system. */
export function partsOf(folder: string, { platform }: Target): UnpackedProgram {
  if (platform === 'darwin') {
    const bundle = join(folder, 'Planchet.app');
    return { program: bundle, asar: join(bundle, 'Contents', 'Resources', 'app.asar') };
  }
  const program = join(folder, platform === 'win32' ? 'Planchet.exe' : 'planchet');
  return { program, asar: join(folder, 'resources', 'app.asar') };
}

/** Paths of the files in an archive, with forward slashes and without the first. */
export function filesOfAsar(asar: string): string[] {
  const listed = listPackage(asar, { isPack: false }).map((path) => path.replaceAll('\\', '/').replace(/^\//, ''));
  const folders = new Set(listed.map((path) => path.slice(0, path.lastIndexOf('/'))));
  return listed.filter((path) => !folders.has(path));
}

/** Writes an archive and its unpacked files as one tree, as plain Node needs it. */
export function extractAsar(asar: string, dir: string): void {
  extractAll(asar, dir);
}
