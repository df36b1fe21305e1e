import { expect, it } from 'vitest';
import { WalletOfTest } from '../test-support/test-wallet.ts';
import { PaymailKeys } from './paymail-keys.ts';

const opened = new WalletOfTest();
const [OLD, NEW] = [`02${'ab'.repeat(32)}`, `03${'cd'.repeat(32)}`];
const keysOf = () => new PaymailKeys({ network: 'sandbox', store: opened.harness.store });

it('the record of paymail keys tells the key of each receiver, and fails for those that have another one than before', async () => {
  const keys = keysOf();
  const mira = { paymail: 'Mira@example.com', key: OLD };
  const bob = { paymail: 'bob@example.com', key: NEW };
  expect(await keys.checks([{ paymail: 'nobody@example.com' }])).toEqual([]);
  const [first] = await keys.checks([mira, bob]);
  expect(first).toMatchObject({ id: 'paymail-key', passed: true });
  expect(first?.sentences).toMatchObject([
    { key: 'review.paymail-key.first', values: mira },
    { key: 'review.paymail-key.first', values: bob },
  ]);
  await keys.remember([mira, bob]);
  const [changed] = await keys.checks([{ ...mira, key: NEW }, bob]);
  expect(changed?.passed).toBe(false);
  expect(changed?.sentences).toMatchObject([{ key: 'review.paymail-key.changed', values: { before: OLD } }]);
  expect(await keys.checks([{ paymail: 'mira@example.com' }])).toMatchObject([
    { passed: false, sentences: [{ key: 'review.paymail-key.gone', values: { before: OLD } }] },
  ]);
});

it('the record of paymail keys has the accepted key in the place of the one before, in one step, and none where the host names none', async () => {
  const keys = keysOf();
  const paymail = 'mira@example.com';
  await keys.remember([{ paymail, key: OLD }]);
  await keys.remember([{ paymail, key: NEW }]);
  expect((await keys.checks([{ paymail, key: OLD }]))[0]?.passed).toBe(true);
  await keys.accept(paymail, NEW);
  expect((await keys.checks([{ paymail, key: NEW }]))[0]?.passed).toBe(true);
  await keys.accept(paymail, '');
  expect(await keys.checks([{ paymail }])).toEqual([]);
});
