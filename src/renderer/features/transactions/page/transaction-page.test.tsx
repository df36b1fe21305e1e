import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import {
  PlanchetError,
  phrase,
  type RivalTransaction,
  type TrackedDetail,
  type TransactionReason,
  type TransactionView,
} from '../../../../contract/index.ts';
import { shortenId } from '../../../lib/format.ts';
import type { HostAnswers } from '../../../test-support/fake-host.ts';
import { renderPart } from '../../../test-support/render.tsx';
import { job, summaryOf } from '../../../test-support/samples.ts';
import {
  answer,
  blockHash,
  coinbase,
  detail,
  event,
  header,
  notFound,
  ours,
  payment,
  proof,
  reason,
  theirs,
} from './test-transactions.ts';
import { TransactionPage } from './transaction-page.tsx';

function show(shown: Partial<TrackedDetail>, live = {}) {
  const get = (): TrackedDetail => ({ ...detail, ...shown });
  return renderPart(<TransactionPage txid={payment} home="submitted" />, {
    host: { tx: { get }, transactions: { get: notFound } },
    live,
  });
}

describe('the page of a transaction that was submitted from here', () => {
  it('tells its history in words, and shows an answer as it came when asked, as text alone', async () => {
    const user = show({});
    const timeline = await screen.findByRole('region', { name: 'Timeline' });
    expect(within(timeline).getByText('Waiting to be sent')).toBeDefined();
    expect(within(timeline).getByText('Taal answered SEEN_ON_NETWORK')).toBeDefined();
    expect(screen.queryByText(/REJECTED/)).toBeNull();
    await user.click(screen.getByRole('button', { name: /^Show the answer of Taal/ }));
    expect(screen.getByRole('region', { name: 'Answer of Taal' }).textContent).toContain('<b>REJECTED</b>');
    expect(screen.getByText('No signature')).toBeDefined();
    expect(screen.queryByText('Callbacks received')).toBeNull();
  });

  it('tells a miner that gave no usable answer from one that refused, and shortens the ids in its history', async () => {
    const refused = answer('submit', false);
    const silent = { ...refused, raw: null, answer: refused.answer && { ...refused.answer, status: 'upstream-error' } };
    const sentence = phrase('event.spent-in-block', { height: 170, txid: coinbase });
    show({ events: [silent, refused, event({ kind: 'double-spend', sentence })] });
    const timeline = await screen.findByRole('region', { name: 'Timeline' });
    expect(within(timeline).getByText('Taal gave no usable answer: upstream-error')).toBeDefined();
    expect(within(timeline).getByText('Taal answered REJECTED')).toBeDefined();
    expect(within(timeline).getByRole('link').textContent).toBe(shortenId(coinbase));
    expect(timeline.textContent).not.toContain(coinbase);
    const answers = screen.getByRole('region', { name: 'Answers of miners' });
    expect(
      within(answers)
        .getAllByText(/^(Failed|Refused)$/)
        .map((one) => one.textContent),
    ).toEqual(['Failed', 'Refused']);
  });

  it('shows the payload of an envelope to read, who signed it, and copies it as it came', async () => {
    const payload = JSON.stringify({ returnResult: 'success', txid: payment });
    const raw = JSON.stringify({ payload, signature: '3045', publicKey: '02ab', encoding: 'UTF-8' });
    const one = answer('submit', true);
    const user = show({
      events: [
        { ...one, raw, signature: 'valid' },
        { ...one, signature: 'unsigned' },
      ],
    });
    expect(await screen.findByText('Signature valid')).toBeDefined();
    expect(screen.getByText('Not signed')).toBeDefined();
    const [first] = screen.getAllByRole('button', { name: /^Show the answer of Taal/ });
    await user.click(first as HTMLElement);
    const shown = screen.getByRole('region', { name: 'Answer of Taal' }).textContent ?? '';
    expect(JSON.parse(shown)).toMatchObject({ payload: { returnResult: 'success' }, publicKey: '02ab' });
    await user.click(screen.getByRole('button', { name: 'Copy answer' }));
    expect(await navigator.clipboard.readText()).toBe(raw);
  });

  it('says why it failed, what to do, and that nothing is done by itself', async () => {
    show({ state: 'failed', reason, events: [answer('submit', false)] });
    const alert = await screen.findByRole('alert');
    expect(alert.textContent).toContain('Refused: Not enough fees');
    expect(alert.textContent).toContain('Pay at least what the miner asks.');
    expect(alert.textContent).toContain('fee-too-low');
    expect(alert.textContent).not.toContain('by itself');
  });

  it.each([
    ['merchant.refused-inputs-missing', 'missing-inputs', 'failed', true],
    ['merchant.refused-chain', 'too-long-chain', 'failed', true],
    ['merchant.refused-full', 'no-room', 'evicted', true],
    ['merchant.refused-double-spend', 'double-spend', 'failed', false],
    ['merchant.refused-fee', 'fee-too-low', 'failed', false],
    ['merchant.refused-malformed', 'malformed', 'failed', false],
    ['merchant.refused-malformed', 'negative-inputs', 'failed', false],
    ['merchant.refused-not-final', 'not-final', 'failed', true],
    ['merchant.refused-script', 'script-failed', 'failed', false],
    ['merchant.refused-proof', 'proof-invalid', 'failed', false],
    ['merchant.refused-frozen', 'frozen', 'failed', false],
    ['merchant.refused-size', 'too-large', 'failed', false],
    ['merchant.refused-duplicate', 'duplicate-request', 'failed', true],
    ['merchant.refused', 'other', 'failed', false],
    ['merchant.transaction-failed', 'miner-failure', 'queued', true],
    ['merchant.nodes-disagree', 'mixed-results', 'queued', true],
  ] as const)('gives the advice of %s for %s and says that it is %s', async (id, code, state, retried) => {
    const { hint = '' } = new PlanchetError(id, { reason: 'the miner’s text' }).toFailure();
    const isOver = state === 'failed';
    show({ state, reason: { code, text: 'the miner’s text', advice: hint, retriedByItself: !isOver } });
    const note = await screen.findByRole(isOver ? 'alert' : 'status', { name: '' });
    expect(note.textContent).toContain(`${isOver ? 'Refused' : 'Not accepted yet'}: the miner’s text`);
    expect(hint).toMatch(/\S/);
    expect(note.textContent).toContain(hint);
    expect(note.textContent).toContain(code);
    expect(note.textContent?.includes('by itself.')).toBe(!isOver);
    expect(screen.queryByRole('button', { name: 'Send it again' }) !== null).toBe(retried);
  });

  it('says what the checks kept back, and sends it in one press', async () => {
    const retried: unknown[] = [];
    const keptBack: TransactionReason = {
      code: 'fee',
      text: 'It pays 10 sat; Taal asks 113 for 226 bytes.',
      advice: '',
      retriedByItself: false,
      sentence: phrase('check.fee', { fee: 10, miner: 'Taal', asked: 113, bytes: 226 }),
    };
    const host = {
      tx: {
        get: (): TrackedDetail => ({ ...detail, state: 'kept-back', reason: keptBack }),
        retry: (input: unknown) => {
          retried.push(input);
          return [];
        },
      },
      transactions: { get: notFound },
    };
    const user = renderPart(<TransactionPage txid={payment} home="submitted" />, { host });
    expect(await screen.findByText(`Kept back by the checks: ${keptBack.text}`)).toBeTruthy();
    expect(screen.getByText(/^Build it again with a higher fee/)).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'Send it all the same' }));
    await waitFor(() => expect(retried).toEqual([{ txids: [payment] }]));
  });

  it('says that it is sent again where Planchet does so', async () => {
    show({ state: 'queued', reason: { ...reason, retriedByItself: true } });
    expect(await screen.findByText('Planchet sends it again by itself.')).toBeDefined();
    expect(screen.getByText('Not accepted yet: Not enough fees')).toBeDefined();
  });

  it('says when it is sent again, where that is known', async () => {
    const nextAttemptAt = Date.now() + 3_600_000;
    show({ state: 'evicted', nextAttemptAt, reason: { ...reason, code: 'no-room', retriedByItself: true } });
    expect(await screen.findByText(/^Next attempt, by itself: in (59 min|60 min|1 h)/)).toBeDefined();
    expect(screen.queryByText(reason.advice)).toBeNull();
  });

  it.each([
    ['missing-inputs', 'failed', true],
    ['no-room', 'evicted', true],
    ['fee-too-low', 'failed', false],
    ['script-failed', 'failed', false],
    ['double-spend', 'double-spent', false],
  ] as const)('of %s in the state %s, offers to send it again: %s', async (code, state, offered) => {
    const asked: string[][] = [];
    const get = (): TrackedDetail => ({ ...detail, state, reason: { ...reason, code } });
    const retry = ({ txids }: { txids: string[] }): [] => {
      asked.push(txids);
      return [];
    };
    const user = renderPart(<TransactionPage txid={payment} home="submitted" />, {
      host: { tx: { get, retry }, transactions: { get: notFound } },
    });
    await screen.findByText(code);
    const button = screen.queryByRole('button', { name: 'Send it again' });
    expect(button !== null).toBe(offered);
    if (button === null) return;
    await user.click(button);
    await waitFor(() => expect(asked).toEqual([[payment]]));
  });

  it('names the transaction that was mined instead', async () => {
    show({ state: 'double-spent', doubleSpentBy: coinbase });
    const alert = await screen.findByRole('alert');
    expect(within(alert).getByText('Another transaction spent the same coin')).toBeDefined();
    expect(within(alert).getByRole('link', { name: /b1fe…5082/ })).toBeDefined();
  });

  it('puts ours beside the other: the coin that both spend, and the payment that the other does not make', async () => {
    const get = (): TrackedDetail => ({ ...detail, state: 'double-spent', doubleSpentBy: coinbase });
    const decode = () => ({ total: 1, bytes: 200, transactions: [ours], unreadable: [] });
    const parts = { inputCount: 1, outputCount: 1, satoshis: 1, inputs: [], outputs: [] };
    const rival: RivalTransaction = {
      txid: coinbase,
      at: 1,
      source: 'Taal',
      outcome: 'theirs',
      shared: [],
      ours: parts,
      theirs: null,
      advice: phrase('rival.theirs-mined'),
    };
    renderPart(<TransactionPage txid={payment} home="submitted" />, {
      host: { tx: { get, decode, doubleSpends: () => [rival] }, transactions: { get: () => theirs } },
    });
    const mine = await screen.findByRole('region', { name: 'Ours' });
    const other = screen.getByRole('region', { name: 'The other one' });
    for (const side of [mine, other]) expect(within(side).getByText('Same coin')).toBeDefined();
    expect(await screen.findByText(/yours can no longer be mined\. Make a new one/)).toBeDefined();
    expect(within(mine).getByText('Not paid by the other')).toBeDefined();
    expect(within(other).queryByText('Not paid by the other')).toBeNull();
  });

  it('keeps what miners reported by themselves apart', async () => {
    show({ events: [answer('submit', true), answer('callback', true)] });
    const callbacks = await screen.findByRole('region', { name: 'Callbacks received' });
    expect(within(callbacks).getAllByRole('listitem')).toHaveLength(1);
    expect(screen.getByText('Taal called back: SEEN_ON_NETWORK')).toBeDefined();
  });

  it('draws the stored proof from the transaction to the work of its block, checked again', async () => {
    show({ state: 'proven', proof });
    expect(await screen.findByText(/^Proven: this transaction is in the block/)).toBeDefined();
    expect(screen.getByText('The header of the block names the same root.')).toBeDefined();
    expect(screen.queryByRole('button', { name: 'Verify' })).toBeNull();
  });

  it('says so where the stored proof does not hold', async () => {
    show({ state: 'proven', proof: { ...proof, blockHash: coinbase } });
    expect(await screen.findByText('This proof does not hold.')).toBeDefined();
  });

  it('offers its bytes in the forms that other tools take, and says which is not to be had', async () => {
    const forms = () => ({ ef: '0100beef', beef: null, bump: null, header: null, json: '{}' });
    const host = { tx: { get: (): TrackedDetail => detail }, transactions: { get: notFound, forms } };
    const user = renderPart(<TransactionPage txid={payment} home="submitted" />, { host });
    const raw = await screen.findByRole('region', { name: 'Raw forms' });
    await user.click(within(raw).getByRole('button', { name: 'Copy Raw' }));
    expect(await navigator.clipboard.readText()).toBe('0100');
    await user.click(within(raw).getByRole('radio', { name: 'Extended' }));
    expect(await within(raw).findByText('0100beef')).toBeDefined();
    await user.click(within(raw).getByRole('radio', { name: 'BEEF' }));
    expect(await within(raw).findByText(/^It has no proof yet, and not all/)).toBeDefined();
    expect(within(raw).getByRole<HTMLButtonElement>('button', { name: 'Copy BEEF' }).disabled).toBe(true);
  });

  it('shows what a refused one would have moved, read from its bytes', async () => {
    const get = (): TrackedDetail => ({ ...detail, state: 'failed', reason });
    const decode = () => ({ total: 1, bytes: 200, transactions: [ours], unreadable: [] });
    renderPart(<TransactionPage txid={payment} home="submitted" />, {
      host: { tx: { get, decode }, transactions: { get: notFound } },
    });
    expect(await screen.findByRole('region', { name: '1 output' })).toBeDefined();
    expect(screen.getByRole('region', { name: 'What it moves' })).toBeDefined();
    expect(screen.queryByText('No such transaction.')).toBeNull();
  });

  it('leads to the mint that it belongs to', async () => {
    show({ origin: 'mint' }, { jobs: [summaryOf({ ...job, txid: payment })] });
    expect((await screen.findByRole('link', { name: 'Open the mint' })).getAttribute('href')).toBe('#/jobs/j1');
  });
});

describe('the page of a transaction that others sent', () => {
  const host = (view: TransactionView): HostAnswers => ({
    tx: { get: notFound },
    transactions: {
      get: ({ txid }) => ({ ...view, txid }),
      spenders: () => [],
      ancestors: () => ({ txids: [coinbase], isComplete: true }),
    },
  });

  it('has no history of ours, says that it waits, and names what it builds on with the rate of both', async () => {
    renderPart(<TransactionPage txid={payment} home="submitted" />, { host: host(theirs) });
    expect(await screen.findByText('In the mempool, waiting for the next block.')).toBeDefined();
    expect(screen.queryByRole('region', { name: 'Timeline' })).toBeNull();
    const ancestors = await screen.findByRole('region', { name: '1 unconfirmed ancestor' });
    expect(await within(ancestors).findByText(/: 500 sat per 1,000 bytes over all of them\.$/)).toBeDefined();
    expect(within(ancestors).getByRole('link').getAttribute('href')).toBe(`#/tx/${coinbase}`);
  });

  it('is proven when asked, and looks for no ancestors once a block holds it', async () => {
    const mined = { ...theirs, blockHash, blockHeight: 170, confirmations: 3 };
    const asked: unknown[] = [];
    const answers = host(mined);
    const explorer = {
      proof: (input: unknown) => {
        asked.push(input);
        return { index: 1, nodes: [coinbase], header };
      },
    };
    const user = renderPart(<TransactionPage txid={payment} home="submitted" />, { host: { ...answers, explorer } });
    expect(await screen.findByText('In block 170, 3 confirmations.')).toBeDefined();
    expect(asked).toEqual([]);
    await user.click(screen.getByRole('button', { name: 'Verify' }));
    expect(await screen.findByText(/^Proven: this transaction is in the block/)).toBeDefined();
    expect(screen.queryByText(/unconfirmed ancestor/)).toBeNull();
  });

  it('is explained where nobody knows it', async () => {
    renderPart(<TransactionPage txid={payment} home="submitted" />, {
      host: { tx: { get: notFound }, transactions: { get: notFound } },
    });
    expect(await screen.findByText('No such transaction.')).toBeDefined();
  });
});
