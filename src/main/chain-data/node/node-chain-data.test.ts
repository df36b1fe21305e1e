import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  formatOutpoint,
  fromHex,
  headerHash,
  type Outpoint,
  parseTx,
  satoshis,
  toHex,
  type Utxo,
} from '../../../chain/index.ts';
import { PlanchetError } from '../../../contract/index.ts';
import { type NodeRpc, NodeRpcError } from '../../ports/node.ts';
import { walletKey } from '../../sandbox/node/test-support/open-node.ts';
import { outputCoin, spend } from '../../sandbox/node/test-support/spend.ts';
import { createNodeChainData } from './node-chain-data.ts';
import { NodeWorld, noCommand, nowhere, script } from './test-support/node-world.ts';

let world: NodeWorld;
/** What a node says of a transaction that no block holds. */
const notMined = new NodeRpcError(-5, 'Transaction not yet in block');

beforeAll(async () => {
  world = await NodeWorld.open();
});
afterAll(() => world.opened.remove());
afterEach(() => world.restore());

/** What the only input of a transaction spends. */
function spentBy(raw: Uint8Array): Outpoint {
  const { txid, vout } = parseTx(raw).inputs[0] as Outpoint;
  return { txid, vout };
}

describe('the chain of a node', () => {
  it('has a tip, and a block at each height up to it', async () => {
    const { hash, height } = world.opened.node.tip();
    expect(await world.chainData.tip()).toEqual({ basis: 'told', value: { hash, height } });
    expect(await world.chainData.hashAt(height)).toEqual({ basis: 'told', value: hash });
    expect(await world.chainData.hashAt(height + 1)).toEqual({ basis: 'unknown' });
    expect(await world.chainData.headerAt(height + 1)).toEqual({ basis: 'unknown' });
  });

  it('asks for the height of a tip once', async () => {
    await world.chainData.tip();
    world.asked = [];
    await world.chainData.tip();
    expect(world.asked).toEqual(['getbestblockhash']);
  });

  it('gives the head of a block, as the verified headers have it, or by its word where they do not reach', async () => {
    const { hash, height } = world.mined;
    const { basis, value } = await world.chainData.headerAt(height);
    expect(basis).toBe('told');
    expect(value).toMatchObject({ hash, height, transactions: 2 });
    expect(headerHash(value?.header as Uint8Array)).toBe(hash);
    expect(await createNodeChainData(world.rpc, world.headersWith(hash)).header(hash)).toEqual({
      basis: 'proven',
      value,
    });
    expect(await createNodeChainData(world.rpc, world.headersWith(nowhere)).header(hash)).toEqual({ basis: 'unknown' });
    expect(await createNodeChainData(world.rpc, world.headersWith(nowhere)).headerAt(height)).toEqual({
      basis: 'unknown',
    });
  });

  it('does not have a block that is not the one at its height, however many confirmations are told of it', async () => {
    const { hash } = world.mined;
    world.change = (method, answer) => (method === 'getblockhash' ? nowhere : answer);
    expect(await world.chainData.header(hash)).toEqual({ basis: 'unknown' });
    expect(await world.chainData.placeOf(world.mined.txid)).toEqual({ basis: 'told', value: null });
    expect(await world.chainData.inclusion(world.mined.txid, hash)).toEqual({ basis: 'unknown' });
  });

  it.each<[string, (bytes: Uint8Array) => void]>([
    ['of another block', (bytes) => bytes.fill(7, 4, 36)],
    ['that is too short', (bytes) => bytes.fill(0)],
  ])('refuses a header %s', async (_, alter) => {
    world.change = (method, answer, params) => {
      if (method !== 'getblockheader' || params[1] !== false) return answer;
      const bytes = fromHex(answer as string);
      alter(bytes);
      return toHex(bytes[10] === 0 ? bytes.subarray(1) : bytes);
    };
    await expect(world.chainData.headerAt(world.mined.height)).rejects.toMatchObject({ id: 'chain.block-differs' });
  });

  it('tells what a block pays in satoshis, where the node has that command', async () => {
    const stats = { totalfee: 0.00000029, total_out: 1.1, total_size: 580 };
    world.change = (method, answer) => (method === 'getblockstats' ? stats : answer);
    expect(await world.chainData.totals(world.mined.hash)).toEqual({
      basis: 'told',
      value: { fees: 29, value: 110_000_000, payingBytes: 580 },
    });
    for (const answer of [noCommand, {}]) {
      world.change = () => answer;
      expect(await world.chainData.totals(world.mined.hash)).toEqual({ basis: 'unknown' });
    }
    world.change = () => new Error('outage');
    await expect(world.chainData.totals(world.mined.hash)).rejects.toThrow('outage');
  });

  it('gives the head of a block that is not the one at its height, where it is asked for anywhere', async () => {
    world.change = (method, answer) => (method === 'getblockhash' ? nowhere : answer);
    const { value: head } = await world.chainData.headerAnywhere(world.mined.hash);
    expect(head).toMatchObject({ height: world.mined.height, transactions: 2, size: expect.any(Number) });
    expect(await world.chainData.headerAnywhere(nowhere)).toEqual({ basis: 'unknown' });
  });

  it('has its blocks searched, on the verified headers or on the word of the node', async () => {
    const { hash, height, txid } = world.mined;
    const sought = { txids: new Set([txid]), outpoints: new Set([formatOutpoint(spentBy(world.mined.raw))]) };
    const { basis, value } = await world.chainData.search({ hash, height }, sought);
    expect(basis).toBe('told');
    expect(value?.transactions).toMatchObject([
      { txid, index: 1, inputs: [spentBy(world.mined.raw)], path: { index: 1 } },
    ]);
    expect(await createNodeChainData(world.rpc, world.headersWith(hash)).search({ hash, height }, {})).toMatchObject({
      basis: 'proven',
      value: { transactions: [] },
    });
    const other = createNodeChainData(world.rpc, world.headersWith(nowhere));
    expect(await other.search({ hash, height }, sought)).toEqual({ basis: 'unknown' });
    expect(await world.chainData.search({ hash: nowhere, height }, sought)).toEqual({ basis: 'unknown' });
  });

  it('refuses a block that is another one, or that holds what its header does not commit to', async () => {
    const search = () => world.chainData.search(world.mined, {});
    world.change = (_, answer) => `ff${(answer as string).slice(2)}`;
    await expect(search()).rejects.toMatchObject({ id: 'chain.block-differs' });
    world.change = (_, answer) => (answer as string).replace(/..$/, 'ff');
    await expect(search()).rejects.toMatchObject({ id: 'chain.block-invalid' });
    world.change = (_, answer) => (answer as string).slice(0, -2);
    await expect(search()).rejects.toMatchObject({ id: 'chain.block-invalid', code: 'proof-invalid' });
  });

  it('gives the first transaction of a block, also of a node without extended headers', async () => {
    const first = await world.chainData.coinbase(world.mined.hash);
    expect(parseTx(first.value?.raw as Uint8Array).inputs[0]?.txid).toBe('0'.repeat(64));
    expect(first.value?.nodes).toEqual([world.mined.txid]);
    world.change = (method, answer, params) => (method === 'getblockheader' && params[1] === 2 ? noCommand : answer);
    expect(await world.chainData.coinbase(world.mined.hash)).toEqual(first);
  });
});

describe('a transaction of a node', () => {
  it('is proven by its id', async () => {
    expect(await world.chainData.transaction(world.mined.txid)).toEqual({ basis: 'proven', value: world.mined.raw });
    expect(await world.chainData.transaction(nowhere)).toEqual({ basis: 'unknown' });
    world.change = () => toHex(world.mined.raw.subarray(1));
    await expect(world.chainData.transaction(world.mined.txid)).rejects.toMatchObject({
      id: 'chain.transaction-differs',
    });
    world.change = () => 'no hex';
    await expect(world.chainData.transaction(world.mined.txid)).rejects.toMatchObject({ id: 'chain.answer-malformed' });
  });

  it('comes with its block by one call, and from a node that leaves out its bytes by two', async () => {
    const { txid, hash, height, raw } = world.mined;
    const placed = { basis: 'told', value: { raw, block: { hash, height } } };
    expect(await world.chainData.placed(txid)).toEqual(placed);
    expect(world.asked.filter((method) => method === 'getrawtransaction')).toHaveLength(1);
    world.change = (method, answer) =>
      method === 'getrawtransaction' && typeof answer === 'object' ? { ...answer, hex: undefined } : answer;
    expect(await world.chainData.placed(txid)).toEqual(placed);
    world.change = (method, answer) =>
      method === 'getrawtransaction' ? { ...(answer as object), hex: '00'.repeat(60) } : answer;
    await expect(world.chainData.placed(txid)).rejects.toMatchObject({ id: 'chain.transaction-differs' });
    world.change = (method, answer) => (method === 'getblockhash' ? nowhere : answer);
    expect((await world.chainData.placed(txid)).value?.block).toBeNull();
    expect(await world.chainData.placed(nowhere)).toEqual({ basis: 'unknown' });
    // of a large one the node says more than is read
    world.change = (method, answer) =>
      method === 'getrawtransaction' && typeof answer === 'object'
        ? new PlanchetError('upstream.answer-too-large', { origin: 'http://node' })
        : answer;
    expect(await world.chainData.placed(txid)).toEqual(placed);
    expect(await world.chainData.placeOf(txid)).toEqual({ basis: 'told', value: { hash, height } });
  });

  it('is read with many others in few calls, whatever the node has of them', async () => {
    const txids = [
      world.mined.txid,
      nowhere,
      ...Array.from({ length: 250 }, (_, n) => n.toString(16).padStart(64, '0')),
    ];
    const sizes: number[] = [];
    const each: NodeRpc['callEach'] = async <T>(method: string, params: readonly (readonly unknown[])[]) => {
      sizes.push(params.length);
      return Promise.all(params.map((own) => world.rpc.call<T>(method, own).catch((error: NodeRpcError) => error)));
    };
    const found = new Map([[world.mined.txid, world.mined.raw]]);
    expect(await createNodeChainData({ ...world.rpc, callEach: each }).transactions(txids)).toEqual(found);
    expect(sizes).toEqual([100, 100, 52]);
    expect(await world.chainData.transactions(txids)).toEqual(found);
    for (const wrong of [toHex(world.mined.raw.subarray(1)), 'no hex', 7, null]) {
      world.change = () => wrong;
      expect(await createNodeChainData({ ...world.rpc, callEach: each }).transactions(txids.slice(0, 2))).toEqual(
        new Map(),
      );
    }
  });

  it('is read in smaller batches where their answer is too large, or by itself where the node takes none', async () => {
    const txids = [world.mined.txid, ...Array.from({ length: 7 }, (_, n) => n.toString(16).padStart(64, '0'))];
    const sizes: number[] = [];
    let failure = new PlanchetError('upstream.answer-too-large', { origin: 'http://node' });
    const each: NodeRpc['callEach'] = async <T>(method: string, params: readonly (readonly unknown[])[]) => {
      sizes.push(params.length);
      if (params.length > 2) throw failure;
      return Promise.all(params.map((own) => world.rpc.call<T>(method, own).catch((error: NodeRpcError) => error)));
    };
    const batching = createNodeChainData({ ...world.rpc, callEach: each });
    const found = new Map([[world.mined.txid, world.mined.raw]]);
    expect(await batching.transactions(txids)).toEqual(found);
    expect(sizes).toEqual([8, 4, 2, 2, 4, 2, 2]);
    failure = new PlanchetError('upstream.not-json-rpc', { origin: 'http://node', status: 200 });
    expect(await batching.transactions(txids)).toEqual(found);
    expect(sizes.slice(7)).toEqual([8]);
    failure = new PlanchetError({ code: 'upstream-unreachable', message: 'away' });
    await expect(batching.transactions(txids)).rejects.toBe(failure);
  });

  it('is in a block, in the mempool or unknown', async () => {
    const { txid, hash, height, coins } = world.mined;
    expect(await world.chainData.placeOf(txid)).toEqual({ basis: 'told', value: { hash, height } });
    expect(await world.chainData.isInMempool(txid)).toEqual({ basis: 'told', value: false });
    expect(await world.chainData.placeOf(nowhere)).toEqual({ basis: 'unknown' });
    const tx = spend([coins[0] as Utxo], walletKey, [{ satoshis: satoshis(90_000), script }]);
    const waiting = await world.send(tx);
    expect(await world.chainData.placeOf(waiting)).toEqual({ basis: 'told', value: null });
    expect(await world.chainData.isInMempool(waiting)).toEqual({ basis: 'told', value: true });
    expect(await world.chainData.mempool()).toEqual({ basis: 'told', value: [waiting] });
    expect(await world.chainData.mempool(0)).toEqual({ basis: 'unknown' });
    const child = await world.send(
      spend([outputCoin(tx, waiting, 0)], walletKey, [{ satoshis: satoshis(80_000), script }]),
    );
    expect(await world.chainData.unminedAncestors(child)).toEqual({ basis: 'told', value: 1 });
    world.change = (method, answer) => (method === 'getmempoolentry' ? noCommand : answer);
    expect(await world.chainData.isInMempool(waiting)).toEqual({ basis: 'unknown' });
  });

  it('is placed without its bytes, which a node says several times', async () => {
    const waiting = (await world.chainData.mempool()).value?.[0] as string;
    world.asked.length = 0;
    expect((await world.chainData.placeOf(world.mined.txid)).value).toEqual({
      hash: world.mined.hash,
      height: world.mined.height,
    });
    expect((await world.chainData.placeOf(waiting)).value).toBeNull();
    expect(await world.chainData.inclusion(waiting)).toEqual({ basis: 'unknown' });
    expect(world.asked).not.toContain('getrawtransaction');
    world.change = (method, answer) =>
      method === 'getmerkleproof2' || method === 'getmempoolentry' ? noCommand : answer;
    expect((await world.chainData.placeOf(world.mined.txid)).value).toEqual({
      hash: world.mined.hash,
      height: world.mined.height,
    });
    expect((await world.chainData.placeOf(waiting)).value).toBeNull();
  });

  it('is placed without its bytes where a block takes it between two questions', async () => {
    const { txid, hash, height } = world.mined;
    for (const place of [
      async () => (await world.chainData.placeOf(txid)).value,
      async () => (await world.chainData.inclusion(txid)).value,
    ]) {
      world.asked.length = 0;
      world.change = (method, answer) =>
        method === 'getmerkleproof2' && world.asked.filter((one) => one === method).length === 1 ? notMined : answer;
      expect(await place()).toMatchObject({ hash, height });
      expect(world.asked).not.toContain('getrawtransaction');
    }
  });

  it('leaves outputs that are unspent, that the mempool spends, or that nobody knows', async () => {
    const [first, second] = world.mined.coins as [Utxo, Utxo];
    const spender = (await world.chainData.mempool()).value?.find((txid) => txid !== nowhere);
    expect(spender).toBeDefined();
    const [spent, unspent, unknown] =
      (await world.chainData.outputs([first, second, { txid: nowhere, vout: 0 }], 'outputs')) ?? [];
    expect(spent).toMatchObject({ basis: 'told', value: { state: 'spent' } });
    expect((await world.chainData.mempool()).value).toContain(spent?.value?.state === 'spent' && spent.value.by);
    const output = { satoshis: second.satoshis, script };
    expect(unspent).toEqual({ basis: 'told', value: { state: 'unspent', output, confirmations: 3 } });
    expect(unknown).toEqual({ basis: 'unknown' });
    expect(await world.chainData.output(first)).toEqual({ basis: 'told', value: { state: 'spent', by: null } });
    expect(await world.chainData.output(second)).toEqual(unspent);
    expect(await world.chainData.output({ txid: nowhere, vout: 0 })).toEqual(unknown);
    expect(await world.chainData.outputs([second], 'states')).toEqual([
      { basis: 'told', value: { state: 'unspent', output: undefined, confirmations: 3 } },
    ]);
    world.change = (method, answer) => (method === 'gettxouts' ? noCommand : answer);
    expect(await world.chainData.outputs([first], 'states')).toBeUndefined();
  });
});

describe('a node that cannot answer', () => {
  it.each([
    ['starts', new NodeRpcError(-28, 'Loading block index'), { code: 'upstream-error', id: 'chain.node-error' }],
  ])('says nothing while it %s', async (_, error, failure) => {
    world.change = () => error;
    const { txid, hash, height, coins } = world.mined;
    const head = { hash, height, header: new Uint8Array(80), previousHash: '', merkleRoot: '', time: 0 };
    const questions = [
      world.chainData.tip(),
      world.chainData.hashAt(height),
      world.chainData.headerAt(height),
      world.chainData.header(hash),
      world.chainData.headerAnywhere(hash),
      world.chainData.listing({ ...head, transactions: 1 }),
      world.chainData.coinbase(hash),
      world.chainData.search({ hash, height }, {}),
      world.chainData.transaction(txid),
      world.chainData.placed(txid),
      world.chainData.placeOf(txid),
      world.chainData.inclusion(txid, hash),
      world.chainData.output(coins[0] as Utxo),
      world.chainData.mempool(),
      world.chainData.unminedAncestors(txid),
    ];
    for (const { status, ...rest } of await Promise.allSettled(questions)) {
      expect(status).toBe('rejected');
      expect(rest).toMatchObject({ reason: failure });
    }
  });

  it('is asked no longer than until the signal', async () => {
    const signals: (AbortSignal | undefined)[] = [];
    const recording: NodeRpc = {
      call: async <T>(_: string, __?: readonly unknown[], options?: { signal?: AbortSignal }): Promise<T> => {
        signals.push(options?.signal);
        throw new NodeRpcError(-5, 'nothing is known');
      },
    };
    const [outer, inner] = [new AbortController(), new AbortController()];
    const bound = createNodeChainData(recording).until(outer.signal);
    await bound.transaction(nowhere);
    await bound.until(inner.signal).transaction(nowhere);
    expect(signals[0]).toBe(outer.signal);
    expect(signals[1]?.aborted).toBe(false);
    outer.abort();
    expect(signals[1]?.aborted).toBe(true);
  });
});

it('a header without its work is refused', async () => {
  const header = fromHex(await world.rpc.call<string>('getblockheader', [world.mined.hash, false]));
  // The work that its bits ask for, of a block that shows less.
  header[75] = 0x1d;
  const hash = headerHash(header);
  world.change = (method, answer, params) => {
    if (method === 'getblockheader') return params[1] === false ? toHex(header) : { height: world.mined.height };
    return method === 'getblockhash' ? hash : answer;
  };
  await expect(world.chainData.headerAt(world.mined.height)).rejects.toMatchObject({ id: 'chain.block-differs' });
});

describe('a pruned node', () => {
  const gone = new NodeRpcError(-1, `Block file ${nowhere} not available.`);

  it('says which block it cannot search any more, and knows nothing of what lies in it', async () => {
    world.change = (method, answer, [, form]) => (method === 'getblock' || form === 2 ? gone : answer);
    const { hash, height } = world.mined;
    expect(await world.chainData.holds({ hash, height })).toBe(false);
    await expect(world.chainData.search({ hash, height }, {})).rejects.toMatchObject({
      id: 'chain.block-pruned',
      values: { height },
    });
    const { value: head } = await world.chainData.header(hash);
    expect(await world.chainData.listing(head as NonNullable<typeof head>)).toEqual({ basis: 'unknown' });
    world.change = () => gone;
    expect(await world.chainData.inclusion(world.mined.txid, hash)).toEqual({ basis: 'unknown' });
    world.change = (_, answer) => answer;
    expect(await world.chainData.holds({ hash, height })).toBe(true);
  });
});
