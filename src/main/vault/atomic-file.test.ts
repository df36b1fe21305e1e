import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { removeLeftovers, replaceFile } from './atomic-file.ts';
import { openVault } from './vault.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'planchet-file-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('replaceFile', () => {
  it('leaves no temporary file when it fails', async () => {
    await mkdir(join(folder, 'taken'));
    await writeFile(join(folder, 'taken', 'x'), '');
    await expect(replaceFile(join(folder, 'taken'), new Uint8Array(3))).rejects.toMatchObject({ code: 'store-failed' });
    expect(await readdir(folder)).toEqual(['taken']);
  });

  it('removes what a killed write left, and nothing else', async () => {
    for (const name of ['v.json', 'v.json.0123456789ab.tmp', 'v.json.old', 'w.json.0123456789ab.tmp']) {
      await writeFile(join(folder, name), '');
    }
    await removeLeftovers(join(folder, 'v.json'));
    expect((await readdir(folder)).sort()).toEqual(['v.json', 'v.json.old', 'w.json.0123456789ab.tmp']);
  });
});

describe('a process killed while it saves secrets', () => {
  it('loses none that were acknowledged as saved', async () => {
    const writer = `
      import { openVault } from ${JSON.stringify(new URL('./vault.ts', import.meta.url).href)};
      const vault = await openVault({ dataDir: ${JSON.stringify(folder)}, network: 'sandbox' });
      for (let n = Number(new TextDecoder().decode(vault.get('minerId') ?? new Uint8Array()) || 0) + 1; ; n++) {
        await vault.set('minerId', new TextEncoder().encode(String(n)));
        process.stdout.write(n + '\\n');
      }`;
    let promised = 0;
    for (let round = 0; round < 4; round++) {
      const child = spawn(process.execPath, ['--input-type=module', '-e', writer], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const closed = once(child, 'close');
      let out = '';
      child.stdout.on('data', (chunk: Buffer) => {
        // Killed at an arbitrary moment of one of the next writes.
        if (out === '') setTimeout(() => child.kill('SIGKILL'), 5 + round * 7);
        out += chunk.toString();
      });
      await closed;
      const acknowledged = Number(out.slice(0, out.lastIndexOf('\n')).split('\n').at(-1));
      expect(acknowledged).toBeGreaterThan(promised);
      promised = acknowledged;
      const vault = await openVault({ dataDir: folder, network: 'sandbox' });
      const stored = Number(new TextDecoder().decode(vault.get('minerId')));
      expect(stored).toBeGreaterThanOrEqual(promised);
      promised = stored;
      await vault.set('minerId', new TextEncoder().encode(String(stored)));
      expect((await readdir(folder)).sort()).toEqual(['sandbox.key', 'vault-sandbox.json']);
    }
    expect(JSON.parse(await readFile(join(folder, 'vault-sandbox.json'), 'utf8')).version).toBe(1);
  });
});
