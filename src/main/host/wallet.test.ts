import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { failureOf } from '../commands/shared/run.ts';
import { oneHost } from '../test-support/hosts/one-host.ts';
import { FIRST_MONEY, type TestClient, until, walletFilled } from '../test-support/hosts/open-host.ts';

const FOREIGN = 'mkpZhYtJu2r87Js3pDiWJDmPte2NRZ8bJV';
const hosts = oneHost();
let client: TestClient;
let dataDir: string;
beforeEach(async () => {
  ({ client, dataDir } = await hosts.open({ scope: 'core' }));
  await walletFilled(client);
});

async function failed(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'nothing failed',
    (error: unknown) => failureOf(error).code,
  );
}

/** A further address with one confirmed coin. */
async function paidAddress(satoshis: number): Promise<string> {
  const { address } = await client.wallet.addresses.next({ label: 'shop' });
  await client.sandbox.fund({ address, satoshis });
  await until(async () => (await client.wallet.balance()).elsewhere === satoshis);
  return address;
}

describe('the wallet of a running host', () => {
  it('receives at fresh addresses, and all that is free can be spent', async () => {
    const address = await paidAddress(40_000);
    const list = await client.wallet.addresses.list();
    expect(list.map(({ index, label, used }) => ({ index, label, used }))).toEqual([
      { index: 0, label: '', used: true },
      { index: 1, label: 'shop', used: true },
    ]);
    expect(list[1]).toMatchObject({ address, path: "m/44'/1'/0'/0/1", satoshis: 40_000 });
    const balance = await client.wallet.balance();
    expect(balance).toMatchObject({ spendable: FIRST_MONEY, elsewhere: 40_000 });
    const { total, spendable, elsewhere, waiting, locked, frozen, confirmed, unconfirmed } = balance;
    expect(spendable + elsewhere + waiting + locked + frozen).toBe(total);
    expect(confirmed + unconfirmed).toBe(total);
    expect((await client.wallet.status()).balance.spendable).toBe(FIRST_MONEY + 40_000);
  });

  it('says what spent an output, from the first second to the block and after a reorganisation', async () => {
    const request = { to: [{ address: FOREIGN, satoshis: 1_000 }], label: '' };
    const { id, review } = await client.wallet.send.prepare({ request, idempotencyKey: randomUUID() });
    await client.wallet.send.approve({ id, digest: review.digest });
    const { txid } = await until(async () => {
      const send = await client.wallet.send.get({ id });
      return send.state === 'mined' && send;
    });
    const { inputs, blockHeight } = await client.transactions.get({ txid: txid as string });
    const [spent] = inputs;
    const ask = () => client.transactions.spenders({ txid: spent?.txid as string, outputs: [spent?.vout as number] });
    expect(await ask()).toEqual([{ index: spent?.vout, state: 'spent', by: { txid, input: 0, height: blockHeight } }]);
    await client.sandbox.reorg({ depth: 1 });
    expect(await ask()).toMatchObject([{ state: 'spent', by: { txid } }]);
    const [output] = await client.transactions.spenders({ txid: txid as string, outputs: [0] });
    expect(output).toEqual({ index: 0, state: 'unspent', by: null });
  });

  it('sends to several receivers after a review, once, and notes it in the history', async () => {
    const request = {
      to: [
        { address: FOREIGN, satoshis: 1_000 },
        { address: FOREIGN, satoshis: 2_000 },
      ],
      label: 'rent',
    };
    const idempotencyKey = randomUUID();
    const prepared = await client.wallet.send.prepare({ request, idempotencyKey });
    expect(prepared.review.checks.filter(({ passed }) => !passed)).toEqual([]);
    expect(await client.wallet.send.prepare({ request, idempotencyKey })).toEqual(prepared);
    expect(await failed(client.wallet.send.approve({ id: prepared.id, digest: '0'.repeat(64) }))).toBe('review-failed');
    expect((await client.wallet.balance()).locked).toBeGreaterThan(0);
    const { id, review } = prepared;
    const sent = await client.wallet.send.approve({ id, digest: review.digest });
    expect((await client.wallet.send.approve({ id, digest: review.digest })).txid).toBe(sent.txid);
    await until(async () => (await client.wallet.send.get({ id })).state === 'mined');
    await until(async () => (await client.wallet.balance()).unconfirmed === 0);
    const { entries } = await client.wallet.history.list({});
    const { total } = await client.wallet.balance();
    expect(total).toBe(FIRST_MONEY - 3_000 - review.fee);
    expect(await client.tx.get({ txid: sent.txid as string })).toMatchObject({ fee: review.fee });
    expect(entries[0]).toMatchObject({
      txid: sent.txid,
      amount: -3_000 - review.fee,
      fee: review.fee,
      balance: total,
      purpose: 'sent',
      label: 'rent',
    });
    await client.wallet.history.label({ txid: sent.txid as string, label: '=cmd' });
    const csv = (await client.wallet.history.export({ format: 'csv' })).text;
    expect(csv.trimEnd().split('\r\n').at(-1)).toContain(",sent,'=cmd");
  });

  it('spends no frozen coin, and none that another payment holds', async () => {
    const [first] = await client.wallet.coins.list();
    const outpoint = first?.outpoint as string;
    await client.wallet.coins.freeze({ outpoints: [outpoint], frozen: true });
    expect((await client.wallet.balance()).frozen).toBe(first?.satoshis);
    const request = { to: [{ address: FOREIGN, satoshis: 1_000 }], coins: [outpoint] };
    expect(await failed(client.wallet.send.prepare({ request, idempotencyKey: randomUUID() }))).toBe('conflict');
    await client.wallet.coins.freeze({ outpoints: [outpoint], frozen: false });
    const held = await client.wallet.send.prepare({ request, idempotencyKey: randomUUID() });
    expect(await failed(client.wallet.coins.freeze({ outpoints: [outpoint], frozen: true }))).toBe('conflict');
    await client.wallet.send.cancel({ id: held.id });
    expect((await client.wallet.balance()).locked).toBe(0);
  });

  it('brings coins of further addresses to the main one, and sends all', { tags: 'long' }, async () => {
    await paidAddress(40_000);
    const moved = await client.wallet.consolidate({ below: 2, idempotencyKey: randomUUID() });
    expect(moved.review.inputs.map(({ satoshis }) => satoshis)).toEqual([40_000]);
    await client.wallet.send.approve({ id: moved.id, digest: moved.review.digest });
    await until(async () => (await client.wallet.send.get({ id: moved.id })).state === 'mined');
    expect((await client.wallet.history.list({ limit: 1 })).entries[0]).toMatchObject({
      purpose: 'moved',
      amount: -moved.review.fee,
    });
    const request = { to: [{ address: FOREIGN, satoshis: 'all' as const }] };
    const all = await client.wallet.send.prepare({ request, idempotencyKey: randomUUID() });
    await client.wallet.send.approve({ id: all.id, digest: all.review.digest });
    await until(async () => (await client.wallet.send.get({ id: all.id })).state === 'mined');
    expect((await client.wallet.balance()).total).toBe(0);
  });

  it('keeps labels of its own addresses and coins, and refuses those of others', async () => {
    const { address } = await client.wallet.addresses.next({});
    await client.wallet.addresses.label({ address, label: 'rent' });
    expect((await client.wallet.addresses.list()).at(-1)).toMatchObject({ address, label: 'rent' });
    expect(await failed(client.wallet.addresses.label({ address: FOREIGN, label: 'x' }))).toBe('not-found');
    const [coin] = await client.wallet.coins.list();
    const outpoint = coin?.outpoint as string;
    await client.wallet.coins.label({ outpoint, label: 'savings' });
    expect((await client.wallet.coins.list())[0]).toMatchObject({ outpoint, label: 'savings' });
    const unknown = `${'0'.repeat(64)}_0`;
    expect(await failed(client.wallet.coins.label({ outpoint: unknown, label: 'x' }))).toBe('not-found');
  });

  it('gives those who ask for an address at once one each, with the label of each', async () => {
    const labels = ['Ann', 'Bob', 'Cid'];
    const given = await Promise.all(labels.map((label) => client.wallet.addresses.next({ label })));
    expect(new Set(given.map(({ address }) => address)).size).toBe(3);
    expect(given.map(({ label }) => label)).toEqual(labels);
    const listed = (await client.wallet.addresses.list()).filter(({ label }) => label !== '');
    expect(listed.map(({ address, label }) => [label, address])).toEqual(
      given.map(({ address, label }) => [label, address]),
    );
  });

  it('gives out at most as many unused addresses as a restore looks for', async () => {
    for (let n = 0; n < 20; n++) await client.wallet.addresses.next({});
    expect(await failed(client.wallet.addresses.next({}))).toBe('conflict');
  });

  it('never writes over a seed, and retries only what was refused', async () => {
    expect(await failed(client.wallet.create({ words: 12 }))).toBe('wallet-exists');
    const words = `${'abandon '.repeat(11)}about`;
    expect(await failed(client.wallet.restore({ words }))).toBe('wallet-exists');
    const request = { to: [{ address: FOREIGN, satoshis: 1_000 }] };
    const { id } = await client.wallet.send.prepare({ request, idempotencyKey: randomUUID() });
    expect(await failed(client.wallet.send.retry({ id }))).toBe('conflict');
    expect((await client.wallet.send.list()).map((one) => one.id)).toEqual([id]);
    // One that stands still stays as it is.
    expect(await client.wallet.send.pause({ id })).toMatchObject({ id, awaitingApproval: true, canPause: false });
    await client.wallet.send.cancel({ id });
  });

  it('refuses payments it cannot or must not make', async () => {
    const prepare = (request: Parameters<TestClient['wallet']['send']['prepare']>[0]['request']) =>
      failed(client.wallet.send.prepare({ request, idempotencyKey: randomUUID() }));
    const main = '1AGNa15ZQXAZUgFiqJ2i7Z2DPU2J6hW62i';
    expect(await prepare({ to: [{ address: main, satoshis: 1_000 }] })).toBe('address-wrong-network');
    expect(await prepare({ to: [{ address: FOREIGN, satoshis: FIRST_MONEY }] })).toBe('funds-insufficient');
    const both = [
      { address: FOREIGN, satoshis: 'all' as const },
      { address: FOREIGN, satoshis: 1_000 },
    ];
    expect(await prepare({ to: both })).toBe('invalid-input');
    const dear = { to: [{ address: FOREIGN, satoshis: 1_000 }], feeRate: 1_000_000 };
    const { review } = await client.wallet.send.prepare({ request: dear, idempotencyKey: randomUUID() });
    expect(review.checks.filter(({ passed }) => !passed).map(({ id }) => id)).toEqual(['fee-limit']);
  });

  it('brings a payment that a reorganisation took out of the chain back into it', async () => {
    const request = { to: [{ address: FOREIGN, satoshis: 1_000 }] };
    const { id, review } = await client.wallet.send.prepare({ request, idempotencyKey: randomUUID() });
    await client.wallet.send.approve({ id, digest: review.digest });
    const first = await until(async () => {
      const payment = await client.wallet.send.get({ id });
      return payment.state === 'mined' && payment;
    });
    // The wallet follows the chain by itself: it tells of a block it lost only once it has read that block.
    await until(async () => {
      const { entries } = await client.wallet.history.list({});
      return entries.some(({ txid, state }) => txid === first.txid && state === 'confirmed');
    });
    await client.sandbox.reorg({ depth: 3 });
    const told = await until(async () => {
      const notices = await client.wallet.notices.list();
      return notices.length > 0 && notices;
    });
    await client.sandbox.mine({ blocks: 1 });
    const again = await until(async () => {
      const payment = await client.wallet.send.get({ id });
      return payment.state === 'mined' && payment.blockHash !== first.blockHash && payment;
    });
    expect(again.txid).toBe(first.txid);
    expect(told).toMatchObject([{ kind: 'reorganised', txids: expect.arrayContaining([first.txid]) }]);
    await client.wallet.notices.dismiss({ id: told[0]?.id as string });
    expect(await client.wallet.notices.list()).toEqual([]);
  });

  it('finds addresses, payments and held coins again after a restart', { tags: 'long' }, async () => {
    await paidAddress(40_000);
    const request = { to: [{ address: FOREIGN, satoshis: 1_000 }] };
    const prepared = await client.wallet.send.prepare({ request, idempotencyKey: randomUUID() });
    const before = { balance: await client.wallet.balance(), history: await client.wallet.history.list({}) };
    await hosts.close();
    ({ client } = await hosts.open({ scope: 'core', dataDir }));
    await expect.poll(() => client.wallet.balance(), { timeout: 60_000 }).toEqual(before.balance);
    expect(await client.wallet.history.list({})).toEqual(before.history);
    const sent = await client.wallet.send.approve({ id: prepared.id, digest: prepared.review.digest });
    expect(sent.txid).not.toBeNull();
  });

  it('makes a backup that restores the same keys, and tells another file from it', async () => {
    const backup = await client.wallet.backup.create({ passphrase: 'correct horse' });
    expect(backup.text).not.toContain('entropy');
    expect((await client.wallet.backup.status()).checkedAt).toBeNull();
    const wrong = client.wallet.backup.check({ text: backup.text, passphrase: 'another one' });
    expect(await failed(wrong)).toBe('vault-passphrase-wrong');
    const damaged = client.wallet.backup.check({ text: backup.text.slice(0, -9), passphrase: 'correct horse' });
    expect(await failed(damaged)).toBe('invalid-input');
    // as long as that of a wallet with many accounts and labels
    const text = backup.text + ' '.repeat(6_000_000);
    const checked = await client.wallet.backup.check({ text, passphrase: 'correct horse' });
    expect(checked.checkedAt).not.toBeNull();
  });

  it('has no passphrase of its vault to change on a sandbox', async () => {
    expect(await client.wallet.vault.status()).toEqual({ keychain: false, passphrase: false, needsPassphrase: false });
    const short = client.wallet.vault.changePassphrase({ next: 'short' });
    expect(await failed(short)).toBe('invalid-input');
    expect(await failed(client.wallet.vault.changePassphrase({ next: 'one of several words' }))).toBe('not-found');
  });

  it('forgets its keys when it is locked, and has everything again when it is unlocked', async () => {
    const before = await client.wallet.balance();
    expect((await client.wallet.lock()).state).toBe('locked');
    expect(await failed(client.wallet.coins.list())).toBe('vault-locked');
    expect(await failed(client.wallet.seed.reveal({ passphrase: '' }))).toBe('vault-locked');
    expect((await client.wallet.unlock({ passphrase: '' })).state).toBe('ready');
    expect(await client.wallet.balance()).toEqual(before);
    expect((await client.wallet.seed.reveal({ passphrase: '' })).words.split(' ')).toHaveLength(12);
  });
});

describe('a payment whose process ended', () => {
  it.each(process.env.PLANCHET_LONG ? ['send-signed', 'send-sent', 'send-submitted'] : ['send-sent'])(
    'at %s reaches a block once',
    async (point) => {
      await hosts.close();
      const crashPoint = (where: string): void => {
        if (where === point) throw new Error('the process ends here');
      };
      ({ client } = await hosts.open({ scope: 'core', dataDir, crashPoint }));
      await walletFilled(client);
      const request = { to: [{ address: FOREIGN, satoshis: 1_234 }] };
      const idempotencyKey = randomUUID();
      const { id, review } = await client.wallet.send.prepare({ request, idempotencyKey });
      expect(await failed(client.wallet.send.approve({ id, digest: review.digest }))).toBe('internal');
      await hosts.close();
      ({ client } = await hosts.open({ scope: 'core', dataDir }));
      expect((await client.wallet.send.prepare({ request, idempotencyKey })).id).toBe(id);
      await until(async () => (await client.wallet.send.get({ id })).state === 'mined');
      await until(async () => (await client.wallet.balance()).unconfirmed === 0);
      expect((await client.wallet.balance()).total).toBe(FIRST_MONEY - 1_234 - review.fee);
      expect((await client.wallet.balance()).locked).toBe(0);
    },
  );
});
