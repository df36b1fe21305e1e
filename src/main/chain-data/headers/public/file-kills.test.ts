import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { concatBytes, HEADER_BYTES } from '../../../../chain/index.ts';
import { seededRandom } from '../../../test-support/seeded-random.ts';
import { type FileFault, HeaderFiles } from '../../test-support/header-files.ts';
import { FakeNode } from '../../test-support/header-node.ts';
import { CHECKPOINT, openHeaders } from '../../test-support/killed-headers.ts';

const SEED = Number(process.env.PLANCHET_SEED ?? 29);
const KILLS = process.env.PLANCHET_LONG ? 300 : 1;
/** Blocks above the first one: four files, the newest of them with few headers. */
const HEIGHT = 6_200;

const folder = mkdtempSync(join(tmpdir(), 'planchet-killed-files-'));
const chain = new FakeNode().mine(HEIGHT);
const checkpoint = chain.hashes[CHECKPOINT] as string;
const server = new HeaderFiles(chain);
let address: string;

beforeAll(async () => {
  address = await server.open();
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

const child = fileURLToPath(new URL('../../test-support/read-header-files-until-killed.ts', import.meta.url));

interface Plan {
  /** Killed after so many readings, at once. */
  readonly marks?: number;
  /** What happens to the answer that has a file for the nth time. */
  readonly fault?: FileFault & { readonly at: number };
}

/** Reads in a process that lasts until it is killed: a start of it costs more than a reading. */
let reader: ChildProcessByStdio<Writable, Readable, null> | undefined;
afterAll(() => reader?.kill('SIGKILL'));

function startReader(): ChildProcessByStdio<Writable, Readable, null> {
  const cache = fileURLToPath(new URL('../../../../../scripts/compile-cache.js', import.meta.url));
  return spawn(process.execPath, ['--import', cache, child, folder, address, checkpoint], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
}

/** @returns how it ended; null where it was killed */
async function read({ marks = Number.POSITIVE_INFINITY, fault }: Plan): Promise<number | null> {
  server.asked = [];
  server.sent = [];
  server.fault = (_, index) => (index === fault?.at ? fault : undefined);
  reader ??= startReader();
  const { stdin, stdout } = reader;
  const kill = (): void => void reader?.kill('SIGKILL');
  server.onHeld = kill;
  let seen = 0;
  return new Promise<number | null>((resolve, reject) => {
    const take = (written: Buffer): void => {
      const code = /\d/.exec(String(written))?.[0];
      seen += code === undefined ? written.length : 0;
      if (seen >= marks) kill();
      else if (code !== undefined) end(Number(code));
    };
    const killed = (_: number | null, signal: string | null): void => {
      if (signal === 'SIGKILL') end(null);
      else reject(new Error('the reader ended by itself'));
    };
    const end = (code: number | null): void => {
      stdout.off('data', take);
      reader?.off('close', killed);
      if (code === null) reader = undefined;
      resolve(code);
    };
    stdout.on('data', take);
    reader?.once('close', killed);
    stdin.write('read\n');
  });
}

/** What is there while nobody answers: all of it is of the chain. */
async function stored(): Promise<{ lowest: number; highest: number }> {
  const store = openHeaders(folder, checkpoint);
  await store.refresh();
  const { lowest, tip } = store.status();
  const highest = tip?.height ?? 0;
  // asserted once: six thousand assertions for each kill cost more than the kill
  const heights = Array.from({ length: highest + 1 - lowest }, (_, index) => lowest + index);
  expect(heights.filter((height) => store.at(height)?.hash !== chain.hashes[height])).toEqual([]);
  await store.close();
  return { lowest, highest };
}

/** Files that were sent though no header of them was lacking, or more often than they have to be. */
function needless(before: { lowest: number; highest: number }): string[] {
  const counts = Map.groupBy(server.sent, ({ name }) => name);
  return [...counts.values()].flatMap((times) => {
    const { name, first, last } = times[0] as (typeof times)[number];
    const lacks = first < before.lowest || last > before.highest;
    // what is above the checkpoint comes before what is below it, so its file comes twice
    const most = first <= CHECKPOINT && CHECKPOINT <= last ? 2 : 1;
    return lacks && times.length <= most ? [] : [`${name} × ${times.length} from ${before.lowest}–${before.highest}`];
  });
}

it(`files of headers whose reading is killed ${KILLS} times, also within a file, or of which half comes, are read on and not fetched again`, {
  timeout: 180_000 + KILLS * 20_000,
}, async () => {
  const random = seededRandom(SEED);
  const below = (most: number): number => Math.floor(random() * most);
  const size = (server.files[0] as { bytes: Uint8Array }).bytes.length;
  const plans: readonly (() => Plan)[] = [
    () => ({ marks: 1 + below(6) }),
    () => ({ fault: { kind: 'held', at: below(4), bytes: 1 + below(size - 1) } }),
    () => ({ fault: { kind: 'cut', at: below(3), bytes: below(size) } }),
    () => ({ fault: { kind: 'short', at: below(3), bytes: below(size / HEADER_BYTES) * HEADER_BYTES } }),
  ];
  // the first one between two files
  const planOf = (round: number): Plan =>
    round === 0
      ? { fault: { kind: 'held', at: 2, bytes: 1 + below(10_000) } }
      : (plans[round % plans.length] as () => Plan)();
  let kills = 0;
  let before = { lowest: 0, highest: 0 };
  for (let round = 0; kills < KILLS; round++) {
    const ended = await read(planOf(round));
    if (ended === null) kills += 1;
    expect(needless(before)).toEqual([]);
    const now = await stored();
    if (before.highest > 0) expect(now.lowest).toBeLessThanOrEqual(before.lowest);
    expect(now.highest).toBeGreaterThanOrEqual(before.highest);
    before = now;
    if (ended !== 0 && kills < KILLS) continue;
    expect(await read({})).toBe(0);
    expect(needless(before)).toEqual([]);
    expect(readFileSync(join(folder, 'headers-regtest.dat')).equals(concatBytes(...chain.headers))).toBe(true);
    expect(await read({})).toBe(0);
    expect(server.asked).toEqual([]);
    rmSync(join(folder, 'headers-regtest.dat'));
    before = { lowest: 0, highest: 0 };
  }
});
