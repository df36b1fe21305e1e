import { expect, it } from 'vitest';
import { SeriesSigning } from './series-signing.ts';

it('signs each once where it is asked twice, and one pause stops both', async () => {
  const series = new SeriesSigning();
  const gate = Promise.withResolvers<void>();
  const signed: number[] = [];
  const sign = async (row: number) => {
    signed.push(row);
    await gate.promise;
  };
  const both = [series.run('a', [1, 2, 3], sign), series.run('a', [1, 2, 3], sign)];
  expect(series.shown('a', {})).toMatchObject({ canPause: true, awaitingApproval: false });
  const paused = series.pause('a');
  expect(series.shown('a', {})).toMatchObject({ canPause: false, awaitingApproval: false });
  gate.resolve();
  await Promise.all([...both, paused]);
  expect(signed).toEqual([1]);
  await series.run('a', [2, 3], async (row) => {
    // Nothing is left to pause while the last one is signed.
    expect(series.shown('a', {})).toMatchObject({ canPause: row === 2 });
    await sign(row);
  });
  expect(signed).toEqual([1, 2, 3]);
});

it('stands still once signing fails, and says so to who asked', async () => {
  const series = new SeriesSigning();
  const failing = series.run('a', [1], () => Promise.reject(new Error('locked')));
  await expect(failing).rejects.toThrow('locked');
  expect(series.shown('a', { active: false })).toEqual({ active: false });
});
