import { Transaction } from '@bsv/sdk';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestSandbox } from '../sandbox/test-support/open-sandbox.ts';
import { openJoinedHost } from '../test-support/hosts/joined-host.ts';
import {
  closeTestHost,
  filledDataDir,
  newDataDir,
  openTestHost,
  type TestHost,
  until,
} from '../test-support/hosts/open-host.ts';

let other: TestHost;
let here: TestHost;
let dataDir: string;

const open = () => openJoinedHost(other, { dataDir });

beforeAll(async () => {
  other = await openTestHost({
    dataDir: await filledDataDir(),
    overrides: { 'sandbox.mineOnArrival': '', 'sandbox.mineInterval': '0' },
  });
  dataDir = await filledDataDir();
  here = await open();
});
afterAll(async () => {
  await closeTestHost(here);
  await closeTestHost(other);
});

it('a coin is kept with its transaction and path, so that it is exported while nobody answers, also after a restart', async () => {
  await here.client.wallet.create({ words: 12 });
  const { address } = await here.client.wallet.status();
  const { txid } = await other.client.sandbox.fund({ address: address as string, satoshis: 60_000 });
  await other.client.sandbox.mine({ blocks: 1 });
  const outpoint = await until(async () => {
    const coins = await here.client.wallet.coins.list();
    return coins.find((coin) => coin.height !== null && coin.outpoint.startsWith(txid))?.outpoint;
  });
  const beef = async () => {
    const file = await here.client.wallet.coins.beef({ outpoint });
    return Buffer.from(await file.arrayBuffer());
  };
  const first = await beef();
  const tx = Transaction.fromBEEF([...first]);
  expect(tx.id('hex')).toBe(txid);
  expect(tx.merklePath).toBeDefined();
  // nobody has it any more, and nobody tells of it
  for (const area of ['woc', 'bananablocks'] as const)
    await other.client.sandbox.faults.set({ name: 'http-error', value: 503, times: null, area });
  expect((await beef()).equals(first)).toBe(true);
  await closeTestHost(here, { keepData: true });
  here = await open();
  expect((await here.client.headers.status()).isAgreed).toBe(false);
  expect((await beef()).equals(first)).toBe(true);
});

it('a coin that came in a block of a node is kept with its path too, and exported while the node is away', async () => {
  const network = await TestSandbox.open();
  const folder = newDataDir();
  const openOver = () =>
    openTestHost({
      dataDir: folder,
      overrides: { network: 'test', chainData: 'node', bitcoinRpcUrl: network.service.endpoints().bitcoinRpcUrl },
      passphrase: async () => 'the passphrase of the vault',
    });
  let over = await openOver();
  try {
    await over.client.wallet.create({ words: 12 });
    const { address } = await over.client.wallet.status();
    const { txid } = await network.service.fund({ address: address as string, satoshis: 60_000 });
    await network.service.mine({ blocks: 1 });
    const outpoint = await until(async () => {
      const coins = await over.client.wallet.coins.list();
      return coins.find((coin) => coin.height !== null && coin.outpoint.startsWith(txid))?.outpoint;
    });
    await closeTestHost(over, { keepData: true });
    await network.service.faults.set({ name: 'http-error', value: 503, times: null, area: 'rpc' });
    over = await openOver();
    const file = await over.client.wallet.coins.beef({ outpoint });
    const tx = Transaction.fromBEEF([...new Uint8Array(await file.arrayBuffer())]);
    expect(tx.id('hex')).toBe(txid);
    expect(tx.merklePath).toBeDefined();
  } finally {
    await closeTestHost(over);
    await network.remove();
  }
});
