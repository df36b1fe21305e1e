import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { PrivateKey } from '@bsv/sdk';
import Database from 'better-sqlite3';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { decodeAddress, p2pkhScript, satoshis, toHex } from '../../chain/index.ts';
import { PlanchetError } from '../../contract/index.ts';
import { createNodeChainData } from '../chain-data/node/node-chain-data.ts';
import { failureOf } from '../commands/shared/run.ts';
import { DisposableStore } from '../infrastructure/disposables.ts';
import type { FeeQuote } from '../ports/merchant/merchant.ts';
import { addItem, closeTestHost, freePorts, newDataDir, openTestHost, until } from '../test-support/hosts/open-host.ts';
import { payment } from '../wallet/test-support/test-node.ts';
import { type Harness, makeHarness } from '../wallet/test-support/test-wallet.ts';
import type { Wallet } from '../wallet/wallet.ts';
import { createWalletSystems, type WalletSystems } from './create-wallet.ts';

const PAYEE = '1AGNa15ZQXAZUgFiqJ2i7Z2DPU2J6hW62i';
const PASSPHRASE = 'correct horse battery';
const RATE = { satoshis: 50, bytes: 1_000 };

let harness: Harness;
let wallet: Wallet;
let systems: WalletSystems;
const disposables = new DisposableStore();
beforeEach(async () => {
  harness = await makeHarness(new PlanchetError({ code: 'vault-locked', message: 'The vault is locked.' }));
  wallet = await harness.open('main');
  await wallet.create();
  const { clock, store, secrets, node, headers } = harness;
  const chainData = createNodeChainData(node, headers);
  const base = {
    network: 'main',
    store,
    clock,
    vault: secrets,
    settings: { current: () => harness.settings },
    events: { publish: () => {} },
    disposables,
    outbound: () => undefined,
    logging: { logger: pino({ enabled: false }) },
  };
  const quote: FeeQuote = { standard: RATE, data: RATE, expiresAt: Number.MAX_SAFE_INTEGER };
  systems = await createWalletSystems({}, base as never, { node, chainData, headers, tips: node } as never, {
    wallet,
    merchant: { feeQuote: async () => quote } as never,
    tracker: { onChange: () => () => {} } as never,
    isBusy: () => false,
  });
  await wallet.start();
  await systems.accounts.start();
});
afterEach(async () => {
  await systems.accounts.stop();
  await disposables.dispose();
  await wallet.stop();
  await harness.remove();
});

/** Pays an address in a block, and waits until its wallet has seen it. */
async function fund(of: Wallet, value: number): Promise<void> {
  const script = p2pkhScript(decodeAddress(of.address()).pubKeyHash);
  harness.node.mine([payment({ script, satoshis: value })]);
  await until(async () => of.balance().confirmed === value);
}

async function messageOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'nothing failed',
    (error: unknown) => failureOf(error).message,
  );
}

it('real money is sent, reserved for a mint, consolidated and swept only after a backup was checked', async () => {
  const { walletView: view, accounts } = systems;
  await fund(wallet, 200_000);
  const paper = await accounts.importKey({ name: 'Paper', wif: new PrivateKey(4_711).toWif(), birthHeight: 0 });
  await fund(accounts.get(paper.id).wallet, 50_000);
  await until(async () => (await accounts.list()).every(({ searching }) => !searching));
  await accounts.switch({ id: 'main' });

  const request = { to: [{ address: PAYEE, satoshis: 1_000 }] };
  const send = () => view.send.prepare({ request, idempotencyKey: randomUUID() });
  const consolidate = () => view.consolidate({ idempotencyKey: randomUUID() });
  const sweep = () => view.sweep({ account: paper.id, idempotencyKey: randomUUID() });
  const mint = () => wallet.reserve('a mint', satoshis(1_000), () => satoshis(100));
  const refused = /^Nothing is spent yet: no backup of this wallet has passed its check/;

  expect(await view.backup.status()).toMatchObject({ required: true, checkedAt: null });
  for (const spend of [send, consolidate, sweep, mint]) expect(await messageOf(spend())).toMatch(refused);
  expect(wallet.balance()).toMatchObject({ spendable: 200_000, reserved: 0 });
  expect(await view.send.list()).toEqual([]);

  const { text } = await view.backup.create({ passphrase: PASSPHRASE });
  expect(await messageOf(send())).toMatch(refused);
  await view.backup.check({ text, passphrase: PASSPHRASE });
  for (const spend of [send, consolidate]) await view.send.cancel({ id: (await spend()).id });
  await view.send.cancel({ id: (await sweep()).send.id });
  expect(await mint()).toMatchObject([{ satoshis: 200_000 }]);
});

it('a mint on the main network stops before it reserves coins, and goes on to the service after the check', async () => {
  const dataDir = newDataDir();
  // The token service and the miner of a sandbox stand in for those of the main network.
  const services = await openTestHost({ dataDir: newDataDir(), scope: 'core' });
  const { baseUrl, mapi } = (await services.client.app.info()).endpoints;
  const overrides = { ...freePorts, network: 'main', baseUrl: baseUrl as string, mapiUrl: mapi as string };
  const open = () => openTestHost({ dataDir, scope: 'core', overrides, passphrase: async () => PASSPHRASE });
  let opened = await open();
  try {
    await opened.client.settings.set({ key: 'apiKey', value: services.host.sandboxApiKey() });
    await opened.client.wallet.create({ words: 12 });
    const { address: destination } = (await opened.client.wallet.status()) as { address: string };
    await closeTestHost(opened, { keepData: true });
    storeCoin(join(dataDir, 'main', 'planchet.db'), destination, 200_000);
    opened = await open();

    const { client } = opened;
    const balance = async () => (await client.wallet.status()).balance;
    const { uid } = await client.projects.create({ name: 'Moons', type: 'single' });
    const item = await addItem(client, uid, { name: 'moon.txt', bytes: Buffer.from('a moon') });
    const { id } = await client.mint.create({ itemIds: [item], destination, idempotencyKey: randomUUID() });
    const failure = await until(async () => (await client.mint.get({ id })).failure ?? false);
    expect(failure).toMatchObject({ code: 'conflict', id: 'wallet.backup-unchecked' });
    expect(await balance()).toMatchObject({ spendable: 200_000, reserved: 0 });

    const { text } = await client.wallet.backup.create({ passphrase: PASSPHRASE });
    await client.wallet.backup.check({ text, passphrase: PASSPHRASE });
    await client.mint.retry({ id });
    // The sandbox's service builds nothing for an address of the main network.
    await until(async () => (await client.mint.get({ id })).failure?.id === 'token-service.rejected');
  } finally {
    await closeTestHost(opened);
    await closeTestHost(services);
  }
});

/** Writes a coin of the wallet's main address into the database of a host that does not run: no node of the main network is at hand. */
function storeCoin(file: string, address: string, satoshis: number): void {
  const database = new Database(file);
  database
    .prepare(
      `insert into wallet_coins (network, txid, vout, satoshis, script, kind, key_index, coinbase, height)
       values ('main', ?, 0, ?, ?, 'funding', 0, 0, 1)`,
    )
    .run('ab'.repeat(32), satoshis, toHex(p2pkhScript(decodeAddress(address).pubKeyHash)));
  database.close();
}
