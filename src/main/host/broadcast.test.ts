import BitcoinCore from 'bitcoin-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { oneHost } from '../test-support/hosts/one-host.ts';
import { type TestClient, until } from '../test-support/hosts/open-host.ts';
import { OwnCoins } from '../test-support/hosts/own-coins.ts';

const hosts = oneHost();
const own = new OwnCoins();
/** What the miner has: the node's list of what waits may show it already. */
const taken = expect.stringMatching(/^(submitted|seen)$/);
let client: TestClient;
let url: string;
beforeEach(async () => {
  ({ client } = await hosts.open({ overrides: { 'sandbox.mineOnArrival': '' } }));
  url = (await client.app.info()).endpoints.rpc as string;
});

/** A client of a node that was not written for Planchet. */
async function node(credentials?: { username: string; password: string }): Promise<BitcoinCore> {
  const username = 'planchet';
  const { password } = await client.gateway.revealPassword();
  return new BitcoinCore({ host: url, ...(credentials ?? { username, password }) });
}

describe('sendrawtransaction through the node endpoint', () => {
  it('is refused by default, with the setting that turns it on', async () => {
    const { hex } = own.spend([await own.funded(client, 10_000)], [9_900]);
    const refusal = { code: -32601, message: expect.stringContaining('gatewayBroadcast') };
    await expect((await node()).command('sendrawtransaction', hex)).rejects.toMatchObject(refusal);
    expect((await client.node.call({ method: 'sendrawtransaction', params: [hex] })).error).toMatchObject(refusal);
    expect((await client.tx.list({})).transactions).toEqual([]);
  });

  it('checks, submits and tracks what it gets, and answers as a node does', async () => {
    await client.settings.set({ key: 'gatewayBroadcast', value: 'on' });
    const bitcoin = await node();
    const coin = await own.funded(client, 10_000);
    const { hex, txid, coin: next } = own.spend([coin], [9_900]);
    expect(await bitcoin.command('sendrawtransaction', hex)).toBe(txid);
    expect(await client.tx.get({ txid })).toMatchObject({ origin: 'gateway', state: taken });

    const failed = (...params: unknown[]) => bitcoin.command('sendrawtransaction', ...params);
    await expect(failed(hex)).rejects.toMatchObject({ code: -27, message: 'Transaction already in the mempool' });
    await expect(failed('zz')).rejects.toMatchObject({ code: -22, message: 'TX decode failed' });
    await expect(failed(7)).rejects.toMatchObject({ code: -3, message: 'Expected type string, got number' });
    const rival = own.spend([coin], [9_800]);
    await expect(failed(rival.hex)).rejects.toMatchObject({ code: -26, message: '258: txn-mempool-conflict' });
    const orphan = own.spend([{ ...coin, txid: 'ab'.repeat(32) }], [9_000]);
    await expect(failed(orphan.hex)).rejects.toMatchObject({ code: -25, message: 'Missing inputs' });
    const free = own.spend([next], [9_900]);
    await expect(failed(free.hex)).rejects.toMatchObject({ code: -26, message: '66: mempool min fee not met' });

    const rich = await own.funded(client, 20_000_000);
    const wasteful = own.spend([rich], [1_000]);
    await expect(failed(wasteful.hex)).rejects.toMatchObject({ code: -26, message: '256: absurdly-high-fee' });
    expect(await bitcoin.command('sendrawtransaction', wasteful.hex, true)).toBe(wasteful.txid);

    const second = own.spend([next], [9_800]);
    const third = own.spend([second.coin], [9_700]);
    const inputs = [second, third, rival].map((one) => ({ hex: one.hex }));
    expect(await bitcoin.command('sendrawtransactions', [...inputs, { hex }])).toEqual({
      known: [txid],
      invalid: [{ txid: rival.txid, reject_code: 258, reject_reason: 'txn-mempool-conflict' }],
    });
    expect((await client.tx.get({ txid: third.txid })).state).toEqual(taken);
    await client.sandbox.mine({ blocks: 1 });
    await expect(failed(hex)).rejects.toMatchObject({ code: -26, message: '257: txn-already-known' });
  });

  it('takes a batch of transactions that spend each other, in their order', { tags: 'long' }, async () => {
    await client.settings.set({ key: 'gatewayBroadcast', value: 'on' });
    const first = own.spend([await own.funded(client, 10_000)], [9_900]);
    const second = own.spend([first.coin], [9_800]);
    const third = own.spend([second.coin], [9_700]);
    const all = [first, second, third];
    const batch = all.map(({ hex }) => ({ method: 'sendrawtransaction', parameters: [hex] }));
    expect(await (await node()).command(batch)).toEqual(all.map(({ txid }) => txid));
  });

  it('waits for the approval of the person, who sees what is in it, where the setting says so', async () => {
    await client.settings.set({ key: 'gatewayBroadcast', value: 'ask' });
    const { username, password } = await client.gateway.keys.create({ name: 'shop' });
    const bitcoin = await node({ username, password });
    const coin = await own.funded(client, 10_000);
    const first = own.spend([coin], [9_900]);
    const sent = bitcoin.command('sendrawtransaction', first.hex);
    const waiting = await until(async () => (await client.approvals.list()).waiting[0]);
    expect(waiting).toMatchObject({
      kind: 'broadcast',
      program: 'shop',
      method: 'sendrawtransaction',
      amount: 10_000,
      transactionCount: 1,
      transactions: [{ txid: first.txid, fee: 100, outputs: [{ satoshis: 9_900, address: own.address }] }],
    });
    expect((await client.tx.list({})).transactions).toEqual([]);
    const wrong = client.approvals.approve({ id: waiting.id, digest: 'ab'.repeat(32) });
    await expect(wrong).rejects.toMatchObject({ data: { code: 'conflict' } });
    const remember = { mostEach: 10_000, mostPerDay: 20_000, expiresAt: Date.now() + 60_000 };
    await client.approvals.approve({ id: waiting.id, digest: waiting.digest, remember });
    expect(await sent).toBe(first.txid);
    expect(await client.tx.get({ txid: first.txid })).toMatchObject({ origin: 'gateway', state: taken });

    // The permission covers 10,000 satoshis more, but nobody can tell the fee.
    const orphan = own.spend([{ ...first.coin, txid: 'ab'.repeat(32) }], [1_000]);
    const refused = bitcoin.command('sendrawtransaction', orphan.hex);
    refused.catch(() => {});
    const unknown = await until(async () => (await client.approvals.list()).waiting[0]);
    expect(unknown).toMatchObject({ amount: 1_000, transactions: [{ txid: orphan.txid, fee: null }] });
    await client.approvals.approve({ id: unknown.id, digest: unknown.digest });
    await expect(refused).rejects.toMatchObject({ message: 'Missing inputs' });

    const second = own.spend([first.coin], [9_800]);
    expect(await bitcoin.command('sendrawtransaction', second.hex)).toBe(second.txid);
    const third = own.spend([second.coin], [9_700]);
    const denied = bitcoin.command('sendrawtransaction', third.hex);
    const next = await until(async () => (await client.approvals.list()).waiting[0]);
    await client.approvals.deny({ id: next.id });
    await expect(denied).rejects.toMatchObject({ code: -1, message: 'The person at this machine denied it.' });
    await expect(bitcoin.command('sendrawtransaction', third.hex)).rejects.toThrow(/may ask again only in/);
    // The person's own console is not asked about.
    const { result } = await client.node.call({ method: 'sendrawtransaction', params: [third.hex] });
    expect(result).toBe(third.txid);
  });

  it('sends nothing where the program leaves, or the wallet is locked', async () => {
    await client.settings.set({ key: 'gatewayBroadcast', value: 'ask' });
    const { hex } = own.spend([await own.funded(client, 10_000)], [9_900]);
    const { password } = await client.gateway.revealPassword();
    const leaving = new AbortController();
    const body = JSON.stringify({ method: 'sendrawtransaction', params: [hex] });
    const headers = { authorization: `Basic ${Buffer.from(`planchet:${password}`).toString('base64')}` };
    const left = fetch(url, { method: 'POST', body, headers, signal: leaving.signal });
    left.catch(() => {});
    await until(async () => (await client.approvals.list()).waiting[0]);
    leaving.abort();
    await until(async () => (await client.approvals.list()).waiting.length === 0);
    expect((await client.approvals.list()).records[0]).toMatchObject({ outcome: 'denied', reason: 'left' });
    const locking = (await node()).command('sendrawtransaction', hex);
    locking.catch(() => {});
    await until(async () => (await client.approvals.list()).waiting[0]);
    await client.wallet.lock();
    await expect(locking).rejects.toMatchObject({ code: -1, message: expect.stringContaining('locked') });
    expect((await client.tx.list({})).transactions).toEqual([]);
  });

  it('is denied to a key that names its commands, unless it names this one', async () => {
    await client.settings.set({ key: 'gatewayBroadcast', value: 'on' });
    const { hex, txid } = own.spend([await own.funded(client, 10_000)], [9_900]);
    const limited = await client.gateway.keys.create({ name: 'reader', methods: ['getblockcount'] });
    await expect((await node(limited)).command('sendrawtransaction', hex)).rejects.toThrow();
    expect((await client.tx.list({})).transactions).toEqual([]);
    const sender = await client.gateway.keys.create({ name: 'sender', methods: ['sendrawtransaction'] });
    expect(await (await node(sender)).command('sendrawtransaction', hex)).toBe(txid);
  });
});
