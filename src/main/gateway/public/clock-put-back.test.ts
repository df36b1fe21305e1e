import { expect, it } from 'vitest';
import type { ChainData } from '../../ports/chain-data.ts';
import { StillClock } from '../../test-support/still-clock.ts';
import { FollowedAddresses } from './followed-addresses.ts';
import { HeaderLookUps, type WorkedHeaders } from './header-look-ups.ts';

const HOUR_MS = 3_600_000;

it('followed addresses are asked about again where the clock was put back', async () => {
  const clock = new StillClock(10 * HOUR_MS);
  let asked = 0;
  const history: ChainData['history'] = async () => {
    asked += 1;
    return { basis: 'told', value: undefined } as never;
  };
  const chainData = { history } as Partial<ChainData> as ChainData;
  const addresses = () => '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2';
  const followed = new FollowedAddresses({ chainData, clock, addresses });
  await followed.transactions();
  await followed.transactions();
  expect(asked).toBe(1);
  clock.advance(-HOUR_MS);
  await followed.transactions();
  await followed.transactions();
  expect(asked).toBe(2);
});

it('headers are read again for an unknown block where the clock was put back', async () => {
  const clock = new StillClock(10 * HOUR_MS);
  let read = 0;
  const headers: Partial<WorkedHeaders> = {
    tip: null,
    at: () => undefined,
    header: () => undefined,
    refresh: async () => {
      read += 1;
    },
  };
  const lookUps = new HeaderLookUps(headers as WorkedHeaders, clock);
  await lookUps.refresh();
  await lookUps.refresh();
  expect(read).toBe(1);
  clock.advance(-HOUR_MS);
  await lookUps.refresh();
  await lookUps.refresh();
  expect(read).toBe(2);
});
