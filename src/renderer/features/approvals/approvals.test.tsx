import { useQueryClient } from '@tanstack/react-query';
import { act, screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { Approval, ApprovalList, DecodedTransaction } from '../../../contract/index.ts';
import { useWaitingApprovals } from '../../api/approvals.ts';
import { routes } from '../../lib/routes.ts';
import { refusal } from '../../test-support/fake-host.ts';
import { renderPart } from '../../test-support/render.tsx';
import { DIGEST, tracked } from '../../test-support/samples.ts';
import { ApprovalSheet } from './approval-sheet.tsx';
import { ApprovalsPage } from './approvals-page.tsx';
import { ApprovalsBackground } from './background.tsx';

const HOUR_MS = 3_600_000;
const nothing: ApprovalList = { waiting: [], permissions: [], records: [] };

const pending: Approval = {
  id: 'a1',
  kind: 'budget',
  program: 'writer',
  method: 'documents',
  amount: 10_000,
  askedAt: Date.now(),
  transactions: [],
  transactionCount: 0,
  cap: 50_000,
  expiresAt: Date.now() + HOUR_MS,
  digest: DIGEST,
};

/** A host with one pending request until it is decided. */
function draw(decided: unknown[], waiting: Approval = pending) {
  const list = (): ApprovalList => (decided.length === 0 ? { ...nothing, waiting: [waiting] } : nothing);
  const decide = (how: string) => (input: object) => {
    decided.push({ how, ...input });
  };
  return renderPart(<ApprovalsPage />, {
    host: { approvals: { list, approve: decide('approve'), deny: decide('deny') } },
  });
}

describe('the approvals page', () => {
  it('says that nothing is pending, and what would be', async () => {
    renderPart(<ApprovalsPage />, { host: { approvals: { list: () => nothing } } });
    expect(await screen.findByRole('heading', { name: 'Nothing waits for you' })).toBeDefined();
    expect(screen.getByText(/Programs may ask once/)).toBeDefined();
    expect(screen.getByText('None. Every request is asked about.')).toBeDefined();
    expect(screen.queryByRole('button', { name: 'Approve' })).toBeNull();
  });

  it('shows a request and approves exactly what was shown', async () => {
    const decided: unknown[] = [];
    const user = draw(decided);
    const request = await screen.findByRole('region', { name: 'writer asks for more money today' });
    expect(request.textContent).toContain('10,000 sat');
    expect(request.textContent).toContain('50,000 sat');
    await user.click(within(request).getByRole('button', { name: 'Approve' }));
    expect(await screen.findByText('Nothing waits for you')).toBeDefined();
    expect(decided).toEqual([{ how: 'approve', id: 'a1', digest: DIGEST }]);
  });

  it('says once that a coin of the transaction is spent already, and that nothing is sent then', async () => {
    const sentence = { key: 'check.input-mined', values: { inputs: '0', txid: DIGEST, height: 7 } };
    const text = `${DIGEST} in block 7 spent the coin of input 0.`;
    const tx: DecodedTransaction = {
      ...{ txid: DIGEST, format: 'raw', version: 1, lockTime: 0, bytes: 10, dataBytes: 0, rawTx: null },
      ...{ fee: null, feeRate: null, inputCount: 0, outputCount: 0, inputs: [], outputs: [], state: null },
      warnings: [{ code: 'input-mined', text, sentence }],
      checks: [{ code: 'input-mined', text, sentence, value: 1, limit: 0, skippable: true }],
    };
    draw([], { ...pending, kind: 'broadcast', transactions: [tx], transactionCount: 1 });
    expect(await screen.findAllByText(/in block 7 spent the coin/)).toHaveLength(1);
    expect(screen.getByText(/^The checks keep it back even if you approve.*nothing is sent or paid\.$/)).toBeTruthy();
  });

  it('denies a request and says so', async () => {
    const decided: unknown[] = [];
    const user = draw(decided);
    await user.click(await screen.findByRole('button', { name: 'Deny' }));
    expect(await screen.findByText('Nothing waits for you')).toBeDefined();
    expect(decided).toEqual([{ how: 'deny', id: 'a1' }]);
  });

  it('remembers a permission within limits, with a daily limit no lower than that of one request', async () => {
    const decided: { remember?: { mostEach: number; mostPerDay: number } }[] = [];
    const user = draw(decided);
    await user.click(await screen.findByRole('button', { name: 'Remember…' }));
    const perDay = screen.getByRole('textbox', { name: 'Each day, up to' });
    await user.clear(perDay);
    await user.type(perDay, '9000');
    expect(screen.getByText('At least as much as one request')).toBeDefined();
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Approve and remember' }).disabled).toBe(true);
    await user.type(perDay, '0');
    await user.click(screen.getByRole('button', { name: 'Approve and remember' }));
    await expect.poll(() => decided.length).toBe(1);
    expect(decided[0]?.remember).toMatchObject({ mostEach: 10_000, mostPerDay: 90_000 });
  });

  it('says that a request ended before it was approved, and shows the current state', async () => {
    let over = false;
    const user = renderPart(<ApprovalsPage />, {
      host: {
        approvals: {
          list: () =>
            over
              ? {
                  ...nothing,
                  records: [{ ...pending, decidedAt: Date.now(), outcome: 'denied', reason: 'timeout' }],
                }
              : { ...nothing, waiting: [{ ...pending, expiresAt: Date.now() - HOUR_MS }] },
          approve: () => {
            over = true;
            throw refusal({ code: 'not-found', message: 'The request no longer waits.' });
          },
        },
      },
    });
    // The request has expired; the host reports it in a moment.
    expect(await screen.findByText('1 s')).toBeDefined();
    await user.click(screen.getByRole('button', { name: 'Approve' }));
    const records = await screen.findByRole('region', { name: 'Last decisions' });
    expect(records.textContent).toContain('Nobody decided in time');
    expect(records.textContent).toContain('Denied');
    expect(screen.queryByRole('button', { name: 'Approve' })).toBeNull();
  });

  it.each([
    { outputCount: 1, amount: 10_000, paid: '9,000' },
    { outputCount: 1_001, amount: 60_000, paid: '59,000' },
  ])('says in one sentence what an approval does, with $outputCount outputs', async ({ outputCount, amount, paid }) => {
    const output = { index: 0, satoshis: 9_000, address: null, scriptAsm: '', inscription: null, data: null };
    const tx: DecodedTransaction = {
      ...{ txid: DIGEST, format: 'raw', version: 1, lockTime: 0, bytes: 10, dataBytes: 0, rawTx: null },
      ...{ fee: 1_000, feeRate: null, inputCount: 0, outputCount, inputs: [], outputs: [output], state: null },
      ...{ warnings: [], checks: [] },
    };
    draw([], { ...pending, kind: 'broadcast', amount, transactions: [tx], transactionCount: 1 });
    const sentence = new RegExp(`it pays ${paid} sat.* and 1,000 sat.* in fees, and cannot be taken back\\.$`);
    expect(await screen.findByText(sentence)).toBeDefined();
  });

  it.each([
    ['the sheet', () => <ApprovalSheet waiting={useWaitingApprovals()} onClose={() => {}} />],
    ['the page', ApprovalsPage],
  ])('shows the result of a decision in its place, on %s', async (_, View) => {
    const decided: ApprovalList['records'] = [];
    const record = {
      ...pending,
      kind: 'broadcast',
      decidedAt: Date.now(),
      outcome: 'approved',
      reason: 'person',
    } as const;
    const host = {
      approvals: {
        list: () => ({ ...nothing, waiting: decided.length === 0 ? [pending] : [], records: decided }),
        approve,
      },
      tx: { get: () => ({ ...tracked, rawTx: null, events: [], proof: null }) },
    };
    function approve(): void {
      decided.push({ ...record, txids: [tracked.txid] });
    }
    const user = renderPart(<View />, { host });
    await user.click(await screen.findByRole('button', { name: 'Approve' }));
    const [first] = await screen.findAllByText('In the mempool');
    const result = first?.closest('[role="status"]');
    expect(result?.textContent).toContain('Approved');
    expect(
      within(result as HTMLElement)
        .getByRole('link')
        .getAttribute('href'),
    ).toBe(`#/transactions/${tracked.txid}`);
  });

  it('names the rival of an approved transaction that was not sent, which is no success', async () => {
    const records: ApprovalList['records'] = [];
    const rival = 'cd'.repeat(32);
    const reason = {
      code: 'double-spend',
      text: `${rival} spends the coin of input 0 as well.`,
      advice: '',
      retriedByItself: false,
    };
    const approve = (): void => {
      records.push({
        ...{ ...pending, kind: 'broadcast', decidedAt: Date.now() },
        ...{ outcome: 'approved', reason: 'person', txids: [tracked.txid] },
      });
    };
    const tx = { ...tracked, state: 'failed', reason, rawTx: null, events: [], proof: null };
    const list = () => ({ ...nothing, waiting: records.length === 0 ? [pending] : [], records });
    const user = renderPart(<ApprovalsPage />, {
      host: { approvals: { list, approve }, tx: { get: () => tx } } as never,
    });
    await user.click(await screen.findByRole('button', { name: 'Approve' }));
    const result = await screen.findByRole('status');
    expect(await within(result).findByRole('link', { name: 'cdcd…cdcd' })).toBeTruthy();
    expect(result.dataset.tone).toBe('fail');
  });

  it('does not show as a result of this view what a permission approved by itself', async () => {
    const record = { ...pending, id: 'b', decidedAt: Date.now(), outcome: 'approved', reason: 'remembered' } as const;
    const records: ApprovalList['records'] = [];
    const list = () => ({ ...nothing, waiting: [pending], records });
    function Refresh() {
      const queries = useQueryClient();
      return <button type="button" aria-label="Refresh" onClick={() => void queries.invalidateQueries()} />;
    }
    const parts = (
      <>
        <ApprovalsPage />
        <Refresh />
      </>
    );
    const user = renderPart(parts, { host: { approvals: { list } } });
    await screen.findByRole('button', { name: 'Approve' });
    records.push(record);
    await user.click(screen.getByRole('button', { name: 'Refresh' }));
    await screen.findByRole('region', { name: 'Last decisions' });
    expect(screen.queryByRole('status')).toBeNull();
  });

  it('links an approved request to its transaction', async () => {
    const txid = 'ab'.repeat(32);
    const decided = { ...pending, decidedAt: Date.now(), reason: 'person' } as const;
    const records = [
      { ...decided, id: 'a', outcome: 'approved', txids: [txid] },
      { ...decided, id: 'b', outcome: 'denied' },
    ] as const;
    renderPart(<ApprovalsPage />, { host: { approvals: { list: () => ({ ...nothing, records }) as never } } });
    const region = await screen.findByRole('region', { name: 'Last decisions' });
    const links = within(region).getAllByRole('link');
    expect(links.map((link) => link.getAttribute('href'))).toEqual([expect.stringContaining(`/transactions/${txid}`)]);
  });

  it('revokes a remembered permission at once', async () => {
    const revoked: string[] = [];
    const user = renderPart(<ApprovalsPage />, {
      host: {
        approvals: {
          list: () => ({
            ...nothing,
            permissions:
              revoked.length > 0
                ? []
                : [
                    {
                      id: 'p1',
                      kind: 'broadcast',
                      program: 'shop',
                      method: 'sendrawtransaction',
                      mostEach: 1_000,
                      mostPerDay: 5_000,
                      usedToday: 2_000,
                      createdAt: Date.now() - HOUR_MS,
                      expiresAt: Date.now() - 1,
                      lastUsedAt: null,
                    },
                  ],
          }),
          revoke: ({ id }) => {
            revoked.push(id);
          },
        },
      },
    });
    expect(await screen.findByText(/^Up to 1,000 sat each; 2,000 sat of 5,000 sat used today\. Ended /)).toBeDefined();
    await user.click(screen.getByRole('button', { name: 'Revoke the permission of shop' }));
    expect(await screen.findByText('None. Every request is asked about.')).toBeDefined();
    expect(revoked).toEqual(['p1']);
  });
});

describe('the message about a pending request', () => {
  const host = { approvals: { list: (): ApprovalList => ({ ...nothing, waiting: [pending] }) } };
  const review = { name: 'Review' };

  it('is shown on every page but that of the approvals', async () => {
    renderPart(<ApprovalsBackground />, { host });
    expect(await screen.findByRole('button', review)).toBeDefined();
    await act(() => {
      location.hash = routes.approvals;
    });
    await expect.poll(() => screen.queryByRole('button', review)).toBeNull();
  });

  it('is not shown while the approvals page is open', async () => {
    renderPart(
      <>
        <ApprovalsBackground />
        <ApprovalsPage />
      </>,
      { host, at: routes.approvals },
    );
    await screen.findByRole('region', { name: 'writer asks for more money today' });
    expect(screen.queryByRole('button', review)).toBeNull();
  });
});
