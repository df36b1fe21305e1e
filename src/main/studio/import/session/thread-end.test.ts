import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { pngOf } from '../../../test-support/png.ts';
import { StillClock } from '../../../test-support/still-clock.ts';
import { ImportHarness } from '../test-support/import-harness.ts';

const clock = new StillClock(1_750_000_000_000);
const harness = ImportHarness.forTests({ isFresh: true, clock });
const running = new Set<Worker>();

function note(worker: Worker): void {
  running.add(worker);
  worker.once('exit', () => running.delete(worker));
}
beforeEach(() => void process.on('worker', note));
afterEach(() => void process.off('worker', note));

/** All threads end, and the import is asked again. */
async function ended(ms: number): Promise<void> {
  const exits = [...running].map((worker) => once(worker, 'exit'));
  clock.advance(ms);
  await Promise.all(exits);
}

it('an import ends the thread of its rows a minute after the last call, and loads them again for the next one', async () => {
  harness.put('one.png', pngOf('one'));
  const { id } = await harness.read({ projectType: 'single' });
  const [row] = await harness.rows(id);
  await harness.edit(row, id, 'name', 'Another');
  clock.advance(59_000);
  await harness.rows(id);
  clock.advance(59_000);
  expect(running.size).toBe(1);
  await ended(1_000);
  expect((await harness.rows(id))[0]?.name).toBe('Another');
  expect(running.size).toBe(1);
});

it('an import ends its thread sooner where all imports are done', async () => {
  harness.put('one.png', pngOf('one'));
  const { id } = await harness.read({ projectType: 'single' });
  expect((await harness.commit(id)).imported).toBe(1);
  expect(running.size).toBe(1);
  await ended(2_000);
  expect(running.size).toBe(0);
  expect((await harness.t.studio.imports.status({ id })).imported).toBe(1);
});

it('an import whose thread ended loads its rows once for all that ask for them at the same time', async () => {
  for (const name of ['one', 'two']) harness.put(`${name}.png`, pngOf(name));
  const { id } = await harness.read({ projectType: 'single' });
  await Promise.all([...running].map((worker) => worker.terminate()));
  const { imports } = harness.t.studio;
  const [status, rows, traits] = await Promise.all([imports.status({ id }), harness.rows(id), imports.traits({ id })]);
  expect([status.rows, rows.length, traits]).toEqual([2, 2, []]);
  expect((await imports.status({ id })).rows).toBe(2);
});
