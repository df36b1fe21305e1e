import { PrivateKey } from '@bsv/sdk';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Phrase, phraseText, type Review } from '../../../contract/index.ts';
import catalogue from '../../../contract/languages/de/catalogue.ts';
import type { Accounts } from '../accounts/accounts.ts';
import { openAccounts } from '../test-support/test-accounts.ts';
import { payment } from '../test-support/test-node.ts';
import { WalletOfTest } from '../test-support/test-wallet.ts';
import type { Wallet } from '../wallet.ts';

/** What a payment leaves that takes 4 coins is what one leaves that takes 10,000. */
const limits = { inputs: 2, transactions: 2, tokens: 1 };

const FOREIGN = 'mkpZhYtJu2r87Js3pDiWJDmPte2NRZ8bJV';
/** The last costs more to spend than it is worth. */
const VALUES = [9_000, 8_000, 7_000, 6_000, 5_000, 4_000, 40];

const opened = new WalletOfTest();
let accounts: Accounts;
beforeEach(async () => {
  accounts = await openAccounts(opened, 'sandbox', { limits });
  await opened.wallet.start();
  return () => accounts.stop();
});

async function fill(wallet: Wallet, values: readonly number[]): Promise<void> {
  opened.harness.node.mine([payment(...values.map((satoshis) => ({ script: wallet.lockingScript(), satoshis })))]);
  await wallet.follow();
}

const spentBy = ({ inputs }: Review): number[] => inputs.map(({ satoshis }) => satoshis).sort((a, b) => b - a);
const told = ({ checks }: Review) =>
  checks.flatMap(({ id, sentences }) => (id === 'later' ? (sentences as Phrase[]) : []));
const feeRate = 500;
const sendAll = (idempotencyKey: string) =>
  accounts.main.payments.prepare({ request: { to: [{ address: FOREIGN, satoshis: 'all' }], feeRate }, idempotencyKey });
const consolidate = (idempotencyKey: string) => accounts.main.payments.consolidate({ feeRate, idempotencyKey });

describe('coins beyond what one payment takes', () => {
  it.each([
    ['all that is free', sendAll],
    ['a consolidation', consolidate],
  ])('stay after a payment of %s, which says so in both languages', async (_, prepare) => {
    await fill(opened.wallet, VALUES);
    const { review } = await prepare('first-payment');
    expect(spentBy(review)).toEqual([9_000, 8_000, 7_000, 6_000]);
    const [said] = told(review) as [Phrase];
    expect(said).toEqual({ key: 'review.later', values: { count: 2, satoshis: 9_000 } });
    expect(phraseText(said)).toMatch(/^2 coins, 9000 satoshis together, stay: .* Make it once more/);
    expect(phraseText(said, catalogue.phrases)).toMatch(/^2 Coins, zusammen 9000 Satoshi, bleiben: /);
    expect(review.checks.find(({ id }) => id === 'dust')?.sentences).toMatchObject([{ values: { satoshis: 40 } }]);
    // Made once more, it takes the rest.
    const rest = await prepare('second-payment');
    expect([spentBy(rest.review), told(rest.review)]).toEqual([[5_000, 4_000], []]);
  });

  it('are named in the singular where there is one', async () => {
    await fill(opened.wallet, VALUES.slice(0, 5));
    const [said] = told((await sendAll('first-payment')).review) as [Phrase];
    expect(said).toEqual({ key: 'review.later.one', values: { count: 1, satoshis: 5_000 } });
  });

  it('stay after a sweep, which says so and lists them, tokens apart', async () => {
    await accounts.start();
    const wif = new PrivateKey(987_654_321).toWif([0xef]);
    const { id } = await accounts.importKey({ name: 'Paper', wif, birthHeight: 0 });
    await fill(accounts.get(id).wallet, [...VALUES, 1]);
    const { send, left } = await accounts.sweep({ account: id, feeRate, idempotencyKey: 'first-sweep' });
    expect(told(send.review)).toEqual([{ key: 'review.later', values: { count: 2, satoshis: 9_000 } }]);
    const reasons = left.map(({ satoshis, reason }) => [satoshis, reason]);
    expect(reasons).toEqual([
      [5_000, 'too-many'],
      [4_000, 'too-many'],
      [40, 'dust'],
    ]);
  });
});
