import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Network } from '../../../contract/index.ts';
import type { Store } from '../../ports/store.ts';
import { openStore } from '../../store/store.ts';
import { walletMigrations } from '../migrations.ts';
import type { WalletTables } from '../tables.ts';
import { KnownWallet } from './known-wallet.ts';

const [first, second, third] = ['02'.repeat(33), '03'.repeat(33), '04'.repeat(33)] as [string, string, string];
const url = 'http://127.0.0.1:3321';
const refusal = (key: string) => expect.objectContaining({ id: 'wallet.external-changed', values: { url, key } });

let folder: string;
let store: Store<WalletTables>;
/** What people were told, in order: a key that is refused, or nothing any more. */
let told: (string | undefined)[];
let logged: string[];
let now: number;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'planchet-known-wallet-'));
  const file = join(folder, 'wallet.db');
  store = await openStore<WalletTables>({ file, migrations: walletMigrations, synchronous: 'normal' });
  told = [];
  logged = [];
  now = 1_000;
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

function open(network: Network = 'main'): Promise<KnownWallet> {
  return KnownWallet.open({
    network,
    store,
    clock: { now: () => now },
    notices: {
      add: ({ failure }) => void told.push(String((failure.values as { key: string }).key)),
      dismiss: () => void told.push(undefined),
    },
    logger: pino({ level: 'info' }, { write: (line: string) => void logged.push(line) }),
    url,
  });
}

it('the first external wallet that answers is remembered, over a restart, for its network', async () => {
  const wallet = await open();
  expect(wallet.view()).toEqual({ url, identityKey: null, since: null, refused: null });
  await wallet.check(first);
  now = 2_000;
  await wallet.check(first);
  expect(wallet.identityKey).toBe(first);
  expect((await open()).view()).toEqual({ url, identityKey: first, since: 1_000, refused: null });
  expect((await open('test')).identityKey).toBeUndefined();
  expect(told).toEqual([]);
  expect(logged).toHaveLength(1);
});

it('another external wallet is refused until it is accepted, which is said once for each', async () => {
  const wallet = await open();
  await wallet.check(first);
  await expect(wallet.check(second)).rejects.toEqual(refusal(second));
  await expect(wallet.check(second)).rejects.toEqual(refusal(second));
  await expect(wallet.check(third)).rejects.toEqual(refusal(third));
  expect(told).toEqual([second, third]);
  expect(wallet.view().refused).toMatchObject({
    detail: { url, knownKey: first, knownSince: '1970-01-01T00:00:01.000Z', offeredKey: third },
  });
  expect(wallet.identityKey).toBe(first);
  now = 3_000;
  await wallet.accept(third);
  expect(wallet.refusal).toBeUndefined();
  await wallet.check(third);
  expect(told).toEqual([second, third, undefined]);
  expect(logged).toHaveLength(2);
  expect((await open()).view()).toMatchObject({ identityKey: third, since: 3_000 });
  await expect(wallet.check(first)).rejects.toEqual(refusal(first));
});

it('the known external wallet is used again as soon as it answers', async () => {
  const wallet = await open();
  await wallet.check(first);
  await wallet.check(second).catch(() => undefined);
  await wallet.check(first);
  expect(wallet.refusal).toBeUndefined();
  expect(told).toEqual([second, undefined]);
});

it('only one of two external wallets that answer at once is the first', async () => {
  const wallet = await open();
  const both = await Promise.allSettled([wallet.check(first), wallet.check(second)]);
  expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  expect((await open()).identityKey).toBe(first);
});

it('an external wallet whose key could not be written down is not known', async () => {
  const wallet = await open();
  vi.spyOn(store.db, 'insertInto').mockImplementation(() => {
    throw new Error('disk full');
  });
  await expect(wallet.check(first)).rejects.toThrow('disk full');
  expect(wallet.identityKey).toBeUndefined();
  await expect(wallet.accept(first)).rejects.toThrow('disk full');
  expect(wallet.identityKey).toBeUndefined();
});
