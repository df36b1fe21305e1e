import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { LogStep } from '../../contract/index.ts';
import { LogTail } from './log-tail.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'planchet-tail-'));
  file = join(folder, 'planchet.log');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const line = (n: number): string =>
  `${JSON.stringify({ level: 40, time: '2026-01-01T00:00:00.000Z', part: 'a', msg: `line ${n}` })}\n`;

async function nextOf(steps: AsyncIterator<LogStep>): Promise<LogStep> {
  const { value, done } = await steps.next();
  if (done) throw new Error('the log ended');
  return value as LogStep;
}

it('the tail of the log keeps the newest lines alone, and counts what a slow reader misses', async () => {
  const tail = new LogTail(file);
  for (let n = 1; n <= 10_000; n++) tail.push(line(n));
  const stop = new AbortController();
  const steps = tail.follow(stop.signal);
  const first = await nextOf(steps);
  expect(first.lines).toHaveLength(2_000);
  expect(first.lines.at(-1)).toMatchObject({ number: 10_000, level: 'warn', part: 'a', message: 'line 10000' });
  for (let n = 10_001; n <= 13_000; n++) tail.push(line(n));
  const second = await nextOf(steps);
  expect([second.lines.length, second.skipped]).toEqual([1_000, 2_000]);
  expect(second.lines[0]?.number).toBe(10_001);
  stop.abort();
  expect((await steps.next()).done).toBe(true);
  expect((await tail.newest(10_000)).length).toBeLessThanOrEqual(4_000);
});

it('the tail of the log begins with the end of what an earlier run left, and reads a cut line as text', async () => {
  writeFileSync(file, `${line(1)}${line(2)}{"level":30,"msg":"cut`);
  const tail = new LogTail(file);
  tail.push(line(3));
  const { lines } = await nextOf(tail.follow());
  expect(lines.map(({ number, message }) => [number, message])).toEqual([
    [-2, 'line 1'],
    [-1, 'line 2'],
    [0, '{"level":30,"msg":"cut'],
    [1, 'line 3'],
  ]);
});
