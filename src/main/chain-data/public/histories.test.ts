import { expect, it } from 'vitest';
import { StillClock } from '../../test-support/still-clock.ts';
import type { HistorySource } from '../sources/transaction-source.ts';
import { Histories } from './histories.ts';

it('the second operator is asked for one address after the other also where the clock was put back', async () => {
  const clock = new StillClock(Date.parse('2026-11-22T12:00:00Z'));
  const histories = new Histories(clock);
  const asked: string[][] = [[], []];
  const sources = ['first', 'second'].map((name, index) => ({
    name,
    operator: name,
    history: async (addresses: readonly string[]) => {
      asked[index]?.push(...addresses);
      return { state: 'present', value: addresses.map((address) => ({ address, rows: [], cut: undefined })) };
    },
  })) as unknown as HistorySource[];
  const addresses = Array.from({ length: 30 }, (_, n) => `address ${n}`);
  const second = async (): Promise<readonly string[]> => {
    asked[1] = [];
    await histories.read(sources, addresses);
    return asked[1];
  };
  expect(await second()).toEqual(addresses);
  expect(await second()).toEqual([]);
  clock.advance(600_000);
  expect(await second()).toHaveLength(1);
  clock.advance(-3_600_000);
  expect(await second()).toEqual([]);
  clock.advance(600_000);
  expect(await second()).toHaveLength(1);
});

it('an older answer that comes last does not undo what a newer one told', async () => {
  const clock = new StillClock(Date.parse('2026-11-22T12:00:00Z'));
  const histories = new Histories(clock);
  const answers: ((height: number | null) => void)[] = [];
  const source = {
    name: 'first',
    operator: 'first',
    history: ([address]: readonly string[]) =>
      new Promise((resolve) => {
        answers.push((height) =>
          resolve({
            state: 'present',
            value: [{ address, rows: [{ address, txid: 'payment', height }], cut: undefined }],
          }),
        );
      }),
  } as unknown as HistorySource;
  const heightsOf = async (reading: ReturnType<Histories['read']>): Promise<(number | null)[]> =>
    (await reading).rows.map(({ height }) => height);
  const [older, newer] = [histories.read([source], ['address']), histories.read([source], ['address'])];
  answers[1]?.(7);
  expect(await heightsOf(newer)).toEqual([7]);
  answers[0]?.(null);
  expect(await heightsOf(older)).toEqual([7]);
  expect(histories.minedAt('first', 'payment')).toBe(7);
  const [before, after] = [histories.read([source], ['address']), histories.read([source], ['address'])];
  answers[3]?.(8);
  expect(await heightsOf(after)).toEqual([8]);
  answers[2]?.(7);
  expect(await heightsOf(before)).toEqual([8]);
  expect(histories.minedAt('first', 'payment')).toBe(8);
});

it('what the second operator said to wait is not believed for as long as the clock was ahead', async () => {
  const clock = new StillClock(Date.parse('2027-11-22T12:00:00Z'));
  const histories = new Histories(clock);
  const sources = ['first', 'second'].map((name) => ({
    name,
    operator: name,
    history: async (addresses: readonly string[]) => ({
      state: 'present',
      value: addresses.map((address) => ({
        ...{ address, cut: undefined },
        rows: name === 'first' ? [] : [{ address, txid: 'payment', height: null }],
      })),
    }),
  })) as unknown as HistorySource[];
  expect((await histories.read(sources, ['address'])).rows).toHaveLength(1);
  clock.advance(-365 * 86_400_000);
  expect((await histories.read(sources, ['address'])).rows).toEqual([]);
});

it('an address that was read while the clock was ahead is the next that the second operator is asked for', async () => {
  const clock = new StillClock(Date.parse('2026-11-22T12:00:00Z'));
  const histories = new Histories(clock);
  let asked: readonly string[] = [];
  const sources = ['first', 'second'].map((name) => ({
    name,
    operator: name,
    history: async (addresses: readonly string[]) => {
      if (name === 'second') asked = addresses;
      return { state: 'present', value: addresses.map((address) => ({ address, rows: [], cut: undefined })) };
    },
  })) as unknown as HistorySource[];
  await histories.read(sources, ['a', 'b']);
  clock.advance(3_600_000);
  await histories.read(sources, ['a', 'b', 'c']);
  clock.advance(-3_000_000);
  await histories.read(sources, ['a', 'b', 'c', 'd']);
  clock.advance(600_000);
  await histories.read(sources, ['a', 'b', 'c', 'd']);
  expect(asked).toEqual(['a']);
});
