import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

/** Reads in a process of its own. @returns how it ended; null where it was killed */
async function read({ marks = Number.POSITIVE_INFINITY, fault }: Plan): Promise<number | null> {
  server.asked = [];
  server.sent = [];
  server.fault = (_, index) => (index === fault?.at ? fault : undefined);
  const reader = spawn(process.execPath, [child, folder, address, checkpoint], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  server.onHeld = () => reader.kill('SIGKILL');
  let seen = 0;
  reader.stdout.on('data', (written: Buffer) => {
    seen += written.length;
    if (seen >= marks) reader.kill('SIGKILL');
  });
  await new Promise((resolve) => reader.once('close', resolve));
  return reader.exitCode;
}

/** What is there while nobody answers: all of it is of the chain. */
async function stored(): Promise<{ lowest: number; highest: number }> {
  const store = openHeaders(folder, checkpoint);
  await store.refresh();
  const { lowest, tip } = store.status();
  const highest = tip?.height ?? 0;
  for (let height = lowest; height <= highest; height++)
    expect(store.at(height)?.hash, `${height}`).toBe(chain.hashes[height]);
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
