import { expect, it } from 'vitest';
import { SeriesSigning } from './series-signing.ts';

it('a series signs each transaction once where it is asked twice, and one pause stops both', async () => {
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

it('a series stands still once signing fails, and says so to who asked', async () => {
  const series = new SeriesSigning();
  const failing = series.run('a', [1], () => Promise.reject(new Error('locked')));
  await expect(failing).rejects.toThrow('locked');
  expect(series.shown('a', { active: false })).toEqual({ active: false });
});

/** Signs until it is let go, with what was signed so far. */
function gated() {
  const gate = Promise.withResolvers<void>();
  const signed: string[] = [];
  const sign = async (row: string) => {
    await gate.promise;
    signed.push(row);
  };
  return { gate, signed, sign };
}

it('a series goes on where it is asked again while it pauses', async () => {
  const series = new SeriesSigning();
  const { gate, signed, sign } = gated();
  const first = series.run('a', ['1', '2'], sign);
  const paused = series.pause('a');
  const again = series.run('a', ['2', '3'], sign);
  gate.resolve();
  await Promise.all([first, paused, again]);
  expect(signed).toEqual(['1', '2', '3']);
});

it('one series pauses, and all when the program ends, each once what is under way is signed', async () => {
  const series = new SeriesSigning();
  const [one, other] = [gated(), gated()];
  const runs = [series.run('a', ['a1', 'a2'], one.sign), series.run('b', ['b1', 'b2'], other.sign)];
  const paused = series.pause('a').then(() => [...one.signed]);
  const ended = series.pauseAll().then(() => [...one.signed, ...other.signed]);
  one.gate.resolve();
  expect(await paused).toEqual(['a1']);
  other.gate.resolve();
  expect(await ended).toEqual(['a1', 'b1']);
  await Promise.all(runs);
  expect([...one.signed, ...other.signed]).toEqual(['a1', 'b1']);
});

it('a series that is being signed is shown as under way, and for nobody to approve', async () => {
  const series = new SeriesSigning();
  const waiting = { awaitingApproval: true, canApprove: true, active: false };
  await series.run('a', ['1'], async () => {
    expect(series.shown('a', waiting)).toEqual({
      awaitingApproval: false,
      canApprove: false,
      active: true,
      canPause: false,
    });
    expect(series.shown('b', waiting)).toEqual(waiting);
  });
  expect(series.shown('a', waiting)).toEqual(waiting);
});
