import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import type { CallbackNotice } from '../../contract/index.ts';
import { Receiver } from '../sandbox/test-support/receiver.ts';
import { runCommand } from '../test-support/hosts/command-line.ts';
import { oneHost } from '../test-support/hosts/one-host.ts';
import { newDataDir, type TestClient, type TestHost, until, walletFilled } from '../test-support/hosts/open-host.ts';
import { OwnCoins } from '../test-support/hosts/own-coins.ts';

const FOREIGN = 'mkpZhYtJu2r87Js3pDiWJDmPte2NRZ8bJV';
const hosts = oneHost();
let opened: TestHost;
let client: TestClient;
beforeEach(async () => {
  opened = await hosts.open({ overrides: { 'sandbox.mineOnArrival': '', 'sandbox.mineInterval': '0' } });
  ({ client } = opened);
  await walletFilled(client);
});

/** @returns the txid of a payment that the miner accepted */
async function paid(): Promise<string> {
  const request = { to: [{ address: FOREIGN, satoshis: 1_000 }] };
  const { id, review } = await client.wallet.send.prepare({ request, idempotencyKey: randomUUID() });
  await client.wallet.send.approve({ id, digest: review.digest });
  return until(async () => (await client.wallet.send.get({ id })).txid ?? false) as Promise<string>;
}

/** Messages about a transaction, until one has this status. */
async function firstOf(stream: AsyncIterable<CallbackNotice>, txid: string, status: string): Promise<CallbackNotice> {
  for await (const notice of stream) if (notice.txid === txid && notice.status === status) return notice;
  throw new Error('the stream ended');
}

describe('planchet callbacks', () => {
  it('prints what arrives at the running application', async () => {
    const { host, dataDir } = opened;
    const command = runCommand(['--data-dir', dataDir, 'callbacks', '--count', '1']);
    // it listens once the host has a reader, so messages are made until one was printed
    let ended = false;
    void command.then(() => {
      ended = true;
    });
    while (!ended) {
      const txid = await paid();
      await client.sandbox.mine({ blocks: 1 });
      await until(async () => ended || (await client.tx.get({ txid })).state === 'proven');
    }
    const { code, out, err } = await command;
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(JSON.parse(out)).toMatchObject({ status: 'merkleProof', miner: 'Default', conflicts: [] });
    expect(host.services().find(({ name }) => name === 'callbacks')?.status.state).toBe('running');
  });

  it('of ARC arrive by themselves, and the proof of the last one is verified', async () => {
    const own = new OwnCoins();
    const { txid, hex } = own.spend([await own.funded(client, 10_000)], [9_000]);
    await client.sandbox.mine({ blocks: 1 });
    await client.tx.submit({ source: { text: hex }, minerIds: ['sandbox-arc'] });
    const told = (status: string) =>
      until(async () =>
        (await client.tx.get({ txid })).events.some(
          ({ kind, answer }) => kind === 'callback' && answer?.minerId === 'sandbox-arc' && answer.status === status,
        ),
      );
    await client.sandbox.mine({ blocks: 1 });
    await told('MINED');
    await until(async () => (await client.tx.get({ txid })).state === 'proven');
  });

  it('says so where nothing runs', { tags: 'long' }, async () => {
    const dataDir = newDataDir();
    try {
      const { code, err } = await runCommand(['--data-dir', dataDir, 'callbacks']);
      expect(code).not.toBe(0);
      expect(err).toContain('Planchet is not running.');
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
});

describe('the webhook of states', () => {
  it('is told of the states of transactions, once it has a secret', async () => {
    const receiver = await Receiver.open();
    try {
      await client.settings.set({ key: 'stateWebhook', value: receiver.url });
      await client.settings.set({ key: 'stateWebhookPrivate', value: true });
      expect(await client.webhook.status()).toMatchObject({ url: receiver.url, hasSecret: false, waiting: 0 });
      expect(await client.webhook.setSecret({ secret: 'sixteen characters' })).toMatchObject({ hasSecret: true });
      const txid = await paid();
      await client.sandbox.mine({ blocks: 1 });
      const told = () =>
        receiver.got
          .flatMap(({ body }) => JSON.parse(body.toString()).states)
          .filter((state) => state.txid === txid)
          .map(({ state }) => state);
      await expect.poll(() => told().at(-1), { timeout: 60_000 }).toBe('proven');
      expect(told()).toEqual(expect.arrayContaining(['queued', 'submitted', 'mined', 'proven']));
      expect(receiver.got[0]?.headers['x-planchet-signature']).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/);
    } finally {
      await receiver.close();
    }
  });
});

describe('callbacks of the sandbox’s miner', () => {
  it('arrive by themselves, encrypted and signed, and stand in the history', async () => {
    const stream = await client.tx.callbacks();
    const txid = await paid();
    await client.sandbox.mine({ blocks: 1 });
    const notice = await firstOf(stream, txid, 'merkleProof');
    expect(notice).toMatchObject({ minerId: 'default', kind: 'mapi', signature: 'valid', conflicts: [] });
    const { events } = await client.tx.get({ txid });
    expect(events.filter(({ answer }) => answer?.request === 'callback')).toMatchObject([
      { signature: 'valid', answer: { minerId: 'default', status: 'merkleProof', accepted: true } },
    ]);
    expect((await client.services.list()).find(({ name }) => name === 'callbacks')).toMatchObject({
      status: { state: 'running', address: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) },
    });
  });

  it('tell of a double spend at once, with both transactions side by side, and of who won', async () => {
    const stream = await client.tx.callbacks();
    const txid = await paid();
    const { txid: rival } = await client.sandbox.doubleSpend({ txid, mined: false });
    expect(await firstOf(stream, txid, 'doubleSpendAttempt')).toMatchObject({ conflicts: [rival], block: null });
    const [open] = await client.tx.doubleSpends({ txid });
    expect(open).toMatchObject({ txid: rival, outcome: 'open', source: 'Default' });
    expect(open?.shared).toMatchObject([{ ourInput: 0, theirInput: 0 }]);
    expect(open?.ours.inputs).toContainEqual({ outpoint: open?.shared[0]?.outpoint, shared: true });
    expect(open?.ours.outputs).toContainEqual({ satoshis: 1_000, address: FOREIGN, inBoth: false });
    expect(open?.theirs?.inputs).toContainEqual({ outpoint: open?.shared[0]?.outpoint, shared: true });
    const { notices } = await client.app.snapshot();
    expect(notices.find(({ id }) => id === `double-spend:${txid}`)).toMatchObject({ level: 'warning' });
    const { events } = await client.tx.get({ txid });
    expect(events.filter(({ kind }) => kind === 'double-spend')).toMatchObject([
      { text: expect.stringContaining(rival) },
    ]);
    await client.sandbox.mine({ blocks: 1 });
    await until(async () => (await client.tx.get({ txid })).state === 'proven');
    expect(await client.tx.doubleSpends({ txid })).toMatchObject([{ txid: rival, outcome: 'ours' }]);
  });

  it('name the transaction in a block that took the coins', async () => {
    const txid = await paid();
    const { txid: rival } = await client.sandbox.doubleSpend({ txid, mined: true });
    await until(async () => (await client.tx.get({ txid })).state === 'double-spent');
    const [lost] = await until(async () => {
      const list = await client.tx.doubleSpends({ txid });
      return list.length > 0 && list;
    });
    expect(lost).toMatchObject({ txid: rival, outcome: 'theirs', shared: [{ ourInput: 0 }] });
    expect(lost?.advice.key).toBe('rival.theirs-mined');
    const { notices } = await client.app.snapshot();
    expect(notices.find(({ id }) => id === `double-spend:${txid}`)).toMatchObject({ level: 'error' });
  });
});
