import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { renderPart } from '../../../test-support/render.tsx';
import { ADDRESS, appInfo, TXID } from '../../../test-support/samples.ts';
import { askedOf, NEWEST_FIRST, NO_FILTER } from './filter.ts';
import { useTokenPages } from './use-pages.ts';

const card = (n: number) => ({
  outpoint: `${TXID}_${n}`,
  origin: `${TXID}_${n}`,
  name: `Moon ${n}`,
  number: n,
  rank: null,
  source: 'minted' as const,
  owned: true,
  address: ADDRESS,
  read: true,
  projectUid: null,
  projectName: null,
  itemId: null,
  collectionId: null,
  content: null,
  traits: [],
  state: 'proven' as const,
  blockHeight: 5,
  at: 1,
});

const asked = askedOf(NO_FILTER, NEWEST_FIRST);

function Probe() {
  const { pages, look } = useTokenPages(asked);
  return (
    <>
      <output>
        {[0, 50, 9_950].map((index) => pages?.at(index)?.name ?? 'none').join(', ')}, {pages?.indexOf(`${TXID}_9950`)}
      </output>
      <button type="button" onClick={() => look(9_940, 9_960)}>
        far
      </button>
    </>
  );
}

it('the wall of tokens fetches the pages that are looked at, and keeps the first', async () => {
  const asked: number[] = [];
  const user = renderPart(<Probe />, {
    live: { app: appInfo },
    host: {
      tokens: {
        list: ({ offset = 0, limit = 100 }) => {
          asked.push(offset);
          return { tokens: Array.from({ length: limit }, (_, n) => card(offset + n)), total: 10_000 };
        },
      },
    },
  });
  expect(await screen.findByText('Moon 0, Moon 50, none, -1')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'far' }));
  expect(await screen.findByText('Moon 0, Moon 50, Moon 9950, 9950')).toBeTruthy();
  expect(asked).toEqual([0, 9_900]);
});

it('the wall of tokens asks again while the host has tokens to read, and then no more', async () => {
  let asked = 0;
  renderPart(<Probe />, {
    live: { app: appInfo },
    host: {
      tokens: {
        list: () => {
          asked++;
          const read = asked > 1;
          return { tokens: [{ ...card(0), read, name: read ? 'Moon' : '' }], total: 1 };
        },
      },
    },
  });
  expect(await screen.findByText(/^Moon,/)).toBeTruthy();
  expect(asked).toBe(2);
});
