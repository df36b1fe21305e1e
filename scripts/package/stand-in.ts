import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The marker by which electron-builder and `@electron/fuses` find the fuses in Electron's program. */
const FUSE_SENTINEL = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX';
/** The defaults of Electron, in the order of `FuseV1Options` in `@electron/fuses`, 1 for on. */
const DELIVERED_FUSES = '101100011';

/**
 * Writes a folder that replaces Electron for Linux in a package if Electron is not available. Its program only says so and
 * exits. It has fuses in Electron's format, so that they can be changed and read back.
 */
export function writeStandInForElectron(dir: string, electronVersion: string): void {
  mkdirSync(join(dir, 'locales'), { recursive: true });
  mkdirSync(join(dir, 'resources'), { recursive: true });
  const program = Buffer.concat([
    Buffer.from('#!/bin/sh\necho "This package was made without Electron and cannot open a window." >&2\nexit 1\n'),
    Buffer.from(FUSE_SENTINEL),
    Buffer.from([1, DELIVERED_FUSES.length]),
    Buffer.from(DELIVERED_FUSES),
    Buffer.from('\n'),
  ]);
  writeFileSync(join(dir, 'electron'), program);
  writeFileSync(join(dir, 'chrome-sandbox'), '#!/bin/sh\nexit 1\n');
  for (const name of ['electron', 'chrome-sandbox']) chmodSync(join(dir, name), 0o755);
  writeFileSync(join(dir, 'version'), electronVersion);
  for (const name of ['LICENSE', 'LICENSES.chromium.html', 'locales/en-US.pak', 'locales/de.pak']) {
    writeFileSync(join(dir, name), 'A stand-in: the real file comes with Electron.\n');
  }
}
