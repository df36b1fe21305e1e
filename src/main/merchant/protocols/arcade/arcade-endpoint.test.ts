import type { AddressInfo } from 'node:net';
import Fastify from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isExtended, parseBump, pathInBump, txidOf } from '../../../../chain/index.ts';
import type { MinerVerdict } from '../../../ports/merchant/miners.ts';
import type { KnownTransaction } from '../../../ports/merchant/transactions.ts';
import { spend } from '../../../sandbox/test-support/merchant.ts';
import { TestSandbox } from '../../../sandbox/test-support/open-sandbox.ts';
import { ArcadeEndpoint } from './arcade-endpoint.ts';

let sandbox: TestSandbox;
let known: Map<string, KnownTransaction>;
const closing: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
  sandbox = await TestSandbox.open();
  known = new Map();
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  await sandbox.remove();
});

const store = {
  withProofs: async (txids: readonly string[]) => new Map([...known].filter(([txid]) => txids.includes(txid))),
};
const address = (): string => (sandbox.service.endpoints().arcUrl ?? '').replace('/arc/v1', '/arcade');
const endpointAt = (url: string): ArcadeEndpoint =>
  new ArcadeEndpoint({
    miner: { id: 'a', name: 'Arcade', kind: 'arcade' },
    url: () => url,
    apiKey: () => undefined,
    clock: sandbox.clock,
    known: store,
  });
const outgoing = (rawTx: Uint8Array) => ({ txid: txidOf(rawTx), rawTx });

async function mined(): Promise<{ txid: string; vout: number; satoshis: number }> {
  const coin = await sandbox.coin();
  await sandbox.service.mine({ blocks: 1 });
  const found = await sandbox.service.node.transaction(coin.txid);
  known.set(coin.txid, { rawTx: found?.raw as Uint8Array, bump: Uint8Array.of(1) });
  return coin;
}

/** A line of payments from a mined coin, each spending the one before; none is submitted. */
async function line(length: number): Promise<Uint8Array[]> {
  const raws: Uint8Array[] = [];
  for (let from = await mined(); raws.length < length; ) {
    const raw = spend(from);
    raws.push(raw);
    from = { txid: txidOf(raw), vout: 0, satoshis: from.satoshis - 200 };
  }
  return raws;
}

/** A server that answers with what a test gives. */
async function answering(answer: (path: string, body: Buffer) => { status?: number; json: unknown }): Promise<string> {
  const server = Fastify({ forceCloseConnections: true });
  server.addContentTypeParser('application/octet-stream', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );
  server.all('/*', async ({ url, body }, reply) => {
    const { status = 202, json } = answer(url, body as Buffer);
    return reply.code(status).send(json);
  });
  await server.listen({ host: '127.0.0.1', port: 0 });
  closing.push(() => server.close());
  return `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`;
}

describe('the client of Arcade', () => {
  it('reads policy and health, and submits in the extended format', async () => {
    const arcade = endpointAt(address());
    expect(await arcade.quote()).toMatchObject({
      policies: { maxtxsizepolicy: 10_485_760, maxscriptsizepolicy: 500_000 },
      source: null,
    });
    expect(await arcade.complaint()).toBeNull();
    const raw = spend(await mined());
    const txid = txidOf(raw);
    expect(await arcade.submit([outgoing(raw)])).toMatchObject([{ txid, status: 'accepted', word: 'RECEIVED' }]);
    expect(await arcade.status(txid)).toMatchObject({ status: 'seen' });
    await sandbox.service.mine({ blocks: 1 });
    await expect.poll(() => arcade.status(txid)).toMatchObject({ status: 'mined' });
    const verdict = await arcade.status(txid);
    expect(pathInBump(parseBump(verdict.bump as Uint8Array), txid)).toBeDefined();
    expect(await arcade.status('ab'.repeat(32))).toMatchObject({ status: 'unknown' });
  });

  it('sends the spent outputs along, and raw bytes where they are not known', async () => {
    const [first, second] = (await line(2)) as [Uint8Array, Uint8Array];
    const bodies: Buffer[] = [];
    const url = await answering((_, body) => {
      bodies.push(body);
      return { json: { txid: '', status: 202, txStatus: 'RECEIVED' } };
    });
    await endpointAt(url).submit([outgoing(first)]);
    await endpointAt(url).submit([outgoing(second)]);
    expect(bodies.map((body) => isExtended(body))).toEqual([true, false]);
    expect(Uint8Array.from(bodies[1] as Buffer)).toEqual(second);
  });

  it('sends unmined ancestors where the transaction waits for a parent', async () => {
    const [first, second, third] = (await line(3)) as [Uint8Array, Uint8Array, Uint8Array];
    known.set(txidOf(first), { rawTx: first, bump: null });
    known.set(txidOf(second), { rawTx: second, bump: null });
    const asked: string[] = [];
    const url = await answering((path) => {
      asked.push(path);
      if (path === '/txs') return { json: { submitted: 3, duplicates: 0, total: 3 } };
      return { json: { txid: txidOf(third), txStatus: 'PENDING_RETRY' } };
    });
    expect(await endpointAt(url).submit([outgoing(third)])).toMatchObject([{ status: 'accepted', word: 'RECEIVED' }]);
    expect(asked).toEqual(['/tx', '/txs']);
    // the real one waits for a parent that comes later
    const arcade = endpointAt(address());
    expect(await arcade.submit([outgoing(second)])).toMatchObject([{ status: 'accepted' }]);
    expect(await arcade.status(txidOf(second))).toMatchObject({ word: 'PENDING_RETRY' });
    await arcade.submit([outgoing(first)]);
    await expect.poll(() => arcade.status(txidOf(second))).toMatchObject({ status: 'seen' });
  });

  it('submits several at once, and each alone where some were left out', async () => {
    const raws = await line(3);
    for (const rawTx of raws) known.set(txidOf(rawTx), { rawTx, bump: null });
    const verdicts = await endpointAt(address()).submit(raws.map(outgoing));
    expect(verdicts.map(({ txid, status }) => [txid, status])).toEqual(raws.map((raw) => [txidOf(raw), 'accepted']));
    expect(sandbox.service.node.mempool.txids().sort()).toEqual(raws.map(txidOf).sort());
    let singles = 0;
    const url = await answering((path) => {
      if (path === '/txs') return { json: { submitted: 2, duplicates: 0, total: 3 } };
      return singles++ === 1 ? { status: 503, json: { error: 'busy' } } : { json: { txStatus: 'RECEIVED' } };
    });
    const alone = await endpointAt(url).submit(raws.map(outgoing));
    expect(alone.map(({ status }) => status)).toEqual(['accepted', 'unclear', 'accepted']);
    expect(alone.map(({ txid }) => txid)).toEqual(raws.map(txidOf));
  });

  it.each([
    [461, 'script-failed', 'why'],
    [465, 'fee-too-low', 'why'],
    [467, 'too-large', 'tx-size: above maxtxsizepolicy'],
    [467, 'fee-too-low', 'fee is too low'],
    [476, 'not-final', 'not final'],
    [467, 'miner-failure', 'something else'],
    [0, 'malformed', 'why'],
  ])('reads the status %i inside a refusal as %s', async (status, code, reason) => {
    const url = await answering(() => ({ status: 400, json: { error: 'refused', reason, status } }));
    const [verdict] = await endpointAt(url).submit([outgoing(spend(await mined()))]);
    expect(verdict?.reason).toMatchObject({ code, text: reason });
    expect(verdict?.status).toBe(code === 'miner-failure' ? 'unclear' : 'rejected');
  });

  it('fails for an answer without a status, a page and an error', async () => {
    const one = outgoing(spend(await mined()));
    for (const answer of [{ json: {} }, { json: 'ok' }, { status: 503, json: { error: 'busy' } }])
      await expect(endpointAt(await answering(() => answer)).submit([one])).rejects.toThrow();
  });

  it('follows states up to the Merkle path, and those that it missed', async () => {
    const arcade = endpointAt(address());
    const raw = spend(await mined());
    const heard: MinerVerdict[] = [];
    const listen = (signal: AbortSignal) =>
      arcade.follow(async (verdict) => void heard.push(verdict), signal).catch(() => undefined);
    const first = new AbortController();
    const following = listen(first.signal);
    await arcade.submit([outgoing(raw)]);
    await expect.poll(() => heard.map(({ status }) => status)).toContain('seen');
    first.abort();
    await following;
    await sandbox.service.mine({ blocks: 1 });
    const second = new AbortController();
    const again = listen(second.signal);
    await expect.poll(() => heard.at(-1)).toMatchObject({ txid: txidOf(raw), status: 'mined' });
    second.abort();
    await again;
    expect(heard.at(-1)?.bump).not.toBeNull();
    expect(heard.map(({ word }) => word)).toEqual(['SEEN_ON_NETWORK', 'MINED']);
  });

  it('reports also what was submitted before the stream was open', async () => {
    const arcade = endpointAt(address());
    const raw = spend(await mined());
    await arcade.submit([outgoing(raw)]);
    await sandbox.service.mine({ blocks: 1 });
    await expect.poll(() => arcade.status(txidOf(raw))).toMatchObject({ status: 'mined' });
    const heard: MinerVerdict[] = [];
    const stop = new AbortController();
    const following = arcade.follow(async (verdict) => void heard.push(verdict), stop.signal).catch(() => undefined);
    await expect.poll(() => heard).toMatchObject([{ txid: txidOf(raw), status: 'mined' }]);
    stop.abort();
    await following;
  });

  it('resumes after the last event with an id, also where an event without one followed', async () => {
    const resumed: unknown[] = [];
    const bodies = ['id: 7\nevent: status\ndata: {}\n\n', 'event: gap\ndata: {}\n\n', ': nothing\n\n'];
    const server = Fastify({ forceCloseConnections: true });
    server.get('/events', async ({ headers }, reply) => {
      resumed.push(headers['last-event-id']);
      return reply.type('text/event-stream').send(bodies[resumed.length - 1]);
    });
    closing.push(() => server.close());
    const arcade = endpointAt(await server.listen({ host: '127.0.0.1', port: 0 }));
    for (const _ of bodies) await arcade.follow(async () => undefined, new AbortController().signal);
    expect(resumed).toEqual([undefined, '7', '7']);
  });

  it('fails where the address has no stream', async () => {
    const arcade = endpointAt(await answering(() => ({ status: 404, json: { error: 'no stream' } })));
    const signal = new AbortController().signal;
    await expect(arcade.follow(async () => undefined, signal)).rejects.toThrow();
  });
});
