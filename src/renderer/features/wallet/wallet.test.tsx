import { useIsMutating } from '@tanstack/react-query';
import { screen, within } from '@testing-library/react';
import { useState } from 'react';
import { beforeEach, describe, expect, it } from 'vitest';
import type { WalletBalance, WalletSend, WalletStatus } from '../../../contract/index.ts';
import { useLive } from '../../api/live/live-store.ts';
import { Note } from '../../components/note.tsx';
import { refusal } from '../../test-support/fake-host.ts';
import { renderPart } from '../../test-support/render.tsx';
import { ADDRESS, appInfo, DIGEST, review } from '../../test-support/samples.ts';
import { Balance } from './balance.tsx';
import { PaymentPage } from './send/payment-page.tsx';
import { useSendDraft } from './send/send-draft.ts';
import { SendPage } from './send/send-page.tsx';
import { WalletPage } from './wallet.tsx';

const OTHER = 'n2eMqTT929pb1RDNuqEnxdaLau1rxy3efi';
const here = (): string => location.hash.slice(1);

const balance: WalletBalance = {
  total: 1_000,
  confirmed: 900,
  unconfirmed: 100,
  spendable: 600,
  elsewhere: 0,
  waiting: 100,
  locked: 200,
  frozen: 100,
  tokens: 2,
};

const status: WalletStatus = {
  state: 'ready',
  network: 'sandbox',
  address: ADDRESS,
  publicKey: null,
  balance: { spendable: 600, confirmed: 900, unconfirmed: 100, reserved: 200, tokens: 2 },
  worthless: true,
};

const payment: WalletSend = {
  id: 's1',
  request: { to: [{ address: OTHER, satoshis: 500 }], label: 'Rent' },
  state: 'reviewed',
  awaitingApproval: true,
  canApprove: true,
  canCancel: true,
  canRetry: false,
  canPause: false,
  active: false,
  failure: null,
  review: {
    ...review,
    outputs: [
      { ...(review.outputs[0] as (typeof review.outputs)[number]), satoshis: 500, kind: 'payment', itemId: null },
    ],
    destination: OTHER,
  },
  txid: null,
  blockHash: null,
  blockHeight: null,
  createdAt: 0,
  updatedAt: 0,
};
payment.review.outputs = payment.review.outputs.map((output) => ({ ...output, address: OTHER }));

const live = { app: appInfo, wallet: status };
const sendHost = {
  balance: () => balance,
  validateAddress: ({ address }: { address: string }) => ({
    valid: address === OTHER,
    failure: address === OTHER ? null : { code: 'invalid-input' as const, message: 'That is no address.' },
    own: false,
    contact: null,
    resembles: null,
  }),
};

beforeEach(() => useSendDraft.getState().clear());

describe('the balance', () => {
  it('shows the total with its parts, and says what each part means', async () => {
    const user = renderPart(<Balance balance={balance} />);
    expect(screen.getByTestId('total').textContent).toBe('1,000');
    expect(
      screen.getByRole('img', { name: '600 sat spendable, 100 sat waiting, 200 sat locked, 100 sat frozen' }),
    ).toBeTruthy();
    await user.tab();
    await user.tab();
    await user.tab();
    expect(document.activeElement?.textContent).toBe('Locked');
    expect((await screen.findByRole('tooltip')).textContent).toMatch(/^Coins reserved/);
    expect(screen.queryByText('At other addresses')).toBeNull();
  });
});

describe('a label that is changed in place', () => {
  it('is saved with Enter and taken back with Escape', async () => {
    const saved: string[] = [];
    const user = renderPart(
      <Note
        text="Rent"
        save={async (text) => {
          saved.push(text);
        }}
      />,
    );
    await user.click(screen.getByRole('button', { name: /^Label: Rent/ }));
    await user.keyboard('al{Escape}');
    expect(saved).toEqual([]);
    await user.click(screen.getByRole('button', { name: /^Label: Rent/ }));
    await user.keyboard('al{Enter}');
    await expect.poll(() => saved).toEqual(['Rental']);
    await expect.poll(() => document.activeElement?.tagName).toBe('BUTTON');
  });

  it('keeps what was typed when it is refused', async () => {
    const user = renderPart(
      <Note text="" save={() => Promise.reject(refusal({ code: 'store-failed', message: 'The disk is full.' }))} />,
    );
    await user.click(screen.getByRole('button', { name: 'Add a label' }));
    await user.keyboard('Rent{Enter}');
    expect((await screen.findByRole('alert')).textContent).toContain('The disk is full.');
    expect(screen.getByText('store-failed')).toBeDefined();
    expect(screen.getByDisplayValue('Rent')).toBeDefined();
  });
});

describe('the wallet', () => {
  it('is created with new words, or restored from existing ones', async () => {
    const sent: unknown[] = [];
    const missing = { ...status, state: 'missing' as const, address: null };
    const user = renderPart(<WalletPage part={undefined} />, {
      live: { ...live, wallet: missing },
      host: {
        wallet: {
          create: (input) => {
            sent.push(input);
            throw refusal({ code: 'vault-locked', message: 'The vault is locked.', hint: 'Unlock it.' });
          },
          restore: (input) => {
            sent.push(input);
            return missing;
          },
        },
      },
    });
    await user.click(screen.getByRole('button', { name: 'Create the wallet' }));
    expect(await screen.findByText('The vault is locked.')).toBeTruthy();
    await user.click(screen.getByRole('radio', { name: 'Restore from words' }));
    const submit = screen.getByRole<HTMLButtonElement>('button', { name: 'Restore the wallet' });
    const words = Array.from({ length: 11 }, () => 'abandon').join(' ');
    await user.type(screen.getByRole('textbox', { name: 'Words' }), words);
    expect(submit.disabled).toBe(true);
    await user.type(screen.getByRole('textbox', { name: 'Words' }), ' about');
    await user.click(submit);
    await expect.poll(() => sent).toEqual([{ words: 12 }, { words: `${words} about` }]);
  });

  it('asks for the passphrase where it is locked, and opens', async () => {
    const given: string[] = [];
    const user = renderPart(<WalletPage part={undefined} />, {
      live: { ...live, wallet: { ...status, state: 'locked', worthless: false } },
      host: {
        wallet: {
          unlock: ({ passphrase }) => {
            given.push(passphrase);
            if (passphrase === 'right') return status;
            throw refusal({ code: 'vault-passphrase-wrong', message: 'The passphrase is wrong.' });
          },
        },
      },
    });
    const field = screen.getByLabelText('Passphrase');
    await user.type(field, 'wrong{Enter}');
    expect(await screen.findByText('The passphrase is wrong.')).toBeTruthy();
    await user.clear(field);
    await user.type(field, 'right{Enter}');
    await expect.poll(() => useLive.getState().wallet?.state).toBe('ready');
    expect(given).toEqual(['wrong', 'right']);
  });
});

it('the wallet view says that another wallet answers than the one that signs, and asks twice before it is used', async () => {
  const [known, offered] = [`02${'ab'.repeat(32)}`, `03${'cd'.repeat(32)}`];
  const accepted: string[] = [];
  const user = renderPart(<WalletPage part={undefined} />, {
    live: { ...live, wallet: { ...status, state: 'locked', address: null } },
    host: {
      wallet: {
        external: {
          get: () => ({
            url: 'http://127.0.0.1:3321',
            identityKey: known,
            since: 0,
            refused: {
              id: 'wallet.external-changed',
              code: 'conflict',
              message: 'Another wallet than before answers at http://127.0.0.1:3321.',
              detail: { url: 'http://127.0.0.1:3321', knownKey: known, knownSince: '2026-01-01', offeredKey: offered },
            },
          }),
          accept: ({ identityKey }) => {
            accepted.push(identityKey);
            return status;
          },
        },
      },
    },
  });
  const note = await screen.findByRole('alert');
  expect(screen.getByRole('heading', { name: 'Another wallet answers' })).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Look again' })).toBeTruthy();
  expect(screen.queryByText(/Locking it here/)).toBeNull();
  expect(within(note).getByText('Another wallet than before answers at http://127.0.0.1:3321.')).toBeTruthy();
  expect(within(note).getByText(known)).toBeTruthy();
  expect(within(note).getByText(offered)).toBeTruthy();
  await user.click(within(note).getByRole('button', { name: 'Use this wallet…' }));
  const question = await screen.findByRole('dialog', { name: 'Use another wallet?' });
  expect(within(question).getByText(offered)).toBeTruthy();
  expect(accepted).toEqual([]);
  await user.click(within(question).getByRole('button', { name: 'Use it from now on' }));
  expect(await screen.findByText('Accepted. Planchet asks this wallet from now on.')).toBeTruthy();
  expect(accepted).toEqual([offered]);
});

describe('the form of a payment', () => {
  it('says what is missing, and sends nothing until it is there', async () => {
    const sent: unknown[] = [];
    const user = renderPart(<SendPage />, {
      live,
      host: {
        wallet: {
          ...sendHost,
          send: {
            prepare: ({ request }) => {
              sent.push(request);
              return payment;
            },
          },
        },
      },
    });
    await user.click(screen.getByRole('button', { name: 'Review' }));
    expect(screen.getByText('Enter an address.')).toBeTruthy();
    expect(screen.getByText(/^Enter at least 2 satoshis/)).toBeTruthy();
    await user.type(screen.getByRole('textbox', { name: 'Address 1' }), 'no');
    expect(await screen.findByText('That is no address.')).toBeTruthy();
    expect(sent).toEqual([]);
    await user.clear(screen.getByRole('textbox', { name: 'Address 1' }));
    await user.type(screen.getByRole('textbox', { name: 'Address 1' }), OTHER);
    await user.type(screen.getByRole('textbox', { name: 'Amount 1' }), '700');
    expect(await screen.findByText('100 sat more than the 600 sat that can be sent')).toBeTruthy();
    await user.clear(screen.getByRole('textbox', { name: 'Amount 1' }));
    await user.type(screen.getByRole('textbox', { name: 'Amount 1' }), '500');
    await user.click(screen.getByRole('button', { name: 'Review' }));
    await expect.poll(here).toBe('/wallet/payments/s1');
    expect(sent).toEqual([{ to: [{ address: OTHER, satoshis: 500 }] }]);
  });

  it.each(['0.5', '1.5', '0.00012', '1e8', '-20'])(
    'pays no other sum than the one that was typed: %s',
    async (text) => {
      const sent: unknown[] = [];
      const prepare = (input: unknown): WalletSend => {
        sent.push(input);
        return payment;
      };
      const user = renderPart(<SendPage />, { live, host: { wallet: { ...sendHost, send: { prepare } } } });
      await user.type(screen.getByRole('textbox', { name: 'Address 1' }), OTHER);
      await user.type(screen.getByRole('textbox', { name: 'Amount 1' }), text);
      expect(await screen.findByText('Whole satoshis only: 1 BSV is 100,000,000 satoshis.')).toBeTruthy();
      await user.click(screen.getByRole('button', { name: 'Review' }));
      expect([here(), sent]).toEqual(['/', []]);
      expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Amount 1' }).value).toBe(text);
    },
  );

  it('does not lead away from another page, and keeps what was typed since', async () => {
    const built = Promise.withResolvers<WalletSend>();
    const asked = Promise.withResolvers<void>();
    const prepare = (): Promise<WalletSend> => {
      asked.resolve();
      return built.promise;
    };
    function Form() {
      const [isOpen, setIsOpen] = useState(true);
      return (
        <>
          <button type="button" onClick={() => setIsOpen(false)}>
            leave
          </button>
          {useIsMutating() === 0 && <p>nothing is built</p>}
          {isOpen && <SendPage />}
        </>
      );
    }
    const user = renderPart(<Form />, { live, host: { wallet: { ...sendHost, send: { prepare } } } });
    await user.type(screen.getByRole('textbox', { name: 'Address 1' }), OTHER);
    await user.type(screen.getByRole('textbox', { name: 'Amount 1' }), '500{Enter}');
    await asked.promise;
    await user.click(screen.getByRole('button', { name: 'leave' }));
    useSendDraft.getState().change({ label: 'Rent' });
    built.resolve(payment);
    expect(await screen.findByText('nothing is built')).toBeTruthy();
    expect([here(), useSendDraft.getState().label]).toEqual(['/', 'Rent']);
  });

  it('keeps what was typed when the wallet refuses the payment', async () => {
    const user = renderPart(<SendPage />, {
      live,
      host: {
        wallet: {
          ...sendHost,
          send: {
            prepare: () => {
              throw refusal({
                code: 'funds-insufficient',
                message: 'The wallet has too little.',
                hint: 'Receive more.',
              });
            },
          },
        },
      },
    });
    await user.type(screen.getByRole('textbox', { name: 'Address 1' }), OTHER);
    await user.type(screen.getByRole('textbox', { name: 'Amount 1' }), '500{Enter}');
    expect(await screen.findByText('Receive more.')).toBeTruthy();
    expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Amount 1' }).value).toBe('500');
  });
});

describe('a payment', () => {
  it('is approved by the digest of what was reviewed, on a button that repeats the sum', async () => {
    const approved: unknown[] = [];
    const user = renderPart(<PaymentPage id="s1" />, {
      live,
      host: {
        wallet: {
          send: {
            get: () => payment,
            approve: (input) => {
              approved.push(input);
              return { ...payment, awaitingApproval: false, state: 'mined', blockHeight: 7, canCancel: false };
            },
          },
        },
      },
    });
    expect(await screen.findByText(/^You send 500 sat to n2eMqT…/)).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'Approve and send 550 sat' }));
    expect(approved).toEqual([{ id: 's1', digest: DIGEST }]);
  });

  it('cannot be approved after a failed check', async () => {
    renderPart(<PaymentPage id="s1" />, {
      live,
      host: {
        wallet: {
          send: {
            get: () => ({
              ...payment,
              canApprove: false,
              review: { ...payment.review, ok: false, checks: [{ id: 'outputs', passed: false, text: 'It differs.' }] },
            }),
          },
        },
      },
    });
    const button = await screen.findByRole<HTMLButtonElement>('button', { name: /^Approve and send/ });
    expect(button.disabled).toBe(true);
    expect(within(document.body).getByText('It differs.')).toBeTruthy();
  });
});
