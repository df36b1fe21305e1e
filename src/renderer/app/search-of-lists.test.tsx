import { act, screen, waitFor } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { PlanchetError, type TokenJob } from '../../contract/index.ts';
import german from '../../contract/languages/de/catalogue.ts';
import { Jobs } from '../features/mint/jobs/jobs.tsx';
import { TokenJobList } from '../features/redeemable-tokens/jobs/job-list.tsx';
import { i18n } from '../i18n/index.ts';
import { addLanguage } from '../i18n/languages.ts';
import { renderPart } from '../test-support/render.tsx';
import { ADDRESS, job, review, summaryOf, TXID } from '../test-support/samples.ts';

const failure = new PlanchetError('general.disk-full').toFailure();
const own = { awaitingApproval: false, failure: null };
const mints = [
  summaryOf({ ...job, ...own, id: 'a', state: 'mined' }),
  summaryOf({ ...job, ...own, id: 'b', state: 'signed', failure }),
  summaryOf({ ...job, ...own, id: 'c', state: 'signed', failure, active: true }),
];
const payment: TokenJob = {
  ...{ id: 'a', symbol: 'CUP', state: 'mined', canApprove: false, canCancel: false, canRetry: false, active: false },
  ...{ ...own, txid: TXID, blockHash: null, blockHeight: 7, createdAt: 0, updatedAt: 0 },
  request: { action: 'redeemSplit', token: `${TXID}_0`, to: [{ address: ADDRESS, satoshis: 377 }] },
  review: { ...review, symbol: 'CUP', tokensIn: 500, tokensOut: 377, redeemed: 123 },
};
const waiting: TokenJob = { ...payment, id: 'b', state: 'reviewed', awaitingApproval: true };
const mint = { list: () => ({ jobs: mints, next: null }) };
const host = { mint, runs: { list: () => ({ runs: [], next: null }) }, projects: { list: () => [] } };

afterEach(async () => {
  await act(() => i18n.changeLanguage('en'));
});

it.each([
  ['mints', <Jobs key="" />, ['mined', 'failed', 'retrying']],
  ['transactions of tokens', <TokenJobList key="" jobs={[payment, waiting]} />, ['mined', 'awaiting']],
] as const)(
  'the search of %s finds a row by the words of its state in the language of the page',
  async (_, part, states) => {
    addLanguage('de', german);
    await act(() => i18n.changeLanguage('de'));
    const user = renderPart(part, { host: host as never });
    const rows = () => screen.getAllByRole('row').slice(1);
    await waitFor(() => expect(rows()).toHaveLength(states.length));
    const field = screen.getByRole('textbox');
    for (const state of states) {
      const words = i18n.t(`common.state.${state}`);
      await user.clear(field);
      await user.type(field, words);
      await waitFor(() => expect(rows()).toHaveLength(1));
      expect(rows()[0]?.textContent).toContain(words);
    }
  },
);
