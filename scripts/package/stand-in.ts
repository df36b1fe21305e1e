import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** By this text and what follows it electron-builder and `@electron/fuses` find the fuses in Electron's program. */
const FUSE_SENTINEL = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX';
/** As Electron delivers them: the order of `FuseV1Options` in `@electron/fuses`, 1 for on. */
const DELIVERED_FUSES = '101100011';

/**
 * Writes a folder that has the place of Electron for Linux in a package, where Electron itself is not at hand. Its program only says so and
 * ends; it carries fuses in Electron's own form, so that they are really changed and read back.
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
