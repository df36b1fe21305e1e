import { randomUUID } from 'node:crypto';
import { PrivateKey, Utils } from '@bsv/sdk';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  concatBytes,
  formatOutpoint,
  fromHex,
  hash160,
  p2pkhScript,
  parseTx,
  type Tx,
  type Utxo,
  verifyScripts,
} from '../../chain/index.ts';
import type { WalletSend } from '../../contract/index.ts';
import { oneHost } from '../test-support/hosts/one-host.ts';
import { FIRST_MONEY, type TestClient, until, walletFilled } from '../test-support/hosts/open-host.ts';
import { OwnCoins } from '../test-support/hosts/own-coins.ts';
import { INSCRIBED } from '../wallet/test-support/inscribed.ts';

const FOREIGN = 'mkpZhYtJu2r87Js3pDiWJDmPte2NRZ8bJV';
/** Contents of a contract of redeemable tokens. */
const SCHEMA = { name: 'Voucher', tokenId: '00'.repeat(20), symbol: 'CAFE', satsPerToken: 10, totalSupply: 100 };

/** `OP_FALSE OP_IF "ord" OP_1 "a" OP_0 "b" OP_ENDIF`. */
const ENVELOPE = fromHex('0063036f7264510161000162' + '68');

const outside = new OwnCoins();
const hosts = oneHost();
let client: TestClient;
beforeEach(async () => {
  ({ client } = await hosts.open({ scope: 'core', overrides: { gatewayBroadcast: 'on' } }));
  await walletFilled(client);
});

const inscribed = (publicKey: string): Uint8Array[] => Object.values(INSCRIBED).map((write) => write(publicKey));

/** Pays outputs with these scripts from outside, and waits until they are mined. */
async function pay(scripts: readonly Uint8Array[], value = 1): Promise<Utxo[]> {
  const outputs = await outside.pay(client, scripts, value);
  await until(async () => {
    const { result } = await client.node.call({ method: 'getrawtransaction', params: [outputs[0]?.txid, true] });
    return Number((result as { confirmations?: number }).confirmations) > 0;
  });
  return outputs;
}

async function transaction(txid: string): Promise<Tx> {
  const { result } = await client.node.call({ method: 'getrawtransaction', params: [txid] });
  return parseTx(fromHex(result as string));
}

async function approved({ id, review }: WalletSend): Promise<Tx> {
  expect(review.checks.filter(({ passed }) => !passed)).toEqual([]);
  await client.wallet.send.approve({ id, digest: review.digest });
  const { txid } = await until(async () => {
    const now = await client.wallet.send.get({ id });
    if (now.failure !== null) throw new Error(now.failure.message);
    return now.state === 'mined' ? now : undefined;
  });
  return transaction(txid as string);
}

/** The outputs that a transaction spends, as the chain has them. */
function spentBy(tx: Tx): Promise<Utxo[]> {
  return Promise.all(
    tx.inputs.map(async ({ txid, vout }) => {
      const { satoshis: value, script } = (await transaction(txid)).outputs[vout] as Tx['outputs'][number];
      return { txid, vout, satoshis: value, lockingScript: script };
    }),
  );
}

/** A WIF text that names the long public key. */
function longWif(secret: PrivateKey): string {
  return Utils.toBase58Check(secret.toArray('be', 32), [0xef]);
}

/** The libraries write locks for short public keys only. */
function longKeyLayouts(publicKey: string): Uint8Array[] {
  const lock = p2pkhScript(hash160(fromHex(publicKey)));
  const keyLock = concatBytes(Uint8Array.of(65), fromHex(publicKey), Uint8Array.of(0xac));
  return [lock, keyLock].flatMap((one) => [
    concatBytes(ENVELOPE, one),
    concatBytes(ENVELOPE, Uint8Array.of(0xab), one),
    concatBytes(ENVELOPE, one, Uint8Array.of(0x6a, 1, 7)),
  ]);
}

const listed = async (): Promise<string[]> =>
  (await client.tokens.list({ owned: true, offset: 0, limit: 200 })).tokens.map(({ outpoint }) => outpoint);

describe('an inscription of other software', () => {
  it('is received, listed and sent on, in every layout', async () => {
    const { publicKey } = await client.wallet.status();
    const outputs = await pay(inscribed(publicKey as string));
    await until(async () => (await listed()).length === outputs.length);
    for (const [index, layout] of Object.keys(INSCRIBED).entries()) {
      const outpoint = formatOutpoint(outputs[index] as Utxo);
      const sent = await client.tokens.send.prepare({ outpoint, address: FOREIGN, idempotencyKey: randomUUID() });
      const tx = await approved(sent);
      expect(tx.outputs[0]?.satoshis, layout).toBe(1);
      expect(verifyScripts(tx, await spentBy(tx)), layout).toEqual({ ok: true });
    }
    await until(async () => (await listed()).length === 0);
  });

  it('is sent whole where it holds more than one satoshi, and is never money', { tags: 'long' }, async () => {
    const { publicKey } = await client.wallet.status();
    const outputs = await pay(inscribed(publicKey as string), 777);
    const kinds = async () =>
      (await client.wallet.coins.list()).filter(({ satoshis: value }) => value === 777).map(({ kind }) => kind);
    await until(async () => (await kinds()).length === outputs.length);
    // a lock without an inscription is plain money
    expect((await kinds()).filter((kind) => kind === 'funding')).toHaveLength(1);
    const outpoint = formatOutpoint(outputs[1] as Utxo);
    const tx = await approved(
      await client.tokens.send.prepare({ outpoint, address: FOREIGN, idempotencyKey: randomUUID() }),
    );
    expect(tx.outputs[0]?.satoshis).toBe(777);
    expect(verifyScripts(tx, await spentBy(tx))).toEqual({ ok: true });
  });
});

describe('the tokens of another account', () => {
  it('are listed, and sent by the account that has them', { tags: 'long' }, async () => {
    const shop = await client.wallet.accounts.create({ name: 'Shop' });
    await client.sandbox.fund({ address: shop.address as string, satoshis: 50_000 });
    await client.sandbox.fund({ address: shop.address as string, satoshis: 1 });
    await until(async () => (await client.wallet.balance()).total === 50_000);
    await client.wallet.accounts.switch({ id: 'main' });
    const [outpoint] = await until(async () => ((await listed()).length === 1 ? listed() : undefined));
    const sent = await client.tokens.send.prepare({
      outpoint: outpoint as string,
      address: FOREIGN,
      idempotencyKey: randomUUID(),
    });
    await approved(sent);
    expect((await client.wallet.balance()).total).toBe(FIRST_MONEY);
    await until(async () => (await client.wallet.accounts.list()).at(-1)?.tokens === 0);
  });
});

describe('a sweep of a key', () => {
  it.each([true, false].slice(0, process.env.PLANCHET_LONG ? 2 : 1))(
    'takes every layout; the public key is compressed: %s',
    async (compressed) => {
      const secret = new PrivateKey(123_456);
      const wif = compressed ? secret.toWif([0xef]) : longWif(secret);
      const publicKey = secret.toPublicKey().encode(compressed, 'hex') as string;
      const { id, address } = await client.wallet.accounts.importKey({ name: 'Paper', wif });
      await client.sandbox.fund({ address: address as string, satoshis: 40_000 });
      const layouts = compressed ? inscribed(publicKey) : longKeyLayouts(publicKey);
      const outputs = [...(await pay(layouts)), ...(await pay(layouts.slice(0, 2), 600))];
      await until(async () => (await client.wallet.coins.list()).length === outputs.length + 1);
      await until(async () => (await client.wallet.accounts.list()).find((one) => one.id === id)?.searching === false);
      const input = { account: id, idempotencyKey: randomUUID() };
      const { send, left } = await client.wallet.sweep(input);
      expect(left).toEqual([]);
      expect((await client.wallet.sweep(input)).send.id).toBe(send.id);
      const tx = await approved(send);
      expect(verifyScripts(tx, await spentBy(tx))).toEqual({ ok: true });
      await until(async () => (await client.wallet.coins.list()).length === 0);
      await until(async () => (await listed()).length === layouts.length);
    },
  );

  it('leaves a contract, and money for the fee of moving it', async () => {
    const secret = new PrivateKey(654_321);
    const { id, address } = await client.wallet.accounts.importKey({ name: 'Paper', wif: secret.toWif([0xef]) });
    await client.sandbox.fund({ address: address as string, satoshis: 40_000 });
    const keyHash = hash160(fromHex(secret.toPublicKey().encode(true, 'hex') as string));
    const json = new TextEncoder().encode(JSON.stringify({ ...SCHEMA, tokenId: Buffer.from(keyHash).toString('hex') }));
    const script = concatBytes(p2pkhScript(keyHash), Uint8Array.of(0x6a, 0x4c, json.length), json);
    const [contract] = await pay([script], 1_000);
    await until(async () => (await client.wallet.coins.list()).length === 2);
    await until(async () => (await client.wallet.accounts.list()).find((one) => one.id === id)?.searching === false);
    const { send, left } = await client.wallet.sweep({ account: id, feeRate: 500, idempotencyKey: randomUUID() });
    expect(left).toEqual([{ outpoint: formatOutpoint(contract as Utxo), satoshis: 1_000, reason: 'contract' }]);
    const kept = send.review.outputs.filter(({ kind }) => kind === 'change').map(({ satoshis: value }) => value);
    expect(kept).toHaveLength(1);
    expect(kept[0]).toBeGreaterThan(500);
    expect(kept[0]).toBeLessThan(2_000);
    await approved(send);
    await until(async () => (await client.wallet.balance()).total === kept[0]);
  });
});
