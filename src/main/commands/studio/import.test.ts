import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callCommand } from '../../test-support/hosts/call-command.ts';
import { startHere } from '../../test-support/hosts/start-here.ts';
import { pngOf } from '../../test-support/png.ts';

let folder: string;
let host: Awaited<ReturnType<typeof startHere>>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'planchet-import-cli-'));
  mkdirSync(join(folder, 'art'));
  for (const n of [1, 2, 3]) writeFileSync(join(folder, 'art', `${n}.png`), pngOf(`${n}`));
  writeFileSync(join(folder, 'list.csv'), 'Picture;Title;Eyes\n1.png;One;green\n2.png;Two;blue\n9.png;Nine;red\n');
  host = await startHere({ dataDir: join(folder, 'data') });
});
afterAll(async () => {
  await host.stop();
  rmSync(folder, { recursive: true, force: true });
});

const planchet = (...args: string[]) => callCommand(['--data-dir', join(folder, 'data'), ...args]);

describe('planchet import', () => {
  it('imports what is valid and names the rest', async () => {
    const table = join(folder, 'list.csv');
    const args = [
      'import',
      join(folder, 'art'),
      '--project',
      'Rings',
      '--table',
      table,
      '--map',
      'file=Picture',
      '--json',
    ];
    const { code, out } = await planchet(...args);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual({
      projectUid: expect.any(String),
      imported: 2,
      problems: [
        { row: null, file: '3.png', code: 'file-unused', message: expect.any(String) },
        { row: 4, file: '9.png', code: 'missing-file', message: expect.any(String) },
      ],
    });
  });

  it.each([
    ['a folder that is not there', ['nowhere', '--project', 'A'], 'file-not-found'],
    ['nothing that is free of errors', ['list.csv', '--project', 'B'], 'invalid-input'],
    ['a column that is not there', ['art', '--project', 'C', '--map', 'name=Nothing'], 'invalid-input'],
  ])('leaves with 1 for %s', async (_, [path = '', ...rest], expected) => {
    const { code, err } = await planchet('import', join(folder, path), ...rest, '--json');
    expect(code).toBe(1);
    expect((JSON.parse(err) as { error: { code: string } }).error.code).toBe(expected);
  });

  it('leaves with 2 for wrong usage', async () => {
    expect((await planchet('import', folder)).code).toBe(2);
    expect((await planchet('import', folder, '--project', 'A', '--map', 'name')).code).toBe(2);
  });
});
