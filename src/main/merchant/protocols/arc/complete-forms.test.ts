import { Beef, Transaction } from '@bsv/sdk';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  bumpOfPath,
  displayToHash,
  isBeef,
  isExtended,
  parseBeef,
  parseTx,
  toHex,
  txidOf,
} from '../../../../chain/index.ts';
import type { KnownTransaction } from '../../../ports/merchant/transactions.ts';
import { spend } from '../../../sandbox/test-support/merchant.ts';
import { TestSandbox } from '../../../sandbox/test-support/open-sandbox.ts';
import { ArcEndpoint } from './arc-endpoint.ts';
import { completeForm } from './complete-forms.ts';

let sandbox: TestSandbox;
let known: Map<string, KnownTransaction>;
let endpoint: ArcEndpoint;
const store = {
  withProofs: async (txids: readonly string[]) => new Map([...known].filter(([txid]) => txids.includes(txid))),
};
beforeEach(async () => {
  sandbox = await TestSandbox.open();
  known = new Map();
  endpoint = new ArcEndpoint({
    miner: { id: 'arc', name: 'Arc', kind: 'arc' },
    url: () => sandbox.service.endpoints().arcUrl ?? '',
    apiKey: () => new TextEncoder().encode(sandbox.service.apiKey()),
    clock: sandbox.clock,
    known: store,
  });
});
afterEach(() => sandbox.remove());

const learn = (rawTx: Uint8Array, bump: Uint8Array | null = null) => known.set(txidOf(rawTx), { rawTx, bump });

/** A line of payments from a mined coin, each spending the one before; none is submitted. */
async function line(length: number): Promise<Uint8Array[]> {
  const coin = await sandbox.coin();
  await sandbox.service.mine({ blocks: 1 });
  const { node } = sandbox.service;
  const mined = await node.transaction(coin.txid);
  const found = await node.proof(coin.txid);
  const { index = 0, nodes = [] } = found?.proof ?? {};
  const siblings = nodes.map((hash) => (hash === '*' ? null : displayToHash(hash)));
  learn(mined?.raw as Uint8Array, bumpOfPath(found?.blockHeight ?? 0, { txid: coin.txid, index, siblings }));
  const raws: Uint8Array[] = [];
  for (let from = coin; raws.length < length; ) {
    const raw = spend(from);
    raws.push(raw);
    from = { txid: txidOf(raw), vout: 0, satoshis: from.satoshis - 200 };
  }
  return raws;
}

function binaryServer(): FastifyInstance {
  const server = Fastify({ forceCloseConnections: true });
  server.addContentTypeParser('application/octet-stream', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );
  return server;
}

async function arcAt(server: FastifyInstance): Promise<ArcEndpoint> {
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  return new ArcEndpoint({
    miner: { id: 'arc', name: 'Arc', kind: 'arc' },
    url: () => url,
    apiKey: () => undefined,
    clock: sandbox.clock,
    known: store,
  });
}

const outgoing = (rawTx: Uint8Array) => ({ txid: txidOf(rawTx), rawTx });

describe('a transaction whose parents a miner does not know', () => {
  it('is sent again with all unmined ancestors, and then accepted', async () => {
    const [first, second, third] = (await line(3)) as [Uint8Array, Uint8Array, Uint8Array];
    expect(await endpoint.submit([outgoing(third)])).toMatchObject([{ status: 'rejected', word: '460' }]);
    learn(first);
    learn(second);
    expect(await endpoint.submit([outgoing(third)])).toMatchObject([{ status: 'seen', txid: txidOf(third) }]);
    expect(sandbox.service.node.mempool.txids().sort()).toEqual([first, second, third].map(txidOf).sort());
  });

  it('is sent again within a batch, and the others keep their verdicts', async () => {
    const [first, second] = (await line(2)) as [Uint8Array, Uint8Array];
    const [other] = (await line(1)) as [Uint8Array];
    learn(first);
    expect(await endpoint.submit([outgoing(other), outgoing(second)])).toMatchObject([
      { status: 'seen', txid: txidOf(other) },
      { status: 'seen', txid: txidOf(second) },
    ]);
  });

  it('is taken also where the answer to its BEEF is about the first ancestor', async () => {
    const [first, second] = (await line(2)) as [Uint8Array, Uint8Array];
    learn(first);
    const server = binaryServer();
    server.post('/v1/tx', async ({ body }, reply) =>
      isBeef(new Uint8Array(body as Buffer))
        ? { status: 200, title: 'OK', txid: txidOf(first), txStatus: 'SEEN_ON_NETWORK' }
        : reply.code(460).send({ status: 460, title: 'Not extended format', txid: txidOf(second) }),
    );
    server.get('/v1/tx/:txid', async ({ params }) => ({
      txid: (params as { txid: string }).txid,
      txStatus: 'SEEN_ON_NETWORK',
    }));
    const arc = await arcAt(server);
    try {
      expect(await arc.submit([outgoing(second)])).toMatchObject([
        { txid: txidOf(second), status: 'seen', failure: null },
      ]);
    } finally {
      await server.close();
    }
  });

  it('is sent with its ancestors where it waits as an orphan, and stays one where they are not known', async () => {
    const [first, second] = (await line(2)) as [Uint8Array, Uint8Array];
    const bodies: Uint8Array[] = [];
    const server = binaryServer();
    server.post('/v1/tx', async ({ body }) => {
      bodies.push(new Uint8Array(body as Buffer));
      const isWhole = isBeef(new Uint8Array(body as Buffer));
      return { txid: txidOf(second), txStatus: isWhole ? 'SEEN_ON_NETWORK' : 'SEEN_IN_ORPHAN_MEMPOOL' };
    });
    const arc = await arcAt(server);
    try {
      expect(await arc.submit([outgoing(second)])).toMatchObject([
        { status: 'accepted', word: 'SEEN_IN_ORPHAN_MEMPOOL' },
      ]);
      expect(bodies).toHaveLength(1);
      learn(first);
      expect(await arc.submit([outgoing(second)])).toMatchObject([{ status: 'seen', failure: null }]);
      expect(bodies.map((body) => isBeef(body))).toEqual([false, false, true]);
    } finally {
      await server.close();
    }
  });

  it('has the extended format where all parents are mined, and is a BEEF else', async () => {
    const [first, second] = (await line(2)) as [Uint8Array, Uint8Array];
    const extended = (await completeForm(first, store)) as Uint8Array;
    expect(isExtended(extended)).toBe(true);
    expect(Transaction.fromHexEF(toHex(extended)).id('hex')).toBe(txidOf(first));
    learn(first);
    const beef = (await completeForm(second, store)) as Uint8Array;
    expect(isBeef(beef)).toBe(true);
    const origin = parseTx(first).inputs[0]?.txid;
    expect(parseBeef(beef).transactions.map(({ txid }) => txid)).toEqual([origin, txidOf(first), txidOf(second)]);
    const theirs = Beef.fromBinary([...beef]);
    expect(theirs.isValid()).toBe(true);
  });

  it('has the extended format alone where an earlier ancestor is not known', async () => {
    const [first, second] = (await line(2)) as [Uint8Array, Uint8Array];
    known.clear();
    learn(first);
    expect(isExtended((await completeForm(second, store)) as Uint8Array)).toBe(true);
    known.clear();
    expect(await completeForm(second, store)).toBeUndefined();
  });
});
