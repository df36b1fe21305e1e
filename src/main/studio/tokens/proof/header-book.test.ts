import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Tip } from '../../../../contract/index.ts';
import type { Store } from '../../../ports/store.ts';
import { openStore } from '../../../store/store.ts';
import { type StudioTables, studioMigrations } from '../../tables.ts';
import { TestChain } from '../../test-support/test-chain.ts';
import { createHeaderBook, type HeaderBook } from './header-book.ts';
import { knownHeaders } from './known-headers.ts';

let folder: string;
let store: Store<StudioTables>;
let chain: TestChain;
let book: HeaderBook;
let listener: ((tip: Tip) => void) | undefined;
let away = false;
const calls: string[] = [];

const tipOf = ({ blocks }: TestChain): Tip =>
  ({ hash: blocks.at(-1)?.hash, height: blocks.length - 1, time: 0, at: 0 }) as unknown as Tip;
const known = (): boolean[] => {
  const hashes = chain.blocks.map(({ hash }) => hash);
  const found = knownHeaders(folder, 'sandbox', hashes);
  return hashes.map((hash) => found.has(hash));
};
/** Everything that was told so far is stored. */
async function settle(): Promise<void> {
  await book.stop();
  book.start();
  await book.stop();
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'planchet-headers-'));
  mkdirSync(join(folder, 'sandbox'));
  store = await openStore<StudioTables>({ file: join(folder, 'sandbox', 'planchet.db'), migrations: studioMigrations });
  chain = new TestChain();
  calls.length = 0;
  book = createHeaderBook({
    network: 'sandbox',
    store,
    logger: pino({ enabled: false }),
    tip: {
      current: () => tipOf(chain),
      onTip: (told) => {
        listener = told;
        return () => {
          listener = undefined;
        };
      },
    },
    node: {
      call: async <T>(method: string, params: readonly unknown[] = []): Promise<T> => {
        calls.push(String(params[0]));
        if (away) throw new Error('away');
        return chain.call(method, params) as T;
      },
    },
  });
});
afterEach(async () => {
  await book.stop();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

it('stores the chain below the tip once, and goes on from there', async () => {
  await settle();
  expect(known()).toEqual([true, true]);
  const before = calls.length;
  chain.mine();
  chain.mine();
  expect(known()).toEqual([true, true, false, false]);
  book.start();
  listener?.(tipOf(chain));
  await book.stop();
  await settle();
  expect(known()).toEqual([true, true, true, true]);
  expect(calls.length - before).toBe(2);
});

it('forgets a branch that was left', async () => {
  chain.mine();
  await settle();
  const left = chain.blocks.at(-1)?.hash as string;
  chain.reorg(1);
  await settle();
  expect(known()).toEqual([true, true, true, true]);
  expect(knownHeaders(folder, 'sandbox', [left]).size).toBe(0);
});

it('reads what it missed while no node answered', async () => {
  away = true;
  await settle();
  expect(known()).toEqual([false, false]);
  away = false;
  await settle();
  expect(known()).toEqual([true, true]);
});

it('stores no header that is another block’s', async () => {
  const hash = 'ab'.repeat(32);
  chain.blocks = chain.blocks.map((block, index) => (index === 1 ? { ...block, hash } : block));
  await settle();
  expect(knownHeaders(folder, 'sandbox', [hash]).size).toBe(0);
});
