/**
 * `npm run package`: writes the application to dist/app, checks it, and makes the installers of this system in dist/packages. `--dir` makes only
 * the unpacked program. `--tree` stops after the application's own folder, which needs no Electron. If Electron is not available on Linux,
 * `--dir --without-electron` uses a stand-in, and marks the name of the folder.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildIfStale } from './build.ts';
import { buildDocsIfStale } from './docs/build-docs.ts';
import { fuseFaults } from './fuses.ts';
import { APP_SIZE_LIMIT, sizeOf, writeAppTree } from './package/app-tree.ts';
import { extractAsar, filesOfAsar, partsOf, runBuilder, validateConfiguration } from './package/builder.ts';
import { writeIcons } from './package/icons.ts';
import { faultsOf } from './package/packed-files.ts';
import { billOfMaterials, writeChecksums } from './package/records.ts';
import { developmentPackages, type Target } from './package/runtime-packages.ts';
import { writeStandInForElectron } from './package/stand-in.ts';
import { startFrom } from './package/start-check.ts';
import { root } from './paths.ts';

const has = (flag: string): boolean => process.argv.includes(flag);
const target = { platform: process.platform, arch: process.arch } as Target;
const withoutElectron = has('--without-electron');
const app = join(root, 'dist', 'app');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

function fail(lines: readonly string[]): never {
  console.error(lines.join('\n'));
  process.exit(1);
}

if (!['linux', 'darwin', 'win32'].includes(target.platform) || !['x64', 'arm64'].includes(target.arch)) {
  fail([`There is no package for ${target.platform} ${target.arch}.`]);
}
buildIfStale();
buildDocsIfStale();
const files = writeAppTree(root, app, target);
const faults = faultsOf(
  files.map(({ path }) => path),
  target,
  developmentPackages(root),
);
if (faults.length > 0) fail(faults.map(({ path, why }) => `${path}: ${why}`));
const size = sizeOf(files);
console.log(`dist/app: ${files.length} files, ${megabytes(size)} (at most ${megabytes(APP_SIZE_LIMIT)})`);
if (size > APP_SIZE_LIMIT) fail(['The application is larger than it may be.']);

if (!has('--tree')) {
  await validateConfiguration(root);
  await writeIcons(join(root, 'resources', 'icon.svg'), join(root, 'dist', 'icons'));
  const output = join(root, 'dist', withoutElectron ? 'packages-without-electron' : 'packages');
  const scratch = mkdtempSync(join(tmpdir(), 'planchet-package-'));
  try {
    const electronDist = withoutElectron ? join(scratch, 'electron') : undefined;
    if (electronDist !== undefined) {
      writeStandInForElectron(electronDist, manifest.devDependencies.electron);
    }
    const installers = !has('--dir') && !withoutElectron;
    const { program, asar } = partsOf(
      runBuilder(root, target, { output, app, installers, ...(electronDist && { electronDist }) }),
      target,
    );
    const packed = faultsOf(filesOfAsar(asar), target, developmentPackages(root));
    if (packed.length > 0) fail(packed.map(({ path, why }) => `app.asar: ${path}: ${why}`));
    const blown = await fuseFaults(program);
    if (blown.length > 0) fail(blown);
    console.log('The fuses are as they must be.');
    extractAsar(asar, join(scratch, 'app'));
    const { startMs } = await startFrom(join(scratch, 'app'), join(root, 'resources', 'samples', 'copper-moon.png'));
    console.log(`The packed host started in ${(startMs / 1000).toFixed(1)} s, answered, and minted a token.`);
    const name = `planchet-${manifest.version}-${target.platform}-${target.arch}.cdx.json`;
    writeFileSync(join(output, name), billOfMaterials(app));
    await writeChecksums(output);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
