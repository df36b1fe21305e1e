import type { Target } from './runtime-packages.ts';

/** Names of files that no installed program reads: types, sources, maps, documents, files for building and testing. */
const NOT_PACKED = [
  /\.(?:d\.[cm]?ts|[cm]?ts|tsx|map|md|markdown|flow|tsbuildinfo|h|hpp|c|cc|cpp|gyp|gypi|mk|coffee|cmake|sh|bat|yml|yaml|txt)$/i,
  /(?:^|\/)(?:tests?|__tests__|spec|specs|examples?|docs?|benchmarks?|bench|coverage|\.github|\.vscode|\.idea)\//i,
  /\.(?:test|spec)\.[cm]?js$/i,
  /(?:^|\/)(?:\.[^/]+|Makefile|CMakeLists\.txt|Gulpfile\.js|Gruntfile\.js|vcpkg\.json|tsconfig[^/]*\.json)$/i,
];

/** A licence is packed with its package. */
const LICENCE = /(?:^|\/)(?:licen[cs]e|copying|notice)[^/]*$/i;

/** Packages with parts that are used only when building, or in another runtime. */
const PARTS_NOT_PACKED: Readonly<Record<string, RegExp>> = {
  '@bitauth/libauth': /^src\//,
  '@bsv/sdk': /^(?:src|dist\/(?:umd|types|cjs\/(?:test|tsconfig)))\b/,
  '@orpc/server': /^src\//,
  'better-sqlite3': /^(?:deps|src)\//,
  fontkit: /^(?:src\/|dist\/browser)/,
  secp256k1: /^src\//,
  sharp: /^(?:src|install)\//,
  zod: /^src\//,
};

/**
 * Whether a file of an installed package is packed.
 * @param name name of the package
 * @param path path of the file inside it, with forward slashes
 */
export function isPacked(name: string, path: string, target: Target): boolean {
  if (path.endsWith('.node')) return isBinaryOf(name, path, target);
  if (PARTS_NOT_PACKED[name]?.test(path)) return false;
  if (LICENCE.test(path)) return true;
  // The outlines of a certificate's letters need one weight of the font.
  if (name.startsWith('@fontsource'))
    return path === 'package.json' || /^files\/inter-[a-z-]+-wght-normal\.woff2$/.test(path);
  return !NOT_PACKED.some((pattern) => pattern.test(path));
}

/** Whether a native module is for the target. Each package has its own naming of binaries. */
function isBinaryOf(name: string, path: string, { platform, arch }: Target): boolean {
  if (name === 'better-sqlite3') return path === `prebuilds/${platform}-${arch}.node`;
  if (name === 'secp256k1') return path.startsWith(`prebuilds/${platform}-${arch}/`) && !path.includes('musl');
  // Packages for one system only, which were selected by the lock.
  return name.startsWith('@img/') || name.startsWith('@napi-rs/');
}

/** Files that must not be packed, with the reason. */
const FORBIDDEN: readonly (readonly [RegExp, string])[] = [
  [/\.map$/, 'a source map'],
  [/\.[cm]?tsx?$/, 'a TypeScript source'],
  [/\.(?:test|spec)\.[cm]?js$/, 'a test'],
  [/^(?:src|e2e|bench|scripts|docs)\//, 'a folder of the repository'],
  [
    /(?:^|\/)(?:\.env|\.npmrc|\.cookie|planchet\.lock|vault[^/]*\.json|settings\.json)$|\.(?:pem|key|p12|pfx)$/,
    'a secret',
  ],
  [/(?:^|\/)(?:binding\.gyp|CMakeLists\.txt)$/, 'something to build'],
  [
    /(?:^|\/)node_modules\/(?:react|react-dom|recharts|three|@mantine\/[^/]+|@tabler\/[^/]+)\//,
    'a package of the page, whose bundles hold what they need of it',
  ],
];

export interface Fault {
  readonly path: string;
  readonly why: string;
}

/**
 * Finds files that must not be shipped.
 * @param paths of all packed files, with forward slashes
 * @param developmentOnly names of the packages that are development dependencies
 */
export function faultsOf(
  paths: readonly string[],
  target: Target,
  developmentOnly: ReadonlySet<string> = new Set(),
): Fault[] {
  const faults: Fault[] = [];
  for (const path of paths) {
    for (const [pattern, why] of FORBIDDEN) if (pattern.test(path)) faults.push({ path, why });
    const inside = /^(?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)\/(.+)$/.exec(path);
    if (inside === null) continue;
    const [, name = '', file = ''] = inside;
    if (developmentOnly.has(name)) faults.push({ path, why: 'a development dependency' });
    if (file.endsWith('.node') && !isBinaryOf(name, file, target)) {
      faults.push({ path, why: `a native module that is not for ${target.platform} ${target.arch}` });
    }
  }
  return faults;
}
