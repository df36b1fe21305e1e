import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { concatBytes } from '../../../chain/index.ts';
import { seededRandom } from '../../test-support/seeded-random.ts';
import { CHECKPOINT, chainAfter, openHeaders } from '../test-support/killed-headers.ts';

const SEED = Number(process.env.PLANCHET_SEED ?? 29);
const KILLS = process.env.PLANCHET_LONG ? 200 : 1;
/** Readings until a kill, at most: all of them are some eighty. */
const READINGS = 40;

const folder = mkdtempSync(join(tmpdir(), 'planchet-killed-headers-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const child = fileURLToPath(new URL('../test-support/read-headers-until-killed.ts', import.meta.url));

/** Reads in a process of its own. @param kills after so many readings, at once. @returns how many there were, and whether it came to the end */
async function read(turn: number, kills: number): Promise<{ readings: number; isWhole: boolean }> {
  const reader = spawn(process.execPath, [child, folder, String(turn)], { stdio: ['ignore', 'pipe', 'inherit'] });
  let readings = 0;
  reader.stdout.on('data', (marks: Buffer) => {
    readings += marks.length;
    if (readings >= kills) reader.kill('SIGKILL');
  });
  await new Promise((resolve) => reader.once('close', resolve));
  return { readings, isWhole: reader.exitCode === 0 };
}

it(`headers whose reading is killed ${KILLS} times, of a chain that is reorganised meanwhile, are read on and all there`, {
  timeout: 60_000 + KILLS * 10_000,
}, async () => {
  const random = seededRandom(SEED);
  let [turn, killed, before] = [0, 0, 0];
  while (killed < KILLS) {
    const { isWhole } = await read(turn, 1 + Math.floor(random() * READINGS));
    if (!isWhole) killed += 1;
    // what is there without anybody who answers is a part of the chain, or of the one before it
    const now = chainAfter(turn);
    const chains = [now, chainAfter(Math.max(0, turn - 1))];
    const store = openHeaders(folder, now.hashes[CHECKPOINT] as string);
    await store.refresh();
    const { tip, lowest } = store.status();
    const of = chains.find(({ hashes }) => tip === null || hashes[tip.height] === tip.hash);
    expect(of, `${tip?.height}`).toBeDefined();
    for (let height = lowest; height <= (tip?.height ?? -1); height++)
      expect(store.at(height)?.hash, `${height}`).toBe(of?.hashes[height]);
    // it goes on from there
    const stored = (tip?.height ?? 0) - lowest;
    if (!isWhole && turn === 0) expect(stored).toBeGreaterThanOrEqual(before);
    before = stored;
    await store.close();
    if (isWhole) turn += 1;
  }
  const last = chainAfter(turn);
  expect(await read(turn, Number.POSITIVE_INFINITY)).toMatchObject({ isWhole: true });
  expect(readFileSync(join(folder, 'headers-regtest.dat')).equals(concatBytes(...last.headers))).toBe(true);
  expect(await read(turn, Number.POSITIVE_INFINITY)).toEqual({ readings: 0, isWhole: true });
});
