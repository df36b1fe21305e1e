import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { satoshis, serializeTx } from '../../../chain/index.ts';
import { settingsSchema } from '../../../contract/index.ts';
import { createNodeChainData } from '../../chain-data/node/node-chain-data.ts';
import { openStore } from '../../store/store.ts';
import { SameWallet } from '../../test-support/crash/same-wallet.ts';
import { StillClock } from '../../test-support/still-clock.ts';
import { verifiedHeaders } from '../../test-support/verified-headers.ts';
import { walletMigrations } from '../../wallet/migrations.ts';
import type { WalletTables } from '../../wallet/tables.ts';
import { Wallet } from '../../wallet/wallet.ts';
import { createWorkerPool } from '../../workers/worker-pool.ts';
import { unsignedTx } from '../sending/data-transaction.ts';
import { openWriterStore } from '../storage/store.ts';
import { poolKey, TestHarness } from '../test-support/harness.ts';
import { API_KEY, PATIENCE_MS, WriterProcesses } from '../test-support/writer-client.ts';

const workers = createWorkerPool({ size: 1 });

let harness: TestHarness;
/** Two machines with one database. */
let here: WriterProcesses;
let there: WriterProcesses;
let opened: { stop(): Promise<unknown> }[];
beforeEach(async () => {
  harness = new TestHarness(1_000_000, 1_000_000);
  here = await WriterProcesses.open();
  there = await WriterProcesses.sharing(here);
  opened = [];
});
afterEach(async () => {
  await Promise.all(opened.map((one) => one.stop()));
  await here.close();
  await there.close();
});

/** The wallet that both machines have, on one of them. Its clock stands still: it looks at the chain at its start, and when it is asked to. */
async function openWallet(machine: WriterProcesses): Promise<Wallet> {
  const store = await openStore<WalletTables>({
    file: join(machine.folder, 'wallet.db'),
    migrations: walletMigrations,
    synchronous: 'normal',
  });
  const clock = new StillClock(Date.now());
  const { header: first } = harness.blocks[0] as (typeof harness.blocks)[number];
  const headers = verifiedHeaders({ dataDir: machine.folder, clock, node: harness.node, first });
  const wallet = await Wallet.open({
    network: 'sandbox',
    secrets: new SameWallet(API_KEY),
    clock,
    headers,
    notices: { add: () => undefined, dismiss: () => undefined },
    store,
    settings: { current: () => settingsSchema.parse({}) },
    chainData: createNodeChainData(harness.node, headers),
    scripts: workers.verifyInputs,
    tips: { current: () => null, onTip: () => () => undefined },
    events: { publish: () => undefined },
    logger: pino({ level: 'silent' }),
  });
  opened.push({ stop: () => wallet.stop().then(() => Promise.all([headers.close(), store.close()])) });
  return wallet;
}

/** Pays everything the harness has to the wallet, in two coins and a block. */
async function fund(wallet: Wallet): Promise<void> {
  for (const coin of await harness.wallet.reserve('gift', satoshis(1_900_000), () => satoshis(0))) {
    const tx = unsignedTx([coin], [{ satoshis: satoshis(coin.satoshis - 500), script: wallet.lockingScript() }]);
    expect(harness.take(await harness.wallet.sign(serializeTx(tx), [coin]))).toBeUndefined();
  }
  harness.mine();
}

it('a machine whose wallet has not seen the block with the split of the other does not spend the same coin again', async () => {
  const wallets = [await openWallet(here), await openWallet(there)] as const;
  await fund(wallets[0]);
  for (const wallet of wallets) await wallet.start();
  const settings = { writerPoolCoins: 1, writerPoolCoinSatoshis: 1_000 };
  const ownKey = { poolKey: () => poolKey.slice() };
  const first = await here.start(harness, { settings, options: { ...ownKey, wallet: wallets[0] } });
  const second = await there.start(harness, { settings, options: { ...ownKey, wallet: wallets[1] } });

  expect((await first.write('1')).status).toBe(201);
  await first.service.stop();
  const store = await openWriterStore('', here.databaseUrl);
  try {
    const states = async (): Promise<string[]> => {
      harness.mine();
      const splits = store.db.selectFrom('writer_transactions').select('state').where('kind', '=', 'split');
      return [...new Set((await splits.execute()).map(({ state }) => state))];
    };
    await expect.poll(states, { timeout: PATIENCE_MS }).toEqual(['proven']);
  } finally {
    await store.close();
  }
  // Costs more than any coin of the pool has, so that one more is split off the wallet.
  expect((await second.write(JSON.stringify('x'.repeat(5_000)))).json).toMatchObject({ status: 201 });
});
