import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openStore } from '../../store/store.ts';
import { walletMigrations } from '../migrations.ts';
import type { WalletTables } from '../tables.ts';
import { KeepingMiner } from '../test-support/keeping-miner.ts';
import { openAccounts } from '../test-support/test-accounts.ts';
import { payment } from '../test-support/test-node.ts';
import { type Harness, makeHarness } from '../test-support/test-wallet.ts';

const FOREIGN = 'mkpZhYtJu2r87Js3pDiWJDmPte2NRZ8bJV';
const OTHER = 'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn';

let harness: Harness;
beforeEach(async () => {
  harness = await makeHarness();
});
afterEach(() => harness.remove());

/** Opens what is stored, as a start of the program does. */
async function open() {
  const wallet = await harness.open();
  await wallet.start();
  await wallet.follow();
  const { main } = await openAccounts({ harness, wallet }, 'sandbox', { merchant: new KeepingMiner(harness.node) });
  await main.payments.start();
  const prepare = (address: string) =>
    main.payments.prepare({
      request: { to: [{ address, satoshis: 5_000 }], feeRate: 500 },
      idempotencyKey: `to ${address} ${harness.node.height}`,
    });
  const stop = async (): Promise<void> => {
    await main.payments.stop();
    await wallet.stop();
  };
  return { ...main, prepare, stop };
}

it('a payment that was refused before signed transactions were noted holds its coins after the update', async () => {
  const { wallet, payments, prepare, stop } = await open();
  const fund = (satoshis: number) => harness.node.mine([payment({ script: wallet.lockingScript(), satoshis })]);
  fund(50_000);
  await wallet.follow();
  const { id, review } = await prepare(FOREIGN);
  const { txid } = await payments.approve({ id, digest: review.digest });
  const sends = await harness.store.db.selectFrom('wallet_sends').selectAll().execute();
  const state = await harness.store.db.selectFrom('wallet_state').selectAll().execute();
  const coins = await harness.store.db.selectFrom('wallet_coins').selectAll().execute();
  expect(coins.map((coin) => coin.spent_by)).toEqual([null]);
  await stop();
  await harness.store.close();

  const file = join(harness.folder, 'wallet.db');
  for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true });
  const before = walletMigrations.slice(
    0,
    walletMigrations.findIndex(({ name }) => name === 'wallet-0015-signed'),
  );
  const old = await openStore<WalletTables>({ file, migrations: before });
  await old.db.insertInto('wallet_sends').values(sends).execute();
  await old.db.insertInto('wallet_state').values(state).execute();
  await old.db.insertInto('wallet_coins').values(coins).execute();
  await old.close();

  // Another coin, which fits better.
  fund(40_000);
  await harness.reopenStore();
  const updated = await open();
  expect(updated.wallet.fateOf(txid as string)).toBe('open');
  expect(updated.wallet.balance()).toMatchObject({ spendable: 40_000, reserved: 50_000 });
  const again = await updated.prepare(FOREIGN);
  expect(again.review.inputs.map(({ satoshis }) => satoshis)).toContain(50_000);
  expect(again.review.checks.find((check) => check.id === 'replaces')).toMatchObject({ passed: true });
  await updated.payments.cancel({ id: again.id });
  const other = await updated.prepare(OTHER);
  expect(other.review.inputs.map(({ satoshis }) => satoshis)).toEqual([40_000]);
  await updated.stop();
});
