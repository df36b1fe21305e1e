import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { TokenJob } from '../../../../contract/index.ts';
import { renderPart } from '../../../test-support/render.tsx';
import { ADDRESS, review, TXID } from '../../../test-support/samples.ts';
import { TokenJobList } from './job-list.tsx';
import { TokenJobPage } from './job-page.tsx';

const job: TokenJob = {
  id: 'j1',
  request: { action: 'redeemSplit', token: `${TXID}_0`, to: [{ address: ADDRESS, satoshis: 377 }] },
  symbol: 'MOONCUP',
  state: 'reviewed',
  awaitingApproval: true,
  canApprove: true,
  canCancel: true,
  canRetry: false,
  active: false,
  failure: null,
  review: { ...review, symbol: 'MOONCUP', tokensIn: 500, tokensOut: 377, redeemed: 123 },
  txid: null,
  blockHash: null,
  blockHeight: null,
  createdAt: 0,
  updatedAt: 0,
};

const show = (changes: Partial<TokenJob>) =>
  renderPart(<TokenJobPage id="j1" />, {
    host: { redeemableTokens: { get: () => ({ ...job, ...changes }) } } as never,
  });

describe('a transaction of a redeemable token', () => {
  it('is named by what it does with which token', async () => {
    show({});
    expect(await screen.findByRole('heading', { level: 1, name: 'Redeem a part of MOONCUP' })).toBeTruthy();
    expect(screen.getByText('Nothing is signed before you approve it.')).toBeTruthy();
  });

  it('does not mention the approval once it is mined', async () => {
    show({ state: 'mined', awaitingApproval: false, txid: TXID, blockHeight: 130 });
    expect(await screen.findByText('Mined in block 130.')).toBeTruthy();
    expect(screen.queryByText('Nothing is signed before you approve it.')).toBeNull();
  });

  it('counts one owner as one', async () => {
    const to = [{ address: ADDRESS, satoshis: 500 }];
    show({ request: { action: 'issue', contract: `${TXID}_0`, splittable: true, to } });
    expect(await screen.findByText(/^You issue .* of MOONCUP to one owner\./)).toBeTruthy();
  });

  it('lists only the redeemed part where a token was redeemed in part', async () => {
    renderPart(<TokenJobList jobs={[job]} />);
    const row = await screen.findByRole('row', { name: /MOONCUP/ });
    expect(row.textContent).toContain('123');
    expect(row.textContent).not.toContain('500');
  });
});
