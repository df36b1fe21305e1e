import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Libraries of Electron for Linux, by Debian's names; those of electron-builder's own package. */
const DEPENDS = 'libgtk-3-0, libnotify4, libnss3, libxss1, libxtst6, xdg-utils, libatspi2.0-0, libuuid1, libsecret-1-0';
const ICON_SIZES = [16, 32, 48, 128, 256, 512];

/**
 * Makes a Debian package of an unpacked program with `dpkg-deb`, to check its layout. The shipped one is made by electron-builder.
 * @param unpacked folder of the program, as electron-builder leaves it
 * @param icons folder of `<n>x<n>.png`
 * @param dir scratch folder, emptied first
 * @param file the package
 */
export function writeDeb(options: {
  unpacked: string;
  icons: string;
  manifest: string;
  arch: 'x64' | 'arm64';
  dir: string;
  file: string;
}): void {
  const { version, description } = JSON.parse(readFileSync(options.manifest, 'utf8')) as Record<string, string>;
  const tree = options.dir;
  rmSync(tree, { recursive: true, force: true });
  const write = (path: string, text: string, mode = 0o644): void => {
    mkdirSync(join(tree, path, '..'), { recursive: true });
    writeFileSync(join(tree, path), text);
    chmodSync(join(tree, path), mode);
  };
  cpSync(options.unpacked, join(tree, 'opt', 'Planchet'), { recursive: true });
  for (const size of ICON_SIZES) {
    const at = join(tree, 'usr', 'share', 'icons', 'hicolor', `${size}x${size}`, 'apps');
    mkdirSync(at, { recursive: true });
    cpSync(join(options.icons, `${size}x${size}.png`), join(at, 'planchet.png'));
  }
  write(
    'usr/share/applications/planchet.desktop',
    `[Desktop Entry]
Name=Planchet
Comment=${description}
Exec=/opt/Planchet/planchet %U
Terminal=false
Type=Application
Icon=planchet
StartupWMClass=Planchet
MimeType=x-scheme-handler/planchet;
Categories=Finance;
`,
  );
  write(
    'DEBIAN/control',
    `Package: planchet
Version: ${version}
Section: utils
Priority: optional
Architecture: ${options.arch === 'x64' ? 'amd64' : 'arm64'}
Maintainer: The Planchet project <planchet@localhost>
Depends: ${DEPENDS}
Description: ${description}
`,
  );
  // Chromium's sandbox uses user namespaces, or else needs this bit; never set on the program itself.
  write(
    'DEBIAN/postinst',
    '#!/bin/sh\nset -e\nln -sf /opt/Planchet/planchet /usr/bin/planchet\nchmod 4755 /opt/Planchet/chrome-sandbox\n',
    0o755,
  );
  write('DEBIAN/postrm', '#!/bin/sh\nset -e\nrm -f /usr/bin/planchet\n', 0o755);
  execFileSync('dpkg-deb', ['--root-owner-group', '-Zgzip', '-z1', '--build', tree, options.file], { stdio: 'pipe' });
}

export interface DebContents {
  /** Fields of the control file. */
  readonly fields: Readonly<Record<string, string>>;
  readonly entries: readonly { readonly mode: string; readonly owner: string; readonly path: string }[];
}

/** Reads a package as `dpkg-deb -I` and `dpkg-deb -c` show it. */
export function readDeb(file: string): DebContents {
  const run = (...args: string[]): string =>
    execFileSync('dpkg-deb', [...args, file], { encoding: 'utf8', maxBuffer: 64 << 20 });
  const fields = Object.fromEntries(
    run('-f')
      .split('\n')
      .filter((line) => line.includes(': '))
      .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  );
  const entries = run('-c')
    .trim()
    .split('\n')
    .map((line) => {
      const [mode = '', owner = '', , , , path = ''] = line.split(/\s+/);
      return { mode, owner, path: path.replace(/^\./, '') };
    });
  return { fields, entries };
}
