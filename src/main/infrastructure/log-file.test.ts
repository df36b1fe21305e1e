import { mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { LogFile } from './log-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'planchet-log-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('a log file that cannot be written does not end the process, and says later how many lines are missing', async () => {
  const path = join(folder, 'planchet.log');
  // What stands in its place fails as a full disk does: when the file is opened or written, not before.
  mkdirSync(path);
  let now = 0;
  const log = new LogFile(folder, 'planchet.log', () => now);
  log.write('lost 1\n');
  log.write('lost 2\n');
  await expect.poll(() => log.lost).toBe(2);
  log.write('lost 3\n');
  // A second try meets the same.
  now += 60_000;
  log.write('lost 4\n');
  await expect.poll(() => log.lost).toBe(4);
  rmdirSync(path);
  now += 60_000;
  log.write('kept\n');
  await log.close();
  const [notice, line] = readFileSync(path, 'utf8').split('\n');
  expect(JSON.parse(notice as string)).toMatchObject({
    level: 40,
    msg: expect.stringMatching(/^4 lines of this log could not be written: .*not a file/),
  });
  expect(line).toBe('kept');
  expect(log.lost).toBe(0);
});
