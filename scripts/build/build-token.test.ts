import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { transformWithOxc } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { live } from '../../e2e/token/life.ts';
import { root } from '../paths.ts';
import { buildTokenLibrary } from './build-token.ts';

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'planchet-token-'));
  await buildTokenLibrary(join(folder, 'token'));
  // The packages that the library imports, as in an installation next to it.
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
  const source = readFileSync(join(root, 'e2e', 'token', 'life.ts'), 'utf8');
  const { code } = await transformWithOxc(source.replace('../../src/token/index.ts', './token/index.js'), 'life.ts');
  writeFileSync(join(folder, 'life.mjs'), `${code}\nprocess.stdout.write(JSON.stringify(await live()));\n`);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The oldest other Node on the PATH. */
function otherNode(): { path: string; version: string } | undefined {
  const name = process.platform === 'win32' ? 'node.exe' : 'node';
  const found = (process.env.PATH ?? '').split(delimiter).flatMap((place) => {
    const path = join(place, name);
    const version = spawnSync(path, ['--version'], { encoding: 'utf8' }).stdout?.trim() ?? '';
    const major = Number(/^v(\d+)\./.exec(version)?.[1] ?? 0);
    return major >= 20 && version !== process.version ? [{ path, version, major }] : [];
  });
  return found.sort((a, b) => a.major - b.major)[0];
}

function liveUnder(node: string): unknown {
  const { status, stdout, stderr } = spawnSync(node, [join(folder, 'life.mjs')], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
}

describe('the built token library', () => {
  it('imports only the packages it names, and node:fs only when it reads files', () => {
    const code = readFileSync(join(folder, 'token', 'index.js'), 'utf8');
    const imported = [...code.matchAll(/^import\b[^'"]*["']([^'"]+)["']/gm)].map(([, id]) => id as string);
    expect(imported.length).toBeGreaterThan(3);
    expect(imported.filter((id) => !/^(?:@bsv\/sdk|@noble\/[a-z]+|zod)(?:\/|$)/.test(id))).toEqual([]);
    expect([...code.matchAll(/import\(["']([^'"]+)["']\)/g)].map(([, id]) => id)).toEqual(['node:fs/promises']);
  });

  it('returns the same bytes as the sources, under this Node', async () => {
    expect(liveUnder(process.execPath)).toEqual(await live());
  });

  it('returns the same bytes under the oldest installed Node from version 20 on', { tags: 'long' }, async ({
    skip,
  }) => {
    const node = otherNode();
    if (node === undefined) return skip(`only Node ${process.version} is installed`);
    expect(liveUnder(node.path)).toEqual(await live());
  });
});
