import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import type {
  SubmittedTransaction,
  TrackedPage,
  TrackedQuery,
  TrackedTransaction,
} from '../../../../contract/index.ts';
import { refusal } from '../../../test-support/fake-host.ts';
import { renderPart } from '../../../test-support/render.tsx';
import { tracked } from '../../../test-support/samples.ts';
import { HistoryPage } from './history-page.tsx';

const at = (n: number, rest: Partial<TrackedTransaction> = {}): TrackedTransaction => ({
  ...tracked,
  txid: String(n).padStart(64, '0'),
  ...rest,
});
const refused = at(1, {
  state: 'failed',
  reason: { code: 'fee-too-low', text: 'Not enough fees', advice: 'Pay more.', retriedByItself: false },
});
const page = (transactions: TrackedTransaction[], next: string | null = null): TrackedPage => ({
  transactions,
  next,
});

const counts = () => ({ seen: 2, failed: 1 });

describe('the history of submitted transactions', () => {
  it('says what it is for where nothing was sent', async () => {
    renderPart(<HistoryPage />, { host: { tx: { counts, list: () => page([]) } } });
    expect(await screen.findByText('Nothing was sent yet')).toBeDefined();
  });

  it('shows origin, state and the reason of a failure', async () => {
    renderPart(<HistoryPage />, { host: { tx: { counts, list: () => page([at(2, { label: 'Rent' }), refused]) } } });
    const [, , first, second] = await screen.findAllByRole('row');
    expect(within(first as HTMLElement).getByText('In the mempool')).toBeDefined();
    expect(within(first as HTMLElement).getByText('Rent')).toBeDefined();
    expect(within(second as HTMLElement).getByText('Failed')).toBeDefined();
    expect(within(second as HTMLElement).getByText('Not enough fees')).toBeDefined();
  });

  it('groups them by day, and marks what each miner last said', async () => {
    const answers = [
      { minerId: 'default', name: 'Default', status: 'success', accepted: true },
      { minerId: 'arc', name: 'Taal', status: 'REJECTED', accepted: false },
    ];
    const now = Date.now();
    const list = () => page([at(3, { createdAt: now, answers }), at(2, { createdAt: now - 400 * 86_400_000 })]);
    renderPart(<HistoryPage />, { host: { tx: { counts, list } } });
    const marked = (await screen.findByRole('img', { name: 'Default accepted: success' })).closest('[role="row"]');
    expect(within(marked as HTMLElement).getByRole('img', { name: 'Taal refused: REJECTED' })).toBeDefined();
    const days = screen.getAllByRole('rowheader').map(({ textContent }) => textContent);
    expect(days).toEqual(['Today', expect.stringMatching(/, 20\d\d$/)]);
  });

  it('asks the host for a state, an origin and a text, and says so where nothing fits', async () => {
    const asked: (TrackedQuery | undefined)[] = [];
    const list = (query?: TrackedQuery): TrackedPage => {
      if (query?.limit !== 1) asked.push(query);
      return page(query?.states === undefined ? [at(2)] : []);
    };
    const user = renderPart(<HistoryPage />, { host: { tx: { counts, list } }, at: '/transactions?origin=mint' });
    await screen.findAllByRole('row');
    expect(asked.at(-1)).toMatchObject({ origins: ['mint'] });
    await user.type(screen.getByLabelText('Txid or label'), 'rent');
    await waitFor(() => expect(asked.at(-1)).toMatchObject({ origins: ['mint'], search: 'rent' }));
    await user.click(screen.getByRole('combobox', { name: 'Filter by state' }));
    await user.click(await screen.findByRole('option', { name: 'Failed (1)' }));
    await waitFor(() => expect(asked.at(-1)).toMatchObject({ states: ['failed'], search: 'rent' }));
    expect(await screen.findByText('Nothing matches.')).toBeDefined();
    expect(location.hash).toBe('#/transactions?state=failed&origin=mint');
  });

  it('loads older ones when the end comes near, and exports those as well that were not loaded', async () => {
    const all = Array.from({ length: 900 }, (_, n) => at(n));
    const list = ({ limit = 100, after = '0' }: TrackedQuery = {}): TrackedPage => {
      const end = Number(after) + limit;
      return page(all.slice(Number(after), end), end < all.length ? String(end) : null);
    };
    const saved: Blob[] = [];
    const create = vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => {
      saved.push(blob as Blob);
      return 'blob:x';
    });
    const user = renderPart(<HistoryPage />, { host: { tx: { counts, list } } });
    expect(await screen.findByText('200 loaded, there are older ones')).toBeDefined();
    await user.click(screen.getByRole('button', { name: 'Load older' }));
    expect(await screen.findByText('400 loaded, there are older ones')).toBeDefined();
    await user.click(screen.getByRole('button', { name: 'Export' }));
    await user.click(await screen.findByRole('menuitem', { name: 'As JSON' }));
    await waitFor(() => expect(saved).toHaveLength(1));
    create.mockRestore();
    expect(JSON.parse(await (saved[0] as Blob).text())).toHaveLength(900);
  });

  it('sends the chosen ones again that may succeed now, and says what became of them', async () => {
    const passing = at(3, {
      state: 'failed',
      reason: { code: 'missing-inputs', text: 'Missing inputs', advice: 'Wait.', retriedByItself: false },
    });
    const other = { ...passing, txid: '4'.padStart(64, '0') };
    const retry = vi.fn(({ txids }: { txids: string[] }) =>
      txids.map((txid): SubmittedTransaction => {
        const reason = txid === other.txid ? other.reason : null;
        return { txid, state: 'submitted', sent: true, reason, advice: null, checks: [], endpoints: [] };
      }),
    );
    const list = () => page([at(2), refused, passing, other]);
    const user = renderPart(<HistoryPage />, { host: { tx: { counts, list, retry } } });
    for (const box of (await screen.findAllByRole('checkbox')).slice(1)) await user.click(box);
    await user.click(screen.getByRole('button', { name: /^Send again/ }));
    expect(await screen.findByText('Sent again: 1 accepted, 1 refused.')).toBeDefined();
    expect(retry.mock.calls).toEqual([[{ txids: [passing.txid, other.txid] }]]);
  });

  it('explains why the host cannot say, and tries again', async () => {
    let fails = true;
    const list = (): TrackedPage => {
      if (fails) throw refusal({ code: 'store-failed', message: 'The disk failed.' });
      return page([at(2)]);
    };
    const user = renderPart(<HistoryPage />, { host: { tx: { counts, list } } });
    expect(await screen.findByText('The disk failed.')).toBeDefined();
    fails = false;
    await user.click(screen.getByRole('button', { name: 'Try again' }));
    // the columns, the day, the transaction
    expect(await screen.findAllByRole('row')).toHaveLength(3);
  });
});
