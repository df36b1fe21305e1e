import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The entry of an installed package in the lock. */
interface LockedPackage {
  readonly version: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** A system that a package is made for, by Node's own names. */
export interface Target {
  readonly platform: 'linux' | 'darwin' | 'win32';
  readonly arch: 'x64' | 'arm64';
}

export interface RuntimePackages {
  /** Folders below the root, as the lock names them: `node_modules/pg`. */
  readonly folders: readonly string[];
  /** Direct imports of the program with their versions: the dependencies of the packed package.json. */
  readonly direct: Readonly<Record<string, string>>;
}

/** Packages that the shell may require although they are not dependencies of the packed program. */
const SHELL_ONLY = new Set(['electron']);

/**
 * Finds the packages that the built program needs: each dependency named in a string of its bundles, and their dependencies in turn. Packages
 * used by the page only are in the page's bundles already.
 * @param root folder of package.json, package-lock.json and `out`
 * @throws Error if the lock lacks a package that is needed
 */
export function runtimePackages(root: string, target: Target): RuntimePackages {
  const json = (name: string) => JSON.parse(readFileSync(join(root, name), 'utf8'));
  const packages = json('package-lock.json').packages as Record<string, LockedPackage>;
  const dependencies = json('package.json').dependencies as Record<string, string>;
  const direct: Record<string, string> = {};
  const folders = new Set<string>();

  const add = (name: string, from: string, optional: boolean): void => {
    const folder = resolveIn(packages, name, from);
    const locked = folder === undefined ? undefined : packages[folder];
    if (folder === undefined || locked === undefined) {
      if (optional) return;
      throw new Error(`${name}, which ${from || 'the program'} needs, is not in package-lock.json`);
    }
    if (folders.has(folder) || !runsOn(locked, target)) return;
    folders.add(folder);
    for (const needed of Object.keys(locked.dependencies ?? {})) {
      add(needed, folder, needed in (locked.optionalDependencies ?? {}));
    }
    for (const needed of Object.keys(locked.optionalDependencies ?? {})) add(needed, folder, true);
  };

  for (const name of namedPackages(root, dependencies)) {
    direct[name] = packages[`node_modules/${name}`]?.version ?? '';
    add(name, '', false);
  }
  return { folders: [...folders].sort(), direct };
}

/** Names of packages that are needed for development only. A packager may move a copy to another folder, so folders do not tell. */
export function developmentPackages(root: string): Set<string> {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockedPackage>;
  };
  const nameOf = (folder: string): string => folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const folders = Object.keys(packages).filter((folder) => folder !== '');
  const needed = new Set(folders.filter((folder) => packages[folder]?.dev !== true).map(nameOf));
  return new Set(folders.map(nameOf).filter((name) => !needed.has(name)));
}

/**
 * The dependencies whose names, or paths inside them, occur as a string in the bundles: imports, and modules resolved at run time. A name with
 * its version is a line of package.json, which a bundle contains for the program's own version.
 */
function namedPackages(root: string, dependencies: Readonly<Record<string, string>>): string[] {
  const named = new Set<string>();
  for (const file of globSync('out/{main,preload}/*.{js,cjs}', { cwd: root })) {
    const text = readFileSync(join(root, file), 'utf8');
    for (const [, specifier = ''] of text.matchAll(
      /["'`]((?:@[\w.-]+\/)?[a-z][\w.-]*)(?:\/[^"'`\s]*)?["'`](?!: "\d)/g,
    )) {
      if (Object.hasOwn(dependencies, specifier) && !SHELL_ONLY.has(specifier)) named.add(specifier);
    }
  }
  return [...named].sort();
}

/** Node's resolution: the closest node_modules above the importing folder. */
function resolveIn(packages: Record<string, LockedPackage>, name: string, from: string): string | undefined {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    const folder = at === '' ? `node_modules/${name}` : `${at}/node_modules/${name}`;
    if (folder in packages) return folder;
    if (at === '') return undefined;
  }
}

/** Packages of one system name it in their manifest; on Linux those for musl are left out, as Electron needs glibc. */
function runsOn({ os, cpu, libc }: LockedPackage, { platform, arch }: Target): boolean {
  if (os !== undefined && !os.includes(platform)) return false;
  if (cpu !== undefined && !cpu.includes(arch)) return false;
  return libc === undefined || libc.includes('glibc');
}
