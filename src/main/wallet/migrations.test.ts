import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openStore } from '../store/store.ts';
import { walletMigrations } from './migrations.ts';
import type { WalletTables } from './tables.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'planchet-tables-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it('the migration keeps which keys were paid, told by the coins of a wallet of before, and has its blocks read again', async () => {
  const file = join(folder, 'wallet.db');
  const until = walletMigrations.findIndex(({ name }) => name === 'wallet-0012-used-keys');
  const before = await openStore<WalletTables>({ file, migrations: walletMigrations.slice(0, until) });
  const state = { key_index: 0, keys: 'aa bb', birth_height: 7 };
  const rows = [
    { network: 'test', owner: 'aa', ...state },
    { network: 'test/3', owner: 'cc', ...state },
  ];
  await before.db
    .insertInto('wallet_state')
    .values(rows as never)
    .execute();
  const coin = (network: string, vout: number, key_index: number, height: number | null) => {
    const money = { satoshis: 5, script: '', kind: 'funding', coinbase: 0, spent_by: null, spent_height: null };
    return { network, txid: 'ff', vout, key_index, height, ...money };
  };
  const coins = [coin('test', 0, 4, 9), coin('test', 1, 4, 8), coin('test', 2, 5, null), coin('test/3', 0, 0, 11)];
  await before.db
    .insertInto('wallet_coins')
    .values(coins as never)
    .execute();
  await before.close();
  const after = await openStore<WalletTables>({ file, migrations: walletMigrations });
  const used = await after.db.selectFrom('wallet_used_keys').selectAll().orderBy('key_index').execute();
  expect(used).toEqual([
    { network: 'test/3', owner: 'cc', key_index: 0, height: 11 },
    { network: 'test', owner: 'aa', key_index: 4, height: 8 },
    { network: 'test', owner: 'aa', key_index: 5, height: null },
  ]);
  expect(await after.db.selectFrom('wallet_state').select(['keys', 'birth_height', 'searched_to']).execute()).toEqual([
    { keys: '', birth_height: 7, searched_to: null },
    { keys: '', birth_height: 7, searched_to: null },
  ]);
  await after.close();
});
