import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { PrivateKey } from '@bsv/sdk';
import { OrdP2PKH } from 'js-1sat-ord';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  fromHex,
  hash160,
  p2pkhScript,
  parseTx,
  satoshis,
  serializeTx,
  signP2pkhInputs,
  type Tx,
  toHex,
  txidOf,
} from '../../chain/index.ts';
import { closeTestHost, newDataDir, openTestHost, type TestHost, until } from '../test-support/hosts/open-host.ts';
import { publicSourcesAt } from '../test-support/public-sources-at.ts';

const WORDS = 'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about';
const TOKENS = 300;
/** Tokens of one transaction. */
const A_TRANSACTION = 6;
const FEE = 20_000;
const issuer = PrivateKey.fromHex('0b'.repeat(32));
const issuerScript = p2pkhScript(hash160(fromHex(issuer.toPublicKey().toString())));

let network: TestHost;
let services: string;
let opened: TestHost | undefined;
const asked: string[] = [];
const note = (message: unknown): void => {
  const { origin, path } = (message as { request: { origin: string; path: string } }).request;
  if (origin === services && /^\/(woc|bananablocks|1sat)\//.test(path)) asked.push(path);
};

beforeAll(async () => {
  subscribe('undici:request:create', note);
  network = await openTestHost({ dataDir: newDataDir(), overrides: { 'sandbox.mineOnArrival': '' } });
  services = network.host.info().endpoints.sandbox as string;
});
afterAll(async () => {
  unsubscribe('undici:request:create', note);
  if (opened) await closeTestHost(opened);
  await closeTestHost(network);
});

/** An installation elsewhere, with the same words. */
async function restored(dataDir: string): Promise<TestHost> {
  const publicSources = publicSourcesAt(services, ['whatsonchain', 'bananablocks', 'onesat']);
  const host = await openTestHost({
    dataDir,
    overrides: { network: 'test', chainData: 'public', publicSources },
    passphrase: async () => 'one long passphrase',
  });
  if ((await host.client.wallet.status()).state === 'missing') await host.client.wallet.restore({ words: WORDS });
  return host;
}

async function send(tx: Tx): Promise<void> {
  const answer = await fetch(`${services}/woc/v1/bsv/test/tx/raw`, {
    method: 'POST',
    body: JSON.stringify({ txhex: toHex(serializeTx(tx)) }),
  });
  expect(await answer.text()).toBe(txidOf(tx));
}

const input = ({ txid, vout }: { txid: string; vout: number }) => ({
  txid,
  vout,
  script: new Uint8Array(),
  sequence: 0xffffffff,
});

/** Inscriptions for a key, in a chain of transactions that a coin pays, some in each block. */
async function inscribe(publicKey: string, from: { txid: string; vout: number; satoshis: number }): Promise<void> {
  const script = fromHex(
    new OrdP2PKH()
      .lock(PrivateKey.fromHex('01'.repeat(32)).toAddress(), { dataB64: 'aGVsbG8=', contentType: 'text/plain' })
      .toHex()
      .replace(
        toHex(hash160(fromHex(PrivateKey.fromHex('01'.repeat(32)).toPublicKey().toString()))),
        toHex(hash160(fromHex(publicKey))),
      ),
  );
  let coin = from;
  for (let made = 0; made < TOKENS; made += A_TRANSACTION) {
    const tokens = Array.from({ length: A_TRANSACTION }, () => ({ satoshis: satoshis(1), script }));
    const change = { satoshis: satoshis(coin.satoshis - A_TRANSACTION - FEE), script: issuerScript };
    const unsigned: Tx = { version: 1, inputs: [input(coin)], outputs: [...tokens, change], lockTime: 0 };
    const spent = { ...coin, satoshis: satoshis(coin.satoshis), lockingScript: issuerScript };
    const tx = signP2pkhInputs(unsigned, [spent], issuer);
    await send(tx);
    if (made % 60 === 0) await network.client.sandbox.mine({ blocks: 1 });
    coin = { txid: txidOf(tx), vout: A_TRANSACTION, satoshis: change.satoshis };
  }
  await network.client.sandbox.mine({ blocks: 1 });
}

it('a restore without a node finds three hundred inscriptions of its words, asks no more than it must, and goes on after a restart', async () => {
  const first = await restored(newDataDir());
  const publicKey = (await first.client.wallet.status()).publicKey as string;
  await closeTestHost(first);

  const { txid } = await network.client.sandbox.fund({
    address: issuer.toAddress('testnet'),
    satoshis: 5_000_000,
  });
  await network.client.sandbox.mine({ blocks: 1 });
  const bytes = await (await fetch(`${services}/woc/v1/bsv/test/tx/${txid}/bin`)).arrayBuffer();
  const vout = parseTx(new Uint8Array(bytes)).outputs.findIndex(({ script }) => toHex(script) === toHex(issuerScript));
  await inscribe(publicKey, { txid, vout, satoshis: 5_000_000 });

  asked.length = 0;
  const dataDir = newDataDir();
  opened = await restored(dataDir);
  const tokens = async (): Promise<number> => (await opened?.client.wallet.balance())?.tokens ?? 0;
  // in the middle
  await until(async () => (await tokens()) > 0);
  await closeTestHost(opened, { keepData: true });
  const proofs = () => asked.filter((path) => path.includes('/proof')).length;
  opened = await restored(dataDir);
  await until(async () => (await tokens()) === TOKENS);
  const coins = (await opened.client.wallet.coins.list()).filter(({ kind }) => kind === 'token');
  expect(new Set(coins.map(({ outpoint }) => outpoint)).size).toBe(TOKENS);
  expect(coins.every(({ confirmations }) => confirmations > 0)).toBe(true);
  // each transaction is shown once; once more those of the part that was broken off
  const transactions = TOKENS / A_TRANSACTION;
  expect(proofs()).toBeLessThanOrEqual(transactions + 25);
  expect(asked.length).toBeLessThanOrEqual(200);
});
