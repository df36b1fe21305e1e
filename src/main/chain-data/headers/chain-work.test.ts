import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { concatBytes, displayToHash } from '../../../chain/index.ts';
import { FakeNode, regtest } from '../test-support/header-node.ts';
import { ChainWork } from './chain-work.ts';
import { HeaderFile } from './header-file.ts';

const KNOWN = 9_000;
const HEIGHT = 10_000;

let folder: string;
let chain: FakeNode;
let file: HeaderFile;
/** How many headers were read at once since it was cleared. */
let reads: number[];
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'planchet-work-'));
  file = await HeaderFile.open(join(folder, 'headers.dat'), regtest.genesis);
  chain = new FakeNode().mine(HEIGHT);
  add(chain, 1);
  reads = [];
  const { range } = file;
  file.range = (first, last) => {
    reads.push(last - first + 1);
    return range.call(file, first, last);
  };
});
afterEach(() => {
  file.close();
  rmSync(folder, { recursive: true, force: true });
});

function add({ headers, hashes }: FakeNode, from: number): void {
  file.append(concatBytes(...headers.slice(from)), hashes.slice(from).map(displayToHash));
}

/** Each header has a work of two. */
const workOf = (height: number): bigint => BigInt(2 * (height + 1));
const fixedAt = (height: number) => ({ height, hash: chain.hashes[height] as string, work: workOf(height) });

describe.each([
  ['the first block', []],
  ['a block whose work is fixed', [KNOWN]],
])('the work of a chain, counted from %s', (_, fixed) => {
  it('is told of any height, also after a reorganisation', async () => {
    const work = new ChainWork({ ...regtest, checkpoints: fixed.map(fixedAt) }, file);
    for (const height of [HEIGHT, 0, 1, KNOWN, 4_096, 4_097, 8_193, 1])
      expect([height, await work.at(height)]).toEqual([height, workOf(height)]);
    expect(await work.at(HEIGHT + 1)).toBeUndefined();
    expect(work.ofTip).toBe(fixed.length === 0 ? undefined : workOf(HEIGHT));
    chain.unmine(900).mine(950);
    file.truncate(HEIGHT - 899);
    add(chain, HEIGHT - 899);
    expect(await work.at(HEIGHT + 50)).toBe(workOf(HEIGHT + 50));
    expect(work.ofTip).toBe(fixed.length === 0 ? undefined : workOf(HEIGHT + 50));
    expect(work.above(HEIGHT)).toBe(100n);
  });

  it('reads a few thousand headers in a turn, and no more for a height near one asked for before', async () => {
    const work = new ChainWork({ ...regtest, checkpoints: fixed.map(fixedAt) }, file);
    const [near, far] = fixed.length === 0 ? [HEIGHT, HEIGHT - 1] : [1, 2];
    await work.at(near);
    expect(reads.length).toBeGreaterThan(2);
    expect(Math.max(...reads)).toBeLessThanOrEqual(4_096);
    reads = [];
    await work.at(far);
    expect(reads.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(4_096);
  });
});
