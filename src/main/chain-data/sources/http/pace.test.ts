import { expect, it } from 'vitest';
import { type Asker, askingFor, type Progress, TooManyWait } from '../../../async/asker.ts';
import { HandClock } from '../../../gateway/test-support/hand-clock.ts';
import { Pace } from './pace.ts';

const askerOf = (name: string, mostWaitMs = 1_000_000): Asker => ({
  name,
  title: name,
  mostWaitMs,
  asked: 0,
  waiting: 0,
});

it('each asker gets a turn after the other, however many of one wait', async () => {
  const clock = new HandClock();
  const pace = new Pace(clock, 100);
  const given: string[] = [];
  const [busy, calm] = [askerOf('busy'), askerOf('calm')];
  const ask = (asker: Asker | undefined, name: string) =>
    askingFor(asker, () => pace.turn()).then(() => given.push(`${name} ${clock.time}`));
  for (let n = 0; n < 6; n++) void ask(busy, 'busy');
  void ask(calm, 'calm');
  void ask(undefined, 'own');
  expect([busy.waiting, calm.waiting]).toEqual([5, 1]);
  await clock.pass(0);
  for (let step = 0; step < 7; step++) await clock.pass(100);
  expect(given).toEqual(['busy 0', 'busy 100', 'calm 200', 'own 300', 'busy 400', 'busy 500', 'busy 600', 'busy 700']);
  expect([busy, calm].map(({ asked, waiting }) => [asked, waiting])).toEqual([
    [6, 0],
    [1, 0],
  ]);
});

it('an asker begins no wait that is too long, and is told how long it would be', async () => {
  const clock = new HandClock();
  const pace = new Pace(clock, 100);
  const [busy, calm] = [askerOf('busy', 250), askerOf('calm', 250)];
  const results = await Promise.allSettled(
    Array.from({ length: 1_000 }, () => askingFor(busy, () => Promise.race([pace.turn(), Promise.resolve('waits')]))),
  );
  const refused = results.flatMap((one) => (one.status === 'rejected' ? [one.reason as TooManyWait] : []));
  expect(refused).toHaveLength(997);
  expect(refused[0]).toBeInstanceOf(TooManyWait);
  expect(refused[0]).toMatchObject({ asker: 'busy', waitMs: 300 });
  // another one has its own place
  const other = askingFor(calm, () => pace.turn());
  for (let step = 0; step < 4; step++) await clock.pass(100);
  expect(await other).toBe(0);
});

it('each asker is told how many turns go before it, as it is now, and when its own is likely', async () => {
  const clock = new HandClock();
  const pace = new Pace(clock, 100);
  const [busy, calm] = [askerOf('busy'), askerOf('calm')];
  const asked = [busy, busy, busy, calm, calm].map((asker) => {
    const progress: Progress = { sent: 0, waiting: new Set(), parts: undefined };
    void askingFor(asker, () => pace.turn(), progress);
    return progress;
  });
  const places = () => asked.map(({ waiting }) => [...waiting].map((turn) => [turn.before(), turn.inMs()])[0]);
  // busy was given the first turn at once; then it and calm take turns
  expect(places()).toEqual([undefined, [0, 100], [2, 300], [1, 200], [3, 400]]);
  await clock.pass(0);
  await clock.pass(100);
  expect(places()).toEqual([undefined, undefined, [1, 200], [0, 100], [2, 300]]);
  for (let step = 0; step < 3; step++) await clock.pass(100);
  expect(asked.map(({ sent, waiting }) => [sent, waiting.size])).toEqual(asked.map(() => [1, 0]));
});

it('nobody is kept waiting for an operator that wants to be left alone', async () => {
  const clock = new HandClock();
  const pace = new Pace(clock, 100);
  expect(await pace.turn()).toBe(0);
  const waiting = pace.turn();
  pace.pause(5_000);
  expect(await waiting).toBe(5_000);
  expect(await pace.turn()).toBe(5_000);
  expect(clock.waiting).toBe(0);
});

it('nobody waits for a time of a clock that was put back since', async () => {
  const clock = new HandClock();
  const pace = new Pace(clock, 100);
  expect(await pace.turn()).toBe(0);
  clock.time -= 3_600_000;
  expect(await Promise.race([pace.turn(), Promise.resolve('waits')])).toBe(0);
  pace.pause(60_000);
  expect(await pace.turn()).toBe(60_000);
  clock.time -= 3_600_000;
  expect(await Promise.race([pace.turn(), Promise.resolve('waits')])).toBe(0);
});
