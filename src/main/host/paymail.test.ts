import { randomUUID } from 'node:crypto';
import { PrivateKey, Transaction } from '@bsv/sdk';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decodeAddress, encodeAddress, hash160, p2pkhScript, toHex } from '../../chain/index.ts';
import { systemClock } from '../clock.ts';
import { callCommand } from '../test-support/hosts/call-command.ts';
import { oneHost } from '../test-support/hosts/one-host.ts';
import { filledDataDir, type TestClient, until, walletFilled } from '../test-support/hosts/open-host.ts';
import { PaymailServer } from '../test-support/paymail-server.ts';
import { PaymailHosts } from '../wallet/paymail/paymail-host.ts';

const HOUR_MS = 3_600_000;

const hosts = oneHost();
let host: PaymailServer;
let client: TestClient;
let dataDir: string;
let alice: string;
beforeEach(async () => {
  host = await PaymailServer.open();
  alice = `alice@${host.domain}`;
  dataDir = await filledDataDir();
  ({ client } = await hosts.open({ dataDir, scope: 'core', overrides: { 'sandbox.mineOnArrival': '' } }));
  await walletFilled(client);
  host.outputs = (satoshis) => split(satoshis, satoshis - 1_000);
});
afterEach(() => host.close());

/** An address that only the host knows. */
const freshAddress = () =>
  encodeAddress(hash160(Uint8Array.from(PrivateKey.fromRandom().toPublicKey().encode(true) as number[])), 'test');
const scriptOf = (address: string) => toHex(p2pkhScript(decodeAddress(address).pubKeyHash));
/** Two outputs of a sum. */
const split = (total: number, first: number) =>
  [first, total - first].map((satoshis) => ({ script: scriptOf(freshAddress()), satoshis }));
const prepare = (satoshis: number | 'all' = 50_000, address = alice, idempotencyKey = randomUUID()) =>
  client.wallet.send.prepare({ request: { to: [{ address, satoshis }] }, idempotencyKey });
const refused = (work: Promise<unknown>) =>
  work.then(
    () => Promise.reject(new Error('nothing was refused')),
    (error: { data: { id: string } }) => error.data,
  );

describe('a payment to a paymail address', () => {
  it('pays the outputs that its host chose, which the review shows, and hands the host the transaction', async () => {
    const key = randomUUID();
    const { id, request, review } = await prepare(50_000, alice, key);
    expect(request.to.map(({ satoshis }) => satoshis)).toEqual([49_000, 1_000]);
    expect(request.paymails).toMatchObject([{ paymail: alice, satoshis: 50_000, first: 0, count: 2, form: 'raw' }]);
    expect(review.outputs.slice(0, 2).map(({ address, satoshis }) => ({ address, satoshis }))).toEqual(request.to);
    const check = review.checks.find((one) => one.id === 'paymail');
    expect(check).toMatchObject({ passed: true });
    expect(check?.text).toContain(`The host of ${alice} chose the outputs 0, 1.`);
    // asked for again, it is the same payment
    expect((await prepare(50_000, alice, key)).id).toBe(id);
    expect(await refused(prepare(50_001, alice, key))).toMatchObject({ id: 'wallet.send-key-used' });
    expect(host.handed).toEqual([]);
    const { txid } = await client.wallet.send.approve({ id, digest: review.digest });
    const [handed] = await until(async () => host.handed.length > 0 && host.handed);
    expect(handed?.reference).toBe('ref-alice');
    expect(Transaction.fromHex(handed?.hex ?? '').id('hex')).toBe(txid);
    await until(async () => (await client.wallet.send.get({ id })).untold === undefined);
    expect(host.handed).toHaveLength(1);
  });

  it('hands it over as BEEF where the host takes nothing else', async () => {
    host.receives = ['beef'];
    const { id, review } = await prepare();
    const { txid } = await client.wallet.send.approve({ id, digest: review.digest });
    const [handed] = await until(async () => host.handed.length > 0 && host.handed);
    const tx = Transaction.fromHexBEEF(handed?.beef ?? '');
    expect(tx.id('hex')).toBe(txid);
    expect(tx.inputs.every(({ sourceTransaction }) => sourceTransaction?.merklePath !== undefined)).toBe(true);
  });

  it('tries again where the host does not take it, also after a restart, and says so', async () => {
    host.refusal = [503, { message: 'we are asleep' }];
    const { id, review } = await prepare();
    await client.wallet.send.approve({ id, digest: review.digest });
    const { untold } = await until(async () => {
      const payment = await client.wallet.send.get({ id });
      return payment.untold?.[0]?.failure != null && payment;
    });
    expect(untold).toMatchObject([{ paymail: alice, failure: { id: 'wallet.paymail-unreachable' } }]);
    expect(untold?.[0]?.failure?.message).toContain('we are asleep');
    await hosts.close();
    host.refusal = undefined;
    // an hour later, when the next attempt is due
    const clock = { ...systemClock, now: () => Date.now() + HOUR_MS };
    ({ client } = await hosts.open({ dataDir, clock, scope: 'core', overrides: { 'sandbox.mineOnArrival': '' } }));
    await until(async () => (await client.wallet.send.get({ id })).untold === undefined);
    expect(host.handed).toHaveLength(1);
  });

  it('is not prepared where the host lies, knows nobody, or takes no such payments', async () => {
    const id = async (work: Promise<unknown>) => (await refused(work)).id;
    expect(await id(prepare('all'))).toBe('wallet.paymail-all');
    expect(await id(prepare(50_000, 'alice@'))).toBe('wallet.paymail-invalid');
    host.outputs = () => split(50_001, 1_000);
    expect(await id(prepare())).toBe('wallet.paymail-sum');
    host.outputs = () => [{ script: '51', satoshis: 50_000 }];
    expect(await id(prepare())).toBe('wallet.paymail-script');
    host.outputs = () => undefined;
    expect(await id(prepare())).toBe('wallet.paymail-unknown');
    host.outputs = () => [{ script: 'xyz', satoshis: 1.5 }];
    expect(await id(prepare())).toBe('wallet.paymail-unreachable');
    host.listed = { '2a40af698840': 'http://10.0.0.1/{alias}@{domain.tld}' };
    expect(await id(prepare())).toBe('wallet.paymail-address');
    host.listed = { '2a40af698840': false };
    expect(await id(prepare())).toBe('wallet.paymail-unsupported');
    const { domain } = host;
    await host.close();
    expect(await id(prepare(50_000, `alice@${domain}`))).toBe('wallet.paymail-unreachable');
    expect((await client.wallet.balance()).locked).toBe(0);
    host = await PaymailServer.open();
  });

  it('shows the identity key that the host names, remembers it, and stops at another one until it is accepted', async () => {
    const [first, second] = [1, 2].map(
      () => new PrivateKey(PrivateKey.fromRandom().toString(), 'hex').toPublicKey().encode(true, 'hex') as string,
    ) as [string, string];
    const keyCheck = ({ review }: Awaited<ReturnType<typeof prepare>>) =>
      review.checks.find((one) => one.id === 'paymail-key');
    host.keys.alice = first;
    const payment = await prepare();
    expect(keyCheck(payment)).toMatchObject({ passed: true });
    expect(keyCheck(payment)?.text).toBe(`The host of ${alice} names the identity key ${first}, which is remembered.`);
    const early = await prepare(40_000);
    await client.wallet.send.approve({ id: payment.id, digest: payment.review.digest });
    expect(keyCheck(await prepare(30_000, alice.toUpperCase()))?.text).toContain('as before');
    host.keys.alice = second;
    const other = await prepare(20_000);
    expect(keyCheck(other)).toMatchObject({ passed: false });
    expect(keyCheck(other)?.text).toContain(`names the identity key ${second}; it was ${first} before`);
    expect(other.review.ok).toBe(false);
    const approving = client.wallet.send.approve({ id: other.id, digest: other.review.digest });
    expect(await refused(approving)).toMatchObject({ code: 'review-failed' });
    host.keys.alice = undefined;
    expect(keyCheck(await prepare(10_000))?.text).toContain('names no identity key any more');
    host.keys.alice = second;
    await client.wallet.contacts.acceptKey({ address: alice, key: second });
    expect(keyCheck(await prepare(10_000))).toMatchObject({ passed: true });
    // prepared under the key of before, it is not signed any more
    const late = client.wallet.send.approve({ id: early.id, digest: early.review.digest });
    expect(await refused(late)).toMatchObject({ code: 'review-failed' });
    host.denies = true;
    expect(await refused(prepare(10_000))).toMatchObject({ id: 'wallet.paymail-key-denied' });
  });

  it('is sent by the terminal, which names what the host chose', async () => {
    await hosts.close();
    const sent = await callCommand(['wallet', 'send', alice, '50000', '--yes', '--data-dir', dataDir]);
    expect(sent.err).toContain(`The host of ${alice} chose the outputs 0, 1.`);
    expect(sent).toMatchObject({ code: 0 });
  });

  it('is sent by the terminal under another identity key where that very key is accepted', {
    tags: 'long',
  }, async () => {
    const [first, second, other] = [1, 2, 3].map(
      (n) => new PrivateKey(n).toPublicKey().encode(true, 'hex') as string,
    ) as [string, string, string];
    await hosts.close();
    const send = (satoshis: number, ...more: string[]) =>
      callCommand(['wallet', 'send', alice, `${satoshis}`, '--yes', '--json', '--data-dir', dataDir, ...more]);
    host.keys.alice = first;
    expect(await send(50_000)).toMatchObject({ code: 0 });
    host.keys.alice = second;
    const stops = async (code: string, ...more: string[]) => {
      const stopped = await send(40_000, ...more);
      expect(stopped, more.join(' ')).toMatchObject({ code: 1, out: '' });
      expect(JSON.parse(stopped.err), more.join(' ')).toMatchObject({ error: { code } });
    };
    await stops('review-failed');
    await stops('review-failed', '--accept-key', other);
    await stops('invalid-input', '--accept-key', 'no key');
    await stops('review-failed');
    // A command that ends before the host has answered hands it in anew at the next one.
    expect(new Set(host.handed.map(({ hex }) => hex)).size).toBe(1);
    expect(await send(40_000, '--accept-key', second)).toMatchObject({ code: 0 });
    // remembered: it need not be accepted again
    expect(await send(30_000)).toMatchObject({ code: 0 });
  });
});

describe('the hosts of paymail addresses', () => {
  it('on a network of real money are public and speak HTTPS', async () => {
    const hosts = new PaymailHosts({ network: 'main', outbound: () => undefined });
    for (const address of [
      `http://${host.domain}/`,
      `https://${host.domain}/`,
      'http://example.com/',
      'https://user:secret@example.com/',
      'https://10.1.2.3/',
      'https://[fd00::1]/',
      'https://[::ffff:192.168.0.1]/',
      'https://169.254.169.254/latest',
      `https://localtest.localhost:${host.domain.split(':')[1]}/`,
      'file:///etc/passwd',
    ])
      await expect(hosts.ask('a@example.com', address), address).rejects.toMatchObject({
        id: 'wallet.paymail-address',
      });
    expect(host.asked).toEqual([]);
    await hosts.close();
  });
});
