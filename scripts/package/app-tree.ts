import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { isPacked } from './packed-files.ts';
import { runtimePackages, type Target } from './runtime-packages.ts';

/** Build outputs that belong to the application; other folders of `out` are for other deliveries or the build itself. */
const PARTS = ['main', 'preload', 'renderer', 'docs'] as const;

/** Size limit of the tree in bytes, without Electron. */
export const APP_SIZE_LIMIT = 90_000_000;

export interface PackedFile {
  /** Below the tree, with forward slashes. */
  readonly path: string;
  readonly bytes: number;
}

/**
 * Writes the application as it is shipped: the build output, the packages it needs reduced to one system, and its own package.json. The
 * desktop packages, the Debian package and the container contain exactly this tree.
 * @param root folder of the repository, already built
 * @param dir emptied first
 * @throws Error if a needed package is not installed, as those of another system are not
 */
export function writeAppTree(root: string, dir: string, target: Target): PackedFile[] {
  rmSync(dir, { recursive: true, force: true });
  const { folders, direct } = runtimePackages(root, target);
  const { name, version, description, license, homepage } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  );
  for (const part of PARTS) {
    copyTree(join(root, 'out', part), join(dir, 'out', part), (path) => !path.endsWith('.map'));
  }
  copyTree(join(root, 'resources', 'tray'), join(dir, 'resources', 'tray'), () => true);
  for (const folder of folders) {
    if (!existsSync(join(root, folder, 'package.json'))) {
      throw new Error(
        `${folder} is not installed. Install for that system: npm ci --os=${target.platform} --cpu=${target.arch}`,
      );
    }
    const packageName = folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
    copyTree(join(root, folder), join(dir, folder), (path) => isPacked(packageName, path, target));
  }
  const manifest = {
    name,
    productName: 'Planchet',
    version,
    description,
    author: 'The Planchet project',
    license,
    ...(homepage === undefined ? {} : { homepage }),
    private: true,
    type: 'module',
    main: './out/main/index.js',
    bin: { planchet: './out/main/cli.js' },
    dependencies: direct,
  };
  writeFileSync(join(dir, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  return filesIn(dir);
}

function filesIn(dir: string, below = ''): PackedFile[] {
  return readdirSync(join(dir, below), { withFileTypes: true }).flatMap((entry) => {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    return entry.isDirectory() ? filesIn(dir, path) : [{ path, bytes: statSync(join(dir, path)).size }];
  });
}

/** Total size in bytes. */
export function sizeOf(files: readonly PackedFile[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Nested packages have entries of their own in the lock, so they are not copied with their parent. */
function copyTree(from: string, to: string, wanted: (path: string) => boolean, below = ''): void {
  for (const entry of readdirSync(join(from, below), { withFileTypes: true })) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) {
      if (path !== 'node_modules') copyTree(from, to, wanted, path);
    } else if (wanted(path)) {
      mkdirSync(dirname(join(to, path)), { recursive: true });
      copyFileSync(join(from, path), join(to, path));
    }
  }
}
