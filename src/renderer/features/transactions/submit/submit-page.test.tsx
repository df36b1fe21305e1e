import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { DecodedPage, DecodedTransaction, Miner, SubmittedTransaction } from '../../../../contract/index.ts';
import { type HostAnswers, refusal } from '../../../test-support/fake-host.ts';
import { renderPart } from '../../../test-support/render.tsx';
import { ADDRESS, TXID } from '../../../test-support/samples.ts';
import { SubmitPage } from './submit-page.tsx';

const OTHER = 'cd'.repeat(32);

const decoded: DecodedTransaction = {
  txid: TXID,
  format: 'raw',
  version: 1,
  lockTime: 0,
  bytes: 226,
  dataBytes: 0,
  rawTx: '0100',
  fee: 113,
  feeRate: 500,
  inputCount: 1,
  outputCount: 1,
  inputs: [
    {
      txid: OTHER,
      vout: 0,
      satoshis: 1_113,
      address: ADDRESS,
      scriptAsm: '',
      sequence: 0xffffffff,
      source: 'node',
      inscription: null,
    },
  ],
  outputs: [{ index: 0, satoshis: 1_000, address: ADDRESS, scriptAsm: '', inscription: null, data: null }],
  checks: [],
  warnings: [{ code: 'token-spent', text: 'Input 0 spends a token as money.' }],
  state: null,
};

const page = (transactions: DecodedTransaction[], rest: Partial<DecodedPage> = {}): DecodedPage => ({
  total: transactions.length,
  bytes: 226,
  transactions,
  unreadable: [],
  ...rest,
});

const miner = (name: string, kind: Miner['kind']): Miner => ({
  id: name,
  name,
  kind,
  url: 'https://miner.example',
  enabled: true,
  builtIn: false,
  hasKey: false,
  keyStyle: 'bearer',
  pinnedKey: null,
  quote: null,
  failure: null,
  key: null,
  requests: { succeeded: 0, failed: 0 },
  latencyMs: null,
});

const accepted: SubmittedTransaction = {
  txid: TXID,
  state: 'submitted',
  sent: true,
  reason: null,
  advice: null,
  checks: [],
  endpoints: [],
};

const kept: SubmittedTransaction = {
  ...accepted,
  txid: OTHER,
  state: 'failed',
  sent: false,
  reason: { code: 'fee', text: 'It pays 10 satoshis; Taal asks 113.', advice: 'Pay more.', retriedByItself: false },
  advice: 'Pay more.',
  checks: [{ code: 'fee', text: 'It pays 10 satoshis; Taal asks 113.', value: 10, limit: 113, skippable: true }],
};

type Submission = { source: unknown; minerIds?: string[] | undefined; strategy?: string; force?: boolean };

function show(answers: { decode?: () => DecodedPage; submit?: (input: Submission) => SubmittedTransaction[] } = {}) {
  const sent: Submission[] = [];
  const host: HostAnswers = {
    miners: { list: () => [miner('Default', 'mapi'), miner('Taal', 'arc')] },
    tx: {
      decode: answers.decode ?? (() => page([decoded])),
      submit: (input: Submission) => {
        sent.push(input);
        return answers.submit?.(input) ?? [accepted];
      },
    },
  };
  return { user: renderPart(<SubmitPage />, { host }), sent };
}

const type = async (user: ReturnType<typeof show>['user']): Promise<void> => {
  await user.click(screen.getByLabelText('Transactions'));
  await user.paste('0100');
};

describe('submitting transactions by hand', () => {
  it('decodes what is pasted, warns, and sends nothing before the press', async () => {
    const { user, sent } = show();
    expect(screen.getByRole('button', { name: /^Submit/ }).hasAttribute('disabled')).toBe(true);
    await type(user);
    expect(await screen.findByText('1 transaction, 226 B')).toBeDefined();
    expect(screen.getByText('Input 0 spends a token as money.')).toBeDefined();
    expect(sent).toEqual([]);
    await user.click(screen.getByRole('button', { name: 'Submit 1 transaction' }));
    expect(await screen.findByText('1 accepted')).toBeDefined();
    expect(sent).toMatchObject([{ source: { text: '0100' } }]);
  });

  it('sends to the miners that were chosen by name, in the chosen way', async () => {
    const { user, sent } = show();
    await type(user);
    await user.click(await screen.findByRole('combobox', { name: 'Miners' }));
    await user.click(await screen.findByRole('option', { name: 'Taal (ARC)' }));
    await user.click(screen.getByRole('combobox', { name: 'Send to' }));
    await user.click(await screen.findByRole('option', { name: 'All of them' }));
    await user.click(await screen.findByRole('button', { name: 'Submit 1 transaction' }));
    await waitFor(() => expect(sent).toMatchObject([{ minerIds: ['Taal'], strategy: 'all' }]));
  });

  it('races the miners, with the options of ARC that were chosen', async () => {
    const { user, sent } = show();
    await type(user);
    await user.click(await screen.findByRole('combobox', { name: 'Send to' }));
    await user.click(await screen.findByRole('option', { name: 'Race' }));
    expect(screen.getByText('Every miner gets every transaction; the first acceptance counts.')).toBeDefined();
    await user.click(screen.getByRole('button', { name: 'More options' }));
    await user.click(await screen.findByRole('checkbox', { name: 'ARC: skip the check of fees' }));
    await user.click(screen.getByRole('combobox', { name: 'ARC: wait for' }));
    await user.click(await screen.findByRole('option', { name: 'SEEN_ON_NETWORK' }));
    await user.type(screen.getByRole('textbox', { name: 'ARC: seconds to wait' }), '12');
    await user.click(await screen.findByRole('button', { name: 'Submit 1 transaction' }));
    const options = { skipFeeValidation: true, waitFor: 'SEEN_ON_NETWORK', maxTimeout: 12 };
    await waitFor(() => expect(sent).toMatchObject([{ strategy: 'race', options }]));
  });

  it('sends nothing while a part cannot be read, and names the part', async () => {
    const failure = { code: 'invalid-input' as const, message: 'This is no transaction.' };
    const { user } = show({ decode: () => page([decoded], { unreadable: [{ place: 3, failure }] }) });
    await type(user);
    expect((await screen.findByRole('alert')).textContent).toContain('Part 3: This is no transaction.');
    expect(screen.getByRole('button', { name: /^Submit/ }).hasAttribute('disabled')).toBe(true);
  });

  it('names a check that would keep it back before anything is sent', async () => {
    const { user } = show({ decode: () => page([{ ...decoded, checks: kept.checks }]) });
    await type(user);
    expect(await screen.findByText('A check would keep it back')).toBeDefined();
    expect(screen.getByText('It pays 10 satoshis; Taal asks 113.')).toBeDefined();
  });

  it('explains what a check kept back with number and limit, and sends it all the same when told to', async () => {
    const submit = ({ force }: Submission): SubmittedTransaction[] =>
      force === true ? [accepted, { ...accepted, txid: OTHER }] : [accepted, kept];
    const { user, sent } = show({ submit });
    await type(user);
    await user.click(await screen.findByRole('button', { name: 'Submit 1 transaction' }));
    const problems = await screen.findByRole('region', { name: 'What failed' });
    expect(within(problems).getByText('It pays 10 satoshis; Taal asks 113.')).toBeDefined();
    expect(within(problems).getByText('Pay more.')).toBeDefined();
    await user.click(screen.getByRole('button', { name: 'Send what was kept back all the same' }));
    expect(await screen.findByText('2 accepted')).toBeDefined();
    expect(sent.map(({ force }) => force ?? false)).toEqual([false, true]);
  });

  it('says that the coin was spent elsewhere where the tracker found out before the miners did', async () => {
    const { user } = show({ submit: () => [{ ...accepted, state: 'double-spent' }] });
    await type(user);
    await user.click(await screen.findByRole('button', { name: 'Submit 1 transaction' }));
    const problems = await screen.findByRole('region', { name: 'What failed' });
    expect(within(problems).getByText('Another transaction spent the same coin')).toBeDefined();
  });

  it('keeps what was typed where the submission fails', async () => {
    const submit = (): SubmittedTransaction[] => {
      throw refusal({ code: 'disk-full', message: 'The disk is full.' });
    };
    const { user } = show({ submit });
    await type(user);
    await user.click(await screen.findByRole('button', { name: 'Submit 1 transaction' }));
    expect(await screen.findByText('The disk is full.')).toBeDefined();
    expect((screen.getByLabelText('Transactions') as HTMLTextAreaElement).value).toBe('0100');
  });
});
