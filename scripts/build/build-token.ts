import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';
import { build } from 'vite';
import { root } from '../paths.ts';

const entry = join(root, 'src', 'token', 'index.ts');
/** Packages are not bundled, so that the library and its caller use the same SDK. */
const external = (id: string): boolean => /^(?:node:|@?[a-z])/.test(id) && !id.startsWith(root);
/** Packages that the library imports; a test compares this with the built files. */
const DEPENDENCIES = ['@bsv/sdk', 'zod'] as const;

interface Manifest {
  readonly version: string;
  readonly license: string;
  readonly dependencies: Readonly<Record<string, string>>;
}

/**
 * Builds `planchet/token` as a separate package: one ES module without TypeScript, for Node from version 20 on and for browsers, its types in one
 * file, a package.json with the packages it imports, and a README.
 * @param outDir emptied first
 */
export async function buildTokenLibrary(outDir: string): Promise<void> {
  await rm(outDir, { recursive: true, force: true });
  await mkdir(outDir, { recursive: true });
  await Promise.all([buildModule(outDir), buildTypes(outDir), writeManifest(outDir), writeReadme(outDir)]);
}

async function buildModule(outDir: string): Promise<void> {
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    build: {
      outDir,
      emptyOutDir: false,
      target: 'es2022',
      minify: false,
      lib: { entry, formats: ['es'], fileName: () => 'index.js' },
      rollupOptions: { external },
    },
  });
}

async function buildTypes(outDir: string): Promise<void> {
  const quiet = {
    info: () => undefined,
    warn: () => undefined,
    error: (...words: unknown[]) => console.error(...words),
  };
  const plugins = [dts({ cwd: root, tsconfig: 'tsconfig.token.json', emitDtsOnly: true, logger: quiet })];
  const bundle = await rolldown({ cwd: root, input: { index: entry }, external, plugins });
  await bundle.write({ dir: outDir, format: 'es' });
  await bundle.close();
}

async function writeManifest(outDir: string): Promise<void> {
  const { version, license, dependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as Manifest;
  const manifest = {
    name: 'planchet-token',
    version,
    description: 'Builds, signs and traces the transactions of redeemable tokens on Bitcoin SV',
    license,
    type: 'module',
    sideEffects: false,
    types: './index.d.ts',
    main: './index.js',
    exports: { '.': { types: './index.d.ts', default: './index.js' }, './package.json': './package.json' },
    files: ['index.js', 'index.d.ts', 'README.md'],
    engines: { node: '>=20' },
    dependencies: Object.fromEntries(DEPENDENCIES.map((name) => [name, dependencies[name]])),
  };
  await writeFile(join(outDir, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

const README = `# planchet-token

Builds, signs and traces the transactions of redeemable tokens on Bitcoin SV: vouchers, shares, points. The rules (nobody inflates, diverts or redeems elsewhere) are kept
by the token's own script on the chain, not by this library. One satoshi of a token output is one base unit.

An ES module with its types, for Node from version 20 on and for browsers. It needs \`@bsv/sdk\` and \`zod\`, which npm installs with it. Where the package \`secp256k1\` is
installed too and has a binary for the machine, tracing asks it about signatures before the SDK, which is some 35 times as fast.

`;

/** The documentation from the first example on, with the name of the separate package. */
async function writeReadme(outDir: string): Promise<void> {
  const page = await readFile(join(root, 'docs', 'token-library.md'), 'utf8');
  const guide = page.slice(page.indexOf('## A life'));
  await writeFile(join(outDir, 'README.md'), README + guide.replaceAll('planchet/token', 'planchet-token'));
}

if (import.meta.main) await buildTokenLibrary(join(root, 'out', 'token'));
