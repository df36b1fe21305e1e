import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { PlanchetError, type ReviewCheck, type WalletSend } from '../../../../contract/index.ts';
import catalogue from '../../../../contract/languages/de/catalogue.ts';
import { addErrorTexts } from '../../../i18n/errors.ts';
import { i18n } from '../../../i18n/index.ts';
import { renderPart } from '../../../test-support/render.tsx';
import { ADDRESS, appInfo, review, TXID } from '../../../test-support/samples.ts';
import { PaymentPage } from './payment-page.tsx';

const output = review.outputs[0] as (typeof review.outputs)[number];
const input = review.inputs[0] as (typeof review.inputs)[number];

/** @param to what its outputs give to the main address */
function paymentOf(
  to: readonly number[],
  changed: Partial<WalletSend>,
  checks: readonly ReviewCheck[] = [],
): WalletSend {
  const outputs = to.map((satoshis, index) => ({
    ...output,
    index,
    satoshis,
    kind: 'payment' as const,
    itemId: null,
    address: ADDRESS,
  }));
  return {
    ...{
      id: 's1',
      request: { to: [{ address: ADDRESS, satoshis: 'all' }] },
      state: 'reviewed',
      awaitingApproval: true,
    },
    ...{ canApprove: true, canCancel: true, canRetry: false, canPause: false, active: false, failure: null },
    review: { ...review, inputs: Array.from({ length: 1_110 }, () => input), outputs, checks: [...checks] },
    ...{ txid: null, blockHash: null, blockHeight: null, createdAt: 0, updatedAt: 0 },
    ...changed,
  };
}

/** @returns the requests for further payments */
function draw(payment: WalletSend): unknown[] {
  const prepared: unknown[] = [];
  const wallet = {
    ...{ state: 'ready' as const, network: 'sandbox' as const, address: ADDRESS, publicKey: null, worthless: true },
    balance: { spendable: 600, confirmed: 900, unconfirmed: 100, reserved: 200, tokens: 2 },
  };
  renderPart(<PaymentPage id="s1" />, {
    live: { app: appInfo, wallet },
    host: {
      wallet: {
        send: {
          get: () => payment,
          prepare: ({ request }: { request: unknown }) => {
            prepared.push(request);
            return payment;
          },
        },
      },
    },
  });
  return prepared;
}

/** @returns what the host was asked to do */
function act(payment: WalletSend): string[] {
  const asked: string[] = [];
  const note = (what: string) => (input: { id: string; digest?: string }) => {
    asked.push([what, input.id, input.digest].filter(Boolean).join(' '));
    return payment;
  };
  renderPart(<PaymentPage id="s1" />, {
    live: { app: appInfo },
    host: {
      wallet: {
        send: { get: () => payment, approve: note('approve'), pause: note('pause'), cancel: note('cancel') },
      },
    },
  });
  return asked;
}

describe('a payment in several transactions', () => {
  it('says into how many coins it combines, and that each of its transactions is signed', async () => {
    const part = { txid: null, state: 'reviewed' as const, fee: 5, moves: [] };
    draw(paymentOf([300, 200, 100], { transactions: [part, part, part] }));
    expect(
      await screen.findByText(/^You combine 1,110 coins in your own wallet into 3: 600 sat arrive\. /),
    ).toBeDefined();
    expect(screen.getByText(/^Exactly these 3 transactions are signed and sent\./)).toBeDefined();
  });

  it('says of one transaction that its coins arrive as one', async () => {
    draw(paymentOf([600], {}));
    expect(
      await screen.findByText(/^You combine 1,110 coins in your own wallet: 600 sat arrive as one\. /),
    ).toBeDefined();
    expect(screen.getByText(/^Exactly this transaction is signed and sent\./)).toBeDefined();
  });
});

describe('a payment to a paymail address', () => {
  const other = 'mstCnezoUKGMSqCNaR4VL46pbfALK39jQ9';
  const paymail = 'alice@example.com';
  const request = {
    to: [300, 200].map((satoshis) => ({ address: other, satoshis })),
    paymails: [
      {
        ...{ paymail, satoshis: 500, first: 0, count: 2 },
        ...{ reference: 'r', url: 'https://example.com/receive', form: 'raw' as const },
      },
    ],
  };
  const sent = { request, awaitingApproval: false, txid: TXID };

  it('names that address, not what its host chose', async () => {
    const payment = paymentOf([300, 200], { request });
    const outputs = payment.review.outputs.map((one) => ({ ...one, address: other }));
    draw({ ...payment, review: { ...payment.review, outputs } });
    expect(await screen.findByText(/^You send 500 sat to alice@example\.com\. /)).toBeDefined();
  });

  it('is made anew for that address, so that its host is told of it', async () => {
    const failure = { id: 'merchant.refused-fee', code: 'rejected' as const, message: 'Refused.', hint: 'Look.' };
    const prepared = draw(paymentOf([300, 200], { ...sent, state: 'signed', canRetry: true, failure }));
    fireEvent.click(await screen.findByRole('button', { name: 'Make it anew' }));
    await waitFor(() => expect(prepared).toEqual([{ to: [{ address: paymail, satoshis: 500 }], replaces: 's1' }]));
  });

  it.each([
    [false, /has not been handed the payment yet\. Planchet tries again/],
    [true, /could not be handed the payment for a week, and Planchet tries no longer/],
  ])('says that its host was not told; for good: %s', async (isOver, said) => {
    draw(paymentOf([300, 200], { ...sent, state: 'submitted', untold: [{ paymail, failure: null, isOver }] }));
    expect(await screen.findByText(said)).toBeDefined();
  });
});

describe('a payment in place of a refused one', () => {
  const check = { id: 'replaces', text: 'It spends coins of a signed transaction.' };
  const said = /It replaces a refused payment and spends a coin of it/;

  it('says so before it is approved', async () => {
    draw(paymentOf([600], {}, [{ ...check, passed: true }]));
    expect(await screen.findByText(said)).toBeDefined();
  });

  it('does not say so where both could be mined', async () => {
    draw(paymentOf([600], { canApprove: false }, [{ ...check, passed: false }]));
    expect(await screen.findByText(check.text)).toBeDefined();
    expect(screen.queryByText(said)).toBeNull();
  });
});

describe('a refused payment', () => {
  it('that a block holds after all says so in the language of the page', async () => {
    const failure = new PlanchetError('wallet.refused-mined', { txid: TXID }).toFailure();
    addErrorTexts('de', catalogue.errors);
    await i18n.changeLanguage('de');
    try {
      draw(paymentOf([600], { state: 'mined', awaitingApproval: false, txid: TXID, blockHeight: 7, failure }));
      expect(
        await screen.findByText(new RegExp(catalogue.errors['wallet.refused-mined']?.message.split('{')[0] ?? '-')),
      ).toBeDefined();
      expect(screen.queryByText(failure.message)).toBeNull();
    } finally {
      await i18n.changeLanguage('en');
    }
  });

  it.each([
    ['merchant.refused-fee', 'Make it anew'],
    ['merchant.refused-full', 'Send again'],
  ])('after %s first offers: %s', async (id, first) => {
    const failure = { id, code: 'rejected' as const, message: 'Refused.', hint: 'Look.' };
    const refused = { state: 'signed' as const, awaitingApproval: false, canRetry: true, txid: TXID, failure };
    draw(paymentOf([600], refused));
    const buttons = await screen.findAllByRole('button', { name: /^(Make it anew|Send again)$/ });
    const filled = buttons.filter((button) => button.getAttribute('data-variant') === 'filled');
    expect(filled.map(({ textContent }) => textContent)).toEqual([first]);
  });
});

describe('a payment of several transactions that is half sent', () => {
  const part = (state: WalletSend['state'], txid: string | null) => ({ txid, state, fee: 5, moves: [] });
  const parts = [part('reviewed', null), part('submitted', TXID), part('reviewed', null)];

  it('is paused while it is sent', async () => {
    const asked = act(
      paymentOf([300, 200, 100], { awaitingApproval: false, active: true, canPause: true, transactions: parts }),
    );
    expect((await screen.findByText('Sending')).textContent).toBe('Sending');
    expect(screen.getByText(/^1 of 3/)).toBeDefined();
    // In the order in which they are signed.
    const steps = screen.getByRole('list', { name: 'Steps' }).children;
    expect([...steps].map((step) => step.getAttribute('data-state'))).toEqual(['done', 'now', 'next']);
    expect(screen.queryByText(/^Nothing is signed before/)).toBeNull();
    fireEvent.click(screen.getByRole('button', { name: 'Pause' }));
    await waitFor(() => expect(asked).toEqual(['pause s1']));
    expect(screen.queryByRole('button', { name: /^Approve|^Discard|^Resume/ })).toBeNull();
  });

  it('is resumed, or the rest is cancelled once that is confirmed', async () => {
    const payment = paymentOf([300, 200, 100], { transactions: parts });
    const asked = act(payment);
    expect(await screen.findByText(/^Nothing more is sent until you resume/)).toBeDefined();
    fireEvent.click(screen.getByRole('button', { name: 'Resume' }));
    await waitFor(() => expect(asked).toEqual([`approve s1 ${payment.review.digest}`]));
    fireEvent.click(screen.getByRole('button', { name: 'Cancel the rest' }));
    const dialog = await screen.findByRole('dialog', { name: 'Cancel what is not sent yet?' });
    expect(asked).toHaveLength(1);
    fireEvent.click(within(dialog).getByRole('button', { name: 'Cancel the rest' }));
    await waitFor(() => expect(asked[1]).toBe('cancel s1'));
  });

  it('tells of what was cancelled beside what was sent', async () => {
    const transactions = [part('cancelled', null), part('submitted', TXID), part('cancelled', null)];
    act(paymentOf([300, 200, 100], { state: 'submitted', awaitingApproval: false, canCancel: false, transactions }));
    expect(await screen.findByText(/^2 of 3 transactions are cancelled: nothing of them was sent/)).toBeDefined();
    expect(screen.getByText(/^Sent\. A block/)).toBeDefined();
  });
});

describe('a paymail address with another identity key', () => {
  const key = `02${'ab'.repeat(32)}`;
  const paymail = 'alice@example.com';
  const receiver = { paymail, satoshis: 5_000, first: 0, count: 1, reference: 'r', url: 'https://example.com', key };
  const request = { to: [{ address: ADDRESS, satoshis: 5_000 }], paymails: [{ ...receiver, form: 'raw' as const }] };
  const checkOf = (passed: boolean): ReviewCheck => ({ id: 'paymail-key', passed, text: 'another key' });

  it('is prepared again once the key that is shown is accepted', async () => {
    const asked: unknown[] = [];
    const note =
      (what: string) =>
      (input: unknown): WalletSend => {
        asked.push([what, input]);
        return payment;
      };
    const payment = paymentOf([5_000], { request, canApprove: false }, [checkOf(false)]);
    renderPart(<PaymentPage id="s1" />, {
      live: { app: appInfo },
      host: {
        wallet: {
          contacts: { acceptKey: (input: unknown) => void asked.push(['accept', input]) },
          send: { get: () => payment, cancel: note('cancel'), prepare: note('prepare') },
        },
      },
    });
    fireEvent.click(await screen.findByRole('button', { name: 'Accept the new key and prepare it again' }));
    await waitFor(() => expect(asked).toHaveLength(3));
    expect(asked).toEqual([
      ['accept', { address: paymail, key }],
      ['cancel', { id: 's1' }],
      ['prepare', expect.objectContaining({ request: { to: [{ address: paymail, satoshis: 5_000 }] } })],
    ]);
  });

  it('has nothing to accept where it is the key of before', async () => {
    act(paymentOf([5_000], { request }, [checkOf(true)]));
    await screen.findByRole('button', { name: /Approve and send/ });
    expect(screen.queryByRole('button', { name: /Accept the new key/ })).toBeNull();
  });
});
