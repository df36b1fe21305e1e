import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

interface LockedPackage {
  resolved?: string;
  hasInstallScript?: boolean;
  gypfile?: boolean;
  optionalDependencies?: Record<string, string>;
}

const lock = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8')) as {
  packages: Record<string, LockedPackage>;
};
const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
  allowScripts: Record<string, boolean>;
};

/** Where Node looks for a dependency of a package: next to it, and in every folder above. */
function placesOf(path: string, name: string): string[] {
  const above = path.split('node_modules/').map((_, index, parts) => parts.slice(0, index + 1).join('node_modules/'));
  return [`${path}/`, ...above].map((folder) => `${folder}node_modules/${name}`);
}

describe('package-lock.json', () => {
  it('tells npm not to compile better-sqlite3, which ships its binaries', () => {
    // `npm ci` takes any package with a binding.gyp for one to compile unless its manifest says `gypfile: false`, and it reads the
    // manifest from the lock, into which npm does not copy that field. Without it a machine without a compiler cannot install.
    expect(lock.packages['node_modules/better-sqlite3']?.gypfile).toBe(false);
  });

  it('names no registry', () => {
    expect(Object.entries(lock.packages).filter(([, entry]) => /^https?:/.test(entry.resolved ?? ''))).toEqual([]);
  });

  it('contains every platform of a package that ships binaries, as npm ci requires', () => {
    const missing = Object.entries(lock.packages).flatMap(([path, entry]) =>
      Object.keys(entry.optionalDependencies ?? {}).filter(
        (name) => path !== '' && !placesOf(path, name).some((place) => place in lock.packages),
      ),
    );
    expect(missing).toEqual([]);
  });
});

describe('package.json', () => {
  it('pins exact versions of all dependencies', () => {
    const loose = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies }).filter(
      ([, version]) => !/^\d/.test(version),
    );
    expect(loose).toEqual([]);
  });

  it('allows or forbids the install script of every package that has one', () => {
    const undecided = Object.entries(lock.packages)
      .filter(([, entry]) => entry.hasInstallScript)
      .map(([path]) => path.replace(/^.*node_modules\//, ''))
      .filter((name) => manifest.allowScripts[name] === undefined);
    expect(undecided).toEqual([]);
  });
});
