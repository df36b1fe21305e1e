import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { SandboxFault } from '../../contract/index.ts';
import { output, payment } from '../sandbox/test-support/merchant.ts';
import { TestSandbox } from '../sandbox/test-support/open-sandbox.ts';
import { closeTestHost, newDataDir, openTestHost, type TestHost, until } from '../test-support/hosts/open-host.ts';
import { publicSourcesAt } from '../test-support/public-sources-at.ts';
import { INSCRIBED } from '../wallet/test-support/inscribed.ts';

const PASSPHRASE = 'the passphrase of the vault';
/** Blocks that the node keeps, and how many come while the installation is closed. */
const [KEPT, MISSED] = [4, 20];
const FIRST = 100_000;
const LATER = 30_000;
const AFTER = 7_000;

let network: TestSandbox;
let here: TestHost | undefined;

beforeAll(async () => {
  network = await TestSandbox.open();
});
afterEach(async () => {
  if (here) await closeTestHost(here);
  here = undefined;
  await network.service.faults.clear({});
});
afterAll(() => network.remove());

/** An installation over the node of the network, and its public services where it asks those. */
async function open(dataDir: string, chainData: string): Promise<TestHost> {
  here = await openTestHost({
    dataDir,
    overrides: {
      network: 'test',
      bitcoinRpcUrl: network.service.endpoints().bitcoinRpcUrl,
      chainData,
      publicSources: publicSourcesAt(network.root, ['whatsonchain', 'bananablocks', 'onesat']),
    },
    passphrase: async () => PASSPHRASE,
  });
  return here;
}

const mine = (blocks = 1) => network.service.mine({ blocks });
const prune = () => network.service.faults.set({ name: 'pruned-blocks', value: KEPT, times: null, area: 'all' });
const confirmed = async () => (await (here as TestHost).client.wallet.status()).balance.confirmed;
const unconfirmed = async () => (await (here as TestHost).client.wallet.status()).balance.unconfirmed;
const notice = () => here?.host.notices().find(({ id }) => id === 'wallet-chain')?.failure?.id;
/** A fault of one name is for one service. */
const silences = { woc: 'html-answer', bananablocks: 'drop-connection', onesat: 'half-answer' } as const;
const silence = async (): Promise<void> => {
  for (const [area, name] of Object.entries(silences) as [keyof typeof silences, SandboxFault['name']][])
    await network.service.faults.set({ name, value: 0, times: null, area });
};

async function inscribe(publicKey: string): Promise<void> {
  const coin = await network.coin(50_000);
  const script = (INSCRIBED.before as (key: string) => Uint8Array)(publicKey);
  await network.service.node.submit(payment([coin], [output(1, script), output(48_000)]));
}

/** A wallet with money and a payment under way, closed; then the payment is mined, and money and a token come, further back than the node keeps. */
async function closedWallet(): Promise<{ dataDir: string; words: string; payment: { id: string; left: number } }> {
  const dataDir = newDataDir();
  const { client } = await open(dataDir, 'node');
  await client.wallet.create({ words: 12 });
  const { words } = await client.wallet.seed.reveal({ passphrase: PASSPHRASE });
  const { address, publicKey } = await client.wallet.status();
  await network.service.fund({ address: address as string, satoshis: FIRST });
  await mine();
  await until(async () => (await confirmed()) === FIRST);
  await client.miners.add({
    name: 'ARC',
    kind: 'arc',
    url: `${network.root}/arc/v1`,
    apiKey: network.service.apiKey(),
  });
  const request = { to: [{ address: 'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn', satoshis: 20_000 }], label: '' };
  const { id, review } = await client.wallet.send.prepare({ request, idempotencyKey: randomUUID() });
  await client.wallet.send.approve({ id, digest: review.digest });
  await until(() => Promise.resolve(network.service.node.mempool.size === 1));
  const { address: second } = await client.wallet.addresses.next({ label: '' });
  await closeTestHost(here as TestHost, { keepData: true });
  here = undefined;
  await mine();
  await network.service.fund({ address: second, satoshis: LATER });
  await inscribe(publicKey as string);
  await mine(MISSED);
  return { dataDir, words, payment: { id, left: FIRST - 20_000 - review.fee } };
}

it('a wallet that was closed for longer than its node keeps blocks goes on by public services, payments and tokens too', async () => {
  const { dataDir, payment: sent } = await closedWallet();
  await prune();
  const { client } = await open(dataDir, 'both');
  await until(async () => (await confirmed()) === sent.left + LATER);
  await until(async () => (await client.wallet.send.get({ id: sent.id })).state === 'mined');
  expect((await client.wallet.balance()).tokens).toBe(1);
  const { txid } = await client.wallet.send.get({ id: sent.id });
  await until(async () => (await client.tx.get({ txid: txid as string })).state === 'proven');
  expect(notice()).toBeUndefined();
  // a block that the node does not keep is shown with what public services list
  const { block } = await client.tx.get({ txid: txid as string });
  const shown = await client.explorer.block({ hash: block?.hash as string, search: txid as string, from: 0 });
  expect(shown.rows.map((row) => row.txid)).toEqual([txid]);
  // from there on the node is enough
  await silence();
  const { address } = await client.wallet.addresses.next({ label: '' });
  await network.service.fund({ address, satoshis: AFTER });
  await mine();
  await until(async () => (await confirmed()) === sent.left + LATER + AFTER);
});

it('a wallet on a pruned node says which block is missing where nobody else is asked, and where nobody answers; then goes on', {
  tags: 'long',
}, async () => {
  const { dataDir, payment: sent } = await closedWallet();
  await prune();
  await open(dataDir, 'node');
  await until(async () => notice() === 'chain.block-pruned');
  // as it was: nothing is guessed, and nothing is lost
  expect(await unconfirmed()).toBe(sent.left);
  await closeTestHost(here as TestHost, { keepData: true });
  await silence();
  await open(dataDir, 'both');
  await until(async () => notice() === 'wallet.missing-not-told');
  // as it was: nothing is guessed
  expect(await unconfirmed()).toBe(sent.left);
  for (const name of Object.values(silences)) await network.service.faults.clear({ name });
  await until(async () => (await confirmed()) === sent.left + LATER && notice() === undefined);
});

it('a wallet of whose blocks its node keeps the newest alone is restored from its words', async () => {
  const { payment: sent, words } = await closedWallet();
  await prune();
  await open(newDataDir(), 'both');
  await here?.client.wallet.restore({ words });
  await until(async () => (await confirmed()) === sent.left + LATER);
  expect((await here?.client.wallet.balance())?.tokens).toBe(1);
});
