import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const packaged = new URL('../../node_modules/@sparticuz/chromium/', import.meta.url);
const defaultCache = fileURLToPath(new URL('../../node_modules/.cache/planchet/', import.meta.url));

/** The browser of the npm package, unpacked. */
export interface PackagedBrowser {
  readonly executablePath: string;
  /** Environment in which it finds its libraries and fonts. */
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Unpacks the browser inside the npm package @sparticuz/chromium, once for each user and version. The package itself unpacks to fixed names
 * in the temporary folder, where every user of the machine can put a program first. So it uses a folder of the project's cache that
 * no other user can enter.
 * @param cache parent of that folder; a test names its own
 * @throws Error where the folder belongs to another user or is open to others
 */
export function unpackBrowser(cache: string = defaultCache): PackagedBrowser {
  const { version } = JSON.parse(readFileSync(new URL('package.json', packaged), 'utf8')) as { version: string };
  const own = join(cache, `browser-${userInfo().uid}`);
  mkdirSync(own, { recursive: true, mode: 0o700 });
  requirePrivate(own);
  const folder = join(own, version);
  if (!existsSync(folder)) unpackInto(folder, own);
  configureFonts(folder);
  const libraries = [join(folder, 'al2023', 'lib'), process.env.LD_LIBRARY_PATH].filter(Boolean).join(':');
  return {
    executablePath: join(folder, 'chromium'),
    env: { ...process.env, LD_LIBRARY_PATH: libraries, FONTCONFIG_PATH: join(folder, 'fonts') },
  };
}

function requirePrivate(folder: string): void {
  const found = lstatSync(folder);
  if (found.isDirectory() && found.uid === userInfo().uid && (found.mode & 0o077) === 0) return;
  throw new Error(`${folder} must be a folder that belongs to you and that nobody else can enter. Remove it.`);
}

/** Unpacks next to the final name and renames, so that test processes that start at the same time never run an incomplete program. */
function unpackInto(folder: string, own: string): void {
  const staging = mkdtempSync(join(own, 'unpacking-'));
  try {
    const unpack = `const { default: chromium } = await import(${JSON.stringify(new URL('build/index.js', packaged).href)});
      await chromium.executablePath();`;
    execFileSync(process.execPath, ['--input-type=module', '--eval', unpack], {
      // The package unpacks its shared libraries only on AWS, but a bare machine lacks them as well.
      env: { ...process.env, TMPDIR: staging, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs22.x' },
    });
    renameSync(staging, folder);
  } catch (error) {
    rmSync(staging, { recursive: true, force: true });
    // Another process was faster.
    if (!existsSync(folder)) throw error;
  }
}

/**
 * Writes the path of the fonts, again after the project's folder was moved or copied: without fonts no page has any text. The
 * package's own file names `/tmp/fonts`. The file is renamed into place, so that nobody reads a part of it.
 */
function configureFonts(folder: string): void {
  const file = join(folder, 'fonts', 'fonts.conf');
  const wanted = fontsConfig(folder);
  if (readFileSync(file, 'utf8') === wanted) return;
  const staged = `${file}.${process.pid}`;
  writeFileSync(staged, wanted);
  renameSync(staged, file);
}

function fontsConfig(folder: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${join(folder, 'fonts')}</dir>
  <cachedir>${join(folder, 'fonts-cache')}</cachedir>
</fontconfig>
`;
}
