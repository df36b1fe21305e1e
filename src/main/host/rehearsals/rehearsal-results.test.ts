import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Rehearsal, RunItem } from '../../../contract/index.ts';
import { RehearsalResults } from './rehearsal-results.ts';

const rehearsalOf = (id: string, startedAt: number): Rehearsal => ({
  id,
  projectUid: 'p1',
  projectName: 'Moons',
  direct: false,
  state: 'done',
  failure: null,
  items: 3,
  copied: 3,
  plan: null,
  run: null,
  bytes: 1_000,
  fee: 500 as Rehearsal['fee'],
  milliseconds: 2_000,
  startedAt,
  endedAt: startedAt + 3_000,
});
const items: RunItem[] = ['a', 'b', 'c'].map((id) => ({
  id,
  name: id,
  subType: 'collectionItem',
  sha256: 'ab'.repeat(32),
  contentType: 'image/png',
  jobId: 'j1',
  state: 'proven',
  uploaded: true,
  failure: null,
  outpoint: null,
}));

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'planchet-results-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function kept(): Promise<RehearsalResults> {
  const results = new RehearsalResults(folder, pino({ level: 'silent' }));
  results.keep(rehearsalOf('late', 2), items);
  results.keep(rehearsalOf('early', 1), items);
  await results.settled();
  return results;
}

describe('what rehearsals came to', () => {
  it('is there after a restart, oldest first, with its items page by page', async () => {
    await kept();
    const [early, late] = await (await kept()).load();
    expect([early?.view(), late?.view()]).toEqual([rehearsalOf('early', 1), rehearsalOf('late', 2)]);
    expect(await early?.items(0, 2)).toEqual({ items: items.slice(0, 2), next: 2 });
    expect(await early?.items(2, 2)).toEqual({ items: items.slice(2), next: null });
  });

  it('leaves out what cannot be read, and reads no items that nobody looks at', async () => {
    const results = await kept();
    await writeFile(join(folder, 'early.view.json'), '{');
    await writeFile(join(folder, 'late.items.json'), '{');
    const ended = await results.load();
    expect(ended.map((one) => one.view().id)).toEqual(['late']);
    expect(await ended[0]?.items(0, 2)).toEqual({ items: [], next: null });
  });

  it('is forgotten with all its files', async () => {
    const results = await kept();
    for (const id of ['early', 'late']) results.forget(id);
    await results.settled();
    expect(await readdir(folder)).toEqual([]);
  });
});
