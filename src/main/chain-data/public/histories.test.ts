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
