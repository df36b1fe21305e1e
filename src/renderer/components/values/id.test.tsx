import { screen } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { renderPart } from '../../test-support/render.tsx';
import { ADDRESS, appInfo, TXID } from '../../test-support/samples.ts';
import { InRow } from './hint.tsx';
import { Id } from './values.tsx';

const live = { app: appInfo };
const names = vi.fn(({ ids }: { ids: string[] }) => (ids.includes(TXID) ? { [TXID]: 'First light' } : {}));
const host = { search: { names } };

it('an id of each kind links to its page', () => {
  renderPart(
    <>
      <Id value={TXID} kind="transaction" />
      <Id value={TXID} kind="block" />
      <Id value={`${TXID}_1`} kind="output" />
      <Id value={ADDRESS} kind="address" />
    </>,
    { live, host },
  );
  expect(screen.getAllByRole('link').map((link) => link.getAttribute('href'))).toEqual([
    `#/tx/${TXID}`,
    `#/explorer/block/${TXID}`,
    `#/explorer/outpoint/${TXID}_1`,
    `#/explorer/address/${ADDRESS}`,
  ]);
});

it('an id has no link if the thing does not exist yet', () => {
  renderPart(<Id value={TXID} kind="transaction" to={null} />, { live, host });
  expect(screen.queryByRole('link')).toBeNull();
});

it('an id shows its known name, requested once, except in rows', async () => {
  names.mockClear();
  renderPart(
    <>
      <Id value={TXID} kind="transaction" />
      <Id value={ADDRESS} kind="address" />
      <InRow value={true}>
        <Id value={TXID} kind="transaction" />
      </InRow>
    </>,
    { live, host },
  );
  await screen.findByText('First light');
  expect(screen.getAllByText('First light')).toHaveLength(1);
  expect(names.mock.calls.map(([{ ids }]) => ids)).toEqual([[TXID, ADDRESS]]);
});
