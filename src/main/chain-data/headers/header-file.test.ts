import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

// A shell's limit for the size of a file breaks a write off in its middle, as a full disk does.
it.skipIf(process.platform === 'win32')('a write of headers that breaks off adds none of them', () => {
  const folder = mkdtempSync(join(tmpdir(), 'planchet-header-file-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const code = `import { HeaderFile } from ${JSON.stringify(new URL('./header-file.ts', import.meta.url).href)};
    const file = await HeaderFile.open(${JSON.stringify(join(folder, 'headers.dat'))}, new Uint8Array(80).fill(1));
    const hashes = Array.from({ length: 1_000 }, (_, n) => new Uint8Array(32).fill(n));
    for (const add of [() => file.append(new Uint8Array(80_000), hashes), () => file.prepend(200, new Uint8Array(80_000))])
      try { add(); console.log('added'); } catch ({ cause }) { console.log(cause.code, file.count, file.lowest); }`;
  const limited = 'trap "" XFSZ; ulimit -f 40; exec "$0" --input-type=module -e "$1"';
  const { stdout, stderr } = spawnSync('sh', ['-c', limited, process.execPath, code], { encoding: 'utf8' });
  expect(stdout.trim(), stderr).toBe('EFBIG 1 0\nEFBIG 1 0');
});
