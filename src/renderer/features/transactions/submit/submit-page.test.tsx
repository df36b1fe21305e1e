import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import {
  type DecodedPage,
  type DecodedTransaction,
  type Miner,
  phrase,
  phraseText,
  phraseTexts,
  type SubmittedTransaction,
} from '../../../../contract/index.ts';
import catalogue from '../../../../contract/languages/de/catalogue.ts';
import german from '../../../../contract/languages/de/page/money/submitted.json' with { type: 'json' };
import { addErrorTexts } from '../../../i18n/errors.ts';
import { addTexts, i18n } from '../../../i18n/index.ts';
import { addPhrases } from '../../../i18n/phrases.ts';
import { type HostAnswers, refusal } from '../../../test-support/fake-host.ts';
import { renderPart } from '../../../test-support/render.tsx';
import { ADDRESS, TXID } from '../../../test-support/samples.ts';
import { SubmitPage } from './submit-page.tsx';

const OTHER = 'cd'.repeat(32);
const tooLittle = phrase('check.fee', { fee: 10, miner: 'Taal', asked: 113, bytes: 226 });

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
  warnings: [
    { code: 'token-spent', text: 'As the host says it.', sentence: phrase('check.token-spent', { input: 0 }) },
  ],
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
  state: 'kept-back',
  sent: false,
  reason: { code: 'fee', text: '', advice: '', retriedByItself: false, sentence: tooLittle },
  advice: phraseTexts['advice.fee'],
  checks: [{ code: 'fee', text: phraseText(tooLittle), sentence: tooLittle, value: 10, limit: 113, skippable: true }],
};

type Submission = {
  source: unknown;
  minerIds?: string[] | undefined;
  strategy?: string;
  force?: boolean;
  offset?: number;
  limit?: number | undefined;
  txids?: string[] | undefined;
};

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
    expect(screen.getByText(/^Input 0 spends a token, /)).toBeDefined();
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
    const failure = { code: 'invalid-input' as const, message: 'Part 3 is no transaction.' };
    const { user } = show({ decode: () => page([decoded], { unreadable: [{ place: 3, failure }] }) });
    await type(user);
    expect((await screen.findByRole('alert')).textContent).toContain('Part 3 is no transaction.');
    expect(screen.getByRole('button', { name: /^Submit/ }).hasAttribute('disabled')).toBe(true);
  });

  it('says once what a check and a warning have in common', async () => {
    const unsigned = phrase('check.unsigned', { inputs: '0' });
    const check = { code: 'unsigned' as const, text: phraseText(unsigned), sentence: unsigned, skippable: true };
    const warnings = [
      ...decoded.warnings,
      { code: 'unsigned' as const, text: phraseText(unsigned), sentence: unsigned },
    ];
    const { user } = show({
      decode: () => page([{ ...decoded, warnings, checks: [{ ...check, value: 1, limit: 0 }] }]),
    });
    await type(user);
    expect(await screen.findByText(/^Input 0 spends a token, /)).toBeDefined();
    expect(screen.getAllByText('There is no signature in input 0.')).toHaveLength(1);
  });

  it('names a check that would keep it back before anything is sent', async () => {
    const { user } = show({ decode: () => page([{ ...decoded, checks: kept.checks }]) });
    await type(user);
    expect(await screen.findByText('A check would keep it back')).toBeDefined();
    expect(screen.getByText('It pays 10 sat; Taal asks 113 for 226 bytes.')).toBeDefined();
  });

  it('offers to submit as many as pass the checks, and to keep the others for later', async () => {
    const failing = { ...decoded, txid: OTHER, checks: kept.checks };
    const { user } = show({ decode: () => page([decoded, failing]) });
    await type(user);
    expect(await screen.findByRole('button', { name: 'Submit 1 of 2 transactions' })).toBeDefined();
    await user.click(screen.getByRole('button', { name: 'More options' }));
    await user.click(await screen.findByLabelText('Send even what a check would keep back'));
    expect(screen.getByRole('button', { name: 'Submit 2 transactions' })).toBeDefined();
  });

  it('explains what a check kept back with number and limit, and sends it all the same when told to', async () => {
    const submit = ({ force }: Submission): SubmittedTransaction[] =>
      force === true ? [{ ...accepted, txid: OTHER }] : [accepted, kept];
    const { user, sent } = show({ submit });
    await type(user);
    await user.click(await screen.findByRole('button', { name: 'Submit 1 transaction' }));
    const problems = await screen.findByRole('region', { name: 'What failed' });
    expect(within(problems).getByText('It pays 10 sat; Taal asks 113 for 226 bytes.')).toBeDefined();
    expect(within(problems).getByText(phraseTexts['advice.fee'])).toBeDefined();
    await user.click(screen.getByRole('button', { name: 'Send what was kept back all the same' }));
    expect(await screen.findByText('2 accepted')).toBeDefined();
    expect(sent).toMatchObject([{ force: false }, { force: true, txids: [OTHER] }]);
  });

  it('says warnings, failed checks and advice in the language of the page, and what a miner said in its words', async () => {
    const refused = { code: 'fee-too-low', text: 'Not enough fees', advice: 'In English', retriedByItself: false };
    const failed: SubmittedTransaction = {
      ...accepted,
      txid: 'ef'.repeat(32),
      state: 'failed',
      reason: { ...refused, id: 'merchant.refused-fee' },
    };
    const unreachable: SubmittedTransaction = {
      ...accepted,
      txid: '12'.repeat(32),
      state: 'failed',
      reason: { ...refused, text: 'In English', id: 'merchant.failed', values: { status: 503, reason: '' } },
    };
    const orphan: SubmittedTransaction = {
      ...kept,
      txid: '34'.repeat(32),
      checks: [],
      reason: {
        code: 'parent-kept-back',
        text: phraseTexts['check.parent-kept-back'],
        advice: phraseTexts['advice.parent-kept-back'],
        retriedByItself: false,
        sentence: phrase('check.parent-kept-back'),
      },
    };
    addTexts({ submitted: german }, 'de');
    addErrorTexts('de', catalogue.errors);
    addPhrases('de', catalogue.phrases);
    await i18n.changeLanguage('de');
    try {
      const { user } = show({
        decode: () => page([{ ...decoded, checks: kept.checks }]),
        submit: () => [kept, failed, unreachable, orphan],
      });
      await user.click(screen.getByLabelText('Transaktionen'));
      await user.paste('0100');
      expect(await screen.findByText(/^Eingang 0 gibt ein Token aus, /)).toBeDefined();
      expect(screen.getByText('Sie zahlt 10 sat; Taal verlangt 113 für 226 Bytes.')).toBeDefined();
      await user.click(screen.getByRole('button', { name: 'Für später aufheben' }));
      const problems = await screen.findByRole('region', { name: german.submit.result.problems });
      expect(within(problems).getByText('Not enough fees')).toBeDefined();
      expect(within(problems).getByText('Sie zahlt 10 sat; Taal verlangt 113 für 226 Bytes.')).toBeDefined();
      expect(within(problems).getByText(catalogue.phrases['advice.fee'] as string)).toBeDefined();
      expect(within(problems).getByText(catalogue.errors['merchant.refused-fee']?.hint as string)).toBeDefined();
      expect(within(problems).getByText(/^Der Miner antwortete mit HTTP 503/)).toBeDefined();
      expect(within(problems).getByText(catalogue.phrases['check.parent-kept-back'] as string)).toBeDefined();
      expect(problems.textContent).not.toContain('In English');
    } finally {
      await i18n.changeLanguage('en');
    }
  });

  it('says that the coin was spent elsewhere where the tracker found out before the miners did', async () => {
    const { user } = show({ submit: () => [{ ...accepted, state: 'double-spent' }] });
    await type(user);
    await user.click(await screen.findByRole('button', { name: 'Submit 1 transaction' }));
    const problems = await screen.findByRole('region', { name: 'What failed' });
    expect(within(problems).getByText('Another transaction spent the same coin')).toBeDefined();
  });

  it('tells what waits for a miner from what one accepted, and that it is sent again by itself', async () => {
    const reason = { code: 'upstream-error', text: 'No miner answered.', advice: 'Wait.', retriedByItself: true };
    const { user } = show({ submit: () => [accepted, { ...accepted, txid: OTHER, state: 'queued', reason }] });
    await type(user);
    await user.click(await screen.findByRole('button', { name: 'Submit 1 transaction' }));
    const summary = await screen.findByRole('status', { name: 'Results' });
    expect(summary.textContent).toBe('1 accepted1 not accepted yet');
    const problems = screen.getByRole('region', { name: 'What failed' });
    expect(problems.textContent).toContain('No miner answered.Wait.Planchet sends it again by itself.');
    expect(screen.getByRole('button', { name: 'Send 1 again' })).toBeDefined();
  });

  it('sends thousands part after part, can be stopped and goes on, and shows those that failed alone', async () => {
    const txidOf = (n: number): string => String(n).padStart(64, '0');
    const failing = 150;
    const reason = { code: 'no-room', text: 'mempool full', advice: 'Wait.', retriedByItself: true };
    const gates: (() => void)[] = [];
    const sent: number[] = [];
    const retried: string[][] = [];
    const all = Array.from({ length: 350 }, (_, n) => ({ ...decoded, txid: txidOf(n) }));
    const host: HostAnswers = {
      miners: { list: () => [miner('Default', 'mapi')] },
      tx: {
        decode: ({ offset = 0, limit = 50 }) => page(all.slice(offset, offset + limit), { total: all.length }),
        submit: async ({ offset = 0, limit = 0 }) => {
          await new Promise<void>((resolve) => gates.push(resolve));
          sent.push(offset);
          return all.slice(offset, offset + limit).map(({ txid }) => ({
            ...accepted,
            txid,
            ...(txid === txidOf(failing) && { state: 'evicted' as const, reason }),
          }));
        },
        retry: ({ txids }) => {
          retried.push(txids);
          return txids.map((txid) => ({ ...accepted, txid }));
        },
      },
    };
    const user = renderPart(<SubmitPage />, { host });
    const release = (): Promise<void> => waitFor(() => (gates.shift() as () => void)());
    await type(user);
    await user.click(await screen.findByRole('button', { name: 'Submit 350 transactions' }));
    await release();
    expect(await screen.findByText('100 accepted')).toBeDefined();
    expect(screen.getByText('100 of 350')).toBeDefined();
    await user.click(screen.getByRole('button', { name: 'Stop' }));
    await release();
    expect(await screen.findByText('Stopped')).toBeDefined();
    expect(sent).toEqual([0, 100]);
    await user.click(screen.getByRole('button', { name: 'Go on' }));
    await release();
    await release();
    expect(await screen.findByText('Sent to miners')).toBeDefined();
    expect(sent).toEqual([0, 100, 200, 300]);
    expect(screen.getByText('349 accepted')).toBeDefined();
    await user.click(screen.getByRole('combobox', { name: 'Filter results' }));
    await user.click(await screen.findByRole('option', { name: 'Refused' }));
    const grid = screen.getByRole('grid', { name: 'Results of the submission' });
    expect(grid.getAttribute('aria-rowcount')).toBe('2');
    await user.click(screen.getByRole('button', { name: 'Send 1 again' }));
    expect(await screen.findByText('350 accepted')).toBeDefined();
    expect(retried).toEqual([[txidOf(failing)]]);
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
