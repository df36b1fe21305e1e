import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { failureOf } from '../commands/shared/run.ts';
import { type Transport, transports } from '../console/test-support/transports.ts';
import { closeTestHost, filledDataDir, openTestHost, type TestHost, until } from '../test-support/hosts/open-host.ts';

/** One of them in `npm test`, where the browser tests and the other suite use all. */
const shown = Object.entries(transports).slice(0, process.env.PLANCHET_LONG ? undefined : 1);

/**
 * What `console/transports.test.ts` holds over small objects, this holds over the real host: the procedures of the areas whose answers no
 * small object could give, once over each transport.
 */
describe.each(shown)('over %s', (_, open) => {
  let opened: TestHost;
  let transport: Transport;
  let client: ReturnType<Transport['connect']>;
  beforeEach(async () => {
    // a payment is spent twice while it waits, so no block comes by itself
    opened = await openTestHost({ dataDir: await filledDataDir(), overrides: { 'sandbox.mineOnArrival': '' } });
    transport = await open(opened.host.context);
    client = transport.connect();
  });
  afterEach(async () => {
    await transport.close();
    await closeTestHost(opened);
    rmSync(opened.dataDir, { recursive: true, force: true });
  });

  const codeOf = async (call: Promise<unknown>): Promise<string> =>
    call.then(
      () => 'no failure',
      (error: unknown) => failureOf(error).code,
    );

  it('the sandbox is controlled', async () => {
    const before = await client.sandbox.status();
    expect(before.tip.height).toBeGreaterThanOrEqual(120);
    await client.sandbox.snapshots.take({ name: 'before' });
    const { hashes } = await client.sandbox.mine({ blocks: 2 });
    const replaced = await client.sandbox.reorg({ depth: 1 });
    expect(replaced.hashes).not.toContain(hashes[1]);
    await client.sandbox.undoReorg({ hash: replaced.hashes[0] as string });
    expect((await client.sandbox.chain({ limit: 2 })).blocks.map(({ hash }) => hash)).toEqual(hashes);
    expect(await codeOf(client.sandbox.undoReorg({ hash: replaced.hashes[0] as string }))).toBe('conflict');
    await client.sandbox.snapshots.revert({ name: 'before' });
    expect((await client.sandbox.status()).tip.hash).toBe(before.tip.hash);
    await client.sandbox.snapshots.remove({ name: 'before' });
    expect(await codeOf(client.sandbox.snapshots.revert({ name: 'before' }))).toBe('not-found');

    expect(await client.sandbox.faults.set({ name: 'mempool-full' })).toMatchObject([{ name: 'mempool-full' }]);
    expect(await client.sandbox.faults.clear({})).toEqual([]);
    await client.sandbox.clock({ at: 1_900_000_000_000, frozen: true });
    expect((await client.sandbox.status()).clock).toEqual({ now: 1_900_000_000_000, frozen: true });
    await client.sandbox.clock({ at: null });
    expect((await client.sandbox.createKey({})).apiKey).toMatch(/^sandboxnet_/);

    const { address } = await client.wallet.status();
    const { txid } = await client.sandbox.fund({ address: address as string, satoshis: 5_000 });
    expect((await client.sandbox.doubleSpend({ txid })).txid).not.toBe(txid);
    expect(await client.sandbox.relay({ rawTx: '00' })).toMatchObject({ txid: null, outcome: 'refused' });

    const file = join(opened.dataDir, 'network.planchet');
    expect((await client.sandbox.export({ file })).bytes).toBeGreaterThan(0);
    await client.sandbox.reset({ seed: 'the same each time' });
    expect((await client.sandbox.status()).seed).toBe('the same each time');
    await client.sandbox.import({ file });
    expect((await client.sandbox.status()).seed).toBe(before.seed);
    expect(await codeOf(client.sandbox.import({ file: join(opened.dataDir, 'nothing') }))).not.toBe('no failure');
  });

  it('a document is written and found again', async () => {
    const written = await client.writer.write({ body: '{"a":1}', tag: 'test' });
    const document = await until(async () => {
      const now = await client.writer.documents.get({ id: written.id });
      if (['submitted', 'seen'].includes(now.state)) await client.sandbox.mine({ blocks: 1 });
      return now.state === 'proven' && now;
    });
    expect(document.txid).toMatch(/^[0-9a-f]{64}$/);
    const page = await client.writer.documents.list({ tag: 'test' });
    expect(page.documents.map(({ id }) => id)).toEqual([written.id]);
    expect((await client.writer.dead.list({})).documents).toEqual([]);
    expect(await client.writer.dead.retry({})).toEqual({ retried: 0, kept: 0, reason: null, failure: null });
    expect((await client.writer.status()).states.proven).toBe(1);
    expect((await client.writer.usage()).reduce((sum, hour) => sum + hour.documents, 0)).toBe(1);

    const { apiKey } = await client.sandbox.createKey({});
    const key = await client.writer.keys.register({ apiKey });
    expect((await client.writer.keys.list()).map(({ keyId }) => keyId)).toContain(key.keyId);
    expect(await codeOf(client.writer.keys.register({ apiKey }))).not.toBe('no failure');
    await client.writer.keys.revoke({ keyId: key.keyId });
    expect(await codeOf(client.writer.documents.get({ id: 'f'.repeat(64) }))).toBe('not-found');
  });

  it('a redeemable token is prepared, cancelled, and made', async () => {
    const schema = { symbol: 'CAFE', name: 'Coffee voucher', satsPerToken: 10, totalSupply: 100 };
    const prepared = await client.redeemableTokens.prepare({
      request: { action: 'contract', schema },
      idempotencyKey: randomUUID(),
    });
    expect(await client.redeemableTokens.get({ id: prepared.id })).toMatchObject({ awaitingApproval: true });
    await client.redeemableTokens.cancel({ id: prepared.id });
    expect(await codeOf(client.redeemableTokens.approve({ id: prepared.id, digest: prepared.review.digest }))).toBe(
      'conflict',
    );
    const again = await client.redeemableTokens.prepare({
      request: { action: 'contract', schema },
      idempotencyKey: randomUUID(),
    });
    await client.redeemableTokens.approve({ id: again.id, digest: again.review.digest });
    const contract = await until(async () => (await client.redeemableTokens.overview()).contracts[0]);
    expect(contract).toMatchObject({ schema });
    expect(await codeOf(client.redeemableTokens.history({ outpoint: `${'0'.repeat(64)}_0` }))).not.toBe('no failure');
  });
});
