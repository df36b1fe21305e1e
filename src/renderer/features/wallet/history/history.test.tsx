import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { WalletHistoryEntry } from '../../../../contract/index.ts';
import { renderPart } from '../../../test-support/render.tsx';
import { History } from './history.tsx';

const card = {
  origin: null,
  name: 'Moon 1',
  number: null,
  rank: null,
  source: 'received',
  owned: true,
  address: null,
  read: true,
  projectUid: null,
  projectName: null,
  itemId: null,
  collectionId: null,
  content: null,
  traits: [],
  state: 'proven',
  blockHeight: 7,
  at: 0,
};
const [TOKEN, UNNAMED, LOST, OWN] = ['a', 'b', 'c', 'd'].map((digit) => digit.repeat(64)) as [
  string,
  string,
  string,
  string,
];
const entry: WalletHistoryEntry = {
  txid: TOKEN,
  at: 0,
  height: 7,
  amount: 0,
  fee: null,
  balance: 1_000,
  tokens: 1,
  purpose: 'received',
  contacts: [],
  label: '',
  state: 'confirmed',
};

it('the history names a token that came, and says what became of a lost payment', async () => {
  renderPart(<History />, {
    host: {
      wallet: {
        send: { list: () => [] },
        history: {
          list: () => ({
            entries: [
              entry,
              { ...entry, txid: UNNAMED },
              { ...entry, txid: LOST, height: null, amount: -500, tokens: 0, purpose: 'sent', state: 'dropped' },
            ],
            next: null,
          }),
        },
      },
      tokens: { list: () => ({ tokens: [{ ...card, outpoint: `${TOKEN}_0` } as never], total: 1 }) },
    },
  });
  expect(await screen.findByText('Token received: Moon 1')).toBeTruthy();
  expect(screen.getByText('Token received')).toBeTruthy();
  expect(screen.queryByText('0 sat')).toBeNull();
  const lost = screen.getByText('Payment').closest('[role="row"]') as HTMLElement;
  expect(within(lost).getByText('Lost')).toBeTruthy();
  expect(within(lost).getByText('−500 sat').closest('s')).not.toBeNull();
});

it.each([
  ['sent', 'Payment'],
  ['moved', 'Payment to yourself'],
  ['mint', 'Mint'],
  ['token', 'Redeemable tokens'],
  ['writer', 'Data writer'],
] as const)('calls what the wallet paid for as the list of transactions does: %s', async (purpose, name) => {
  const list = () => ({ entries: [{ ...entry, txid: OWN, amount: -500, tokens: 0, purpose }], next: null });
  renderPart(<History />, { host: { wallet: { send: { list: () => [] }, history: { list } } } });
  expect((await screen.findByText(name)).getAttribute('href')).toContain(OWN);
});

it('the history shows the pictures of the tokens that a transaction moved', async () => {
  const content = { sha256: TOKEN, contentType: 'image/png', bytes: 9, stored: true, fileName: 'moon.png' };
  const tokens = [1, 2, 3, 4].map(
    (n) => ({ ...card, content, outpoint: `${LOST}_${n}`, origin: `${OWN}_${n}` }) as never,
  );
  const entries = [
    { ...entry, txid: LOST, amount: -20, fee: 20, tokens: -4, purpose: 'sent' },
    { ...entry, txid: OWN, amount: -90, tokens: 4, purpose: 'mint' },
    { ...entry, txid: UNNAMED, amount: 700, tokens: 0 },
    { ...entry, txid: 'd9'.repeat(32), amount: -130, fee: 130, tokens: 0, purpose: 'mint' },
  ];
  renderPart(<History />, {
    host: {
      wallet: { send: { list: () => [] }, history: { list: () => ({ entries, next: null }) as never } },
      tokens: { list: () => ({ tokens, total: 4 }) },
      files: { thumbnail: () => new Blob(['picture']) },
    },
  });
  const pictures = async (purpose: RegExp) =>
    (await screen.findByText(purpose)).parentElement?.querySelectorAll('[aria-hidden]').length;
  await expect.poll(() => pictures(/^Payment/)).toBe(3);
  const [mint, split] = screen.getAllByText(/^Mint/).map((link) => link.parentElement);
  expect(mint?.querySelectorAll('[aria-hidden]').length).toBe(3);
  expect(split?.children.length, 'no room is kept for pictures that a split has none of').toBe(1);
  expect(await pictures(/^Received|^Payment received/)).toBe(0);
});
