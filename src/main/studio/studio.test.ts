import { readdir } from 'node:fs/promises';
import { expect, it, vi } from 'vitest';
import { PlanchetError } from '../../contract/index.ts';
import type { Pictures } from '../ports/pictures.ts';
import { MintHarness, mint } from './test-support/mint-harness.ts';

const harness = MintHarness.forTests();

it('a studio that stops gives up the picture that a mint waits for', async () => {
  const asked = Promise.withResolvers<void>();
  const held = Promise.withResolvers<never>();
  held.promise.catch(() => {});
  const order: string[] = [];
  const pictures: Partial<Pictures> = {
    thumbnail: () => {
      asked.resolve();
      return held.promise;
    },
    stop: async () => {
      order.push('pictures');
      held.reject(new PlanchetError('host.stopping'));
    },
  };
  const t = await harness.ready(1, { pictures: pictures as Pictures });
  const { id } = await mint(t, t.itemIds);
  await asked.promise;
  const stop = t.studio.mint.stop.bind(t.studio.mint);
  vi.spyOn(t.studio.mint, 'stop').mockImplementation(() => stop().finally(() => order.push('mint')));
  await harness.close();
  expect(order.slice(0, 2)).toEqual(['pictures', 'mint']);
  const again = await harness.start();
  expect(again.studio.jobs().find((job) => job.id === id)).toMatchObject({ failure: null });
});

it('a studio ends all else where one part cannot be stopped, and says so then', async () => {
  const t = await harness.ready(0);
  const failed = vi.spyOn(t.studio.imports, 'stop').mockRejectedValue(new Error('no space'));
  const held = Promise.withResolvers<void>();
  const stop = t.studio.mint.stop.bind(t.studio.mint);
  vi.spyOn(t.studio.mint, 'stop').mockImplementation(() => held.promise.then(stop));
  await t.studio.files.begin({ name: 'moon.png', bytes: 10, contentType: '' });
  let isStopped = false;
  const stopping = t.studio.stop().finally(() => {
    isStopped = true;
  });
  stopping.catch(() => {});
  await new Promise(setImmediate);
  expect(isStopped).toBe(false);
  held.resolve();
  await expect(stopping).rejects.toMatchObject({ errors: [{ message: 'no space' }] });
  expect(await readdir(harness.filesFolder)).toEqual([]);
  failed.mockRestore();
});
