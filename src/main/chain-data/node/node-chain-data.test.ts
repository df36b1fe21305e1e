import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  formatOutpoint,
  fromHex,
  headerHash,
  merkleRoot,
  type Outpoint,
  parseTx,
  satoshis,
  serializeTx,
  type TscProof,
  toHex,
  type Utxo,
} from '../../../chain/index.ts';
import { PlanchetError } from '../../../contract/index.ts';
import type { ChainHeader } from '../../ports/headers.ts';
import { type NodeRpc, NodeRpcError } from '../../ports/node.ts';
import { createNodeRpc } from '../../sandbox/node/rpc/dispatcher.ts';
import { lockingScriptOf, openTestNode, type TestNode, walletKey } from '../../sandbox/node/test-support/open-node.ts';
import { textOf } from '../../sandbox/node/test-support/rpc-world.ts';
import { outputCoin, spend } from '../../sandbox/node/test-support/spend.ts';
import { LISTED_TRANSACTIONS } from './blocks.ts';
import { createNodeChainData, type VerifiedHeaders } from './node-chain-data.ts';

const script = lockingScriptOf(walletKey);
const nowhere = 'ab'.repeat(32);
const noCommand = new NodeRpcError(-32_601, 'Method not found');

let opened: TestNode;
/** A mined transaction of two outputs, with its block. */
let mined: { txid: string; hash: string; height: number; coins: Utxo[]; raw: Uint8Array };
/** Changes an answer on its way; an error in its place is thrown. */
let change: (method: string, answer: unknown, params: readonly unknown[]) => unknown = (_, answer) => answer;
let asked: string[] = [];

const rpc: NodeRpc = {
  async call<T>(method: string, params: readonly unknown[] = []): Promise<T> {
    asked.push(method);
    const answer = await createNodeRpc(opened.node)
      .dispatch(method, params)
      .then(async (result) => JSON.parse(await textOf(result)) as unknown)
      .catch((error: { code: number; message: string }) => new NodeRpcError(error.code, error.message));
    const changed = change(method, answer, params);
    if (changed instanceof Error) throw changed;
    return changed as T;
  },
};
const chainData = createNodeChainData(rpc);

async function send(tx: Parameters<typeof serializeTx>[0]): Promise<string> {
  const result = await opened.node.submit(serializeTx(tx));
  if (!result.ok) throw new Error(result.reason);
  return result.txid;
}

beforeAll(async () => {
  opened = await openTestNode();
  const coin = (await opened.node.spendable(script)).find(({ satoshis: worth }) => worth > 1_000_000) as Utxo;
  const values = [100_000, coin.satoshis - 200_000];
  const tx = spend(
    [coin],
    walletKey,
    values.map((value) => ({ satoshis: satoshis(value), script })),
  );
  const txid = await send(tx);
  await opened.node.mine(1);
  const { hash, height } = opened.node.tip();
  const coins = values.map((_, vout) => outputCoin(tx, txid, vout));
  mined = { txid, hash, height, coins, raw: serializeTx(tx) };
  await opened.node.mine(2);
});
afterAll(() => opened.remove());
afterEach(() => {
  change = (_, answer) => answer;
  asked = [];
});

/** What the only input of a transaction spends. */
function spentBy(raw: Uint8Array): Outpoint {
  const { txid, vout } = parseTx(raw).inputs[0] as Outpoint;
  return { txid, vout };
}

/** Verified headers with one block at each height from that of `mined` on. */
function headersWith(hash: string): VerifiedHeaders {
  const at = (height: number): ChainHeader | undefined =>
    height >= mined.height ? { hash, height, header: new Uint8Array(80) } : undefined;
  return { at, tip: at(mined.height) ?? null, refresh: async () => undefined };
}

describe('the chain of a node', () => {
  it('has a tip, and a block at each height up to it', async () => {
    const { hash, height } = opened.node.tip();
    expect(await chainData.tip()).toEqual({ basis: 'told', value: { hash, height } });
    expect(await chainData.hashAt(height)).toEqual({ basis: 'told', value: hash });
    expect(await chainData.hashAt(height + 1)).toEqual({ basis: 'unknown' });
    expect(await chainData.headerAt(height + 1)).toEqual({ basis: 'unknown' });
  });

  it('asks for the height of a tip once', async () => {
    await chainData.tip();
    asked = [];
    await chainData.tip();
    expect(asked).toEqual(['getbestblockhash']);
  });

  it('gives the head of a block, as the verified headers have it, or by its word where they do not reach', async () => {
    const { hash, height } = mined;
    const { basis, value } = await chainData.headerAt(height);
    expect(basis).toBe('told');
    expect(value).toMatchObject({ hash, height, transactions: 2 });
    expect(headerHash(value?.header as Uint8Array)).toBe(hash);
    expect(await createNodeChainData(rpc, headersWith(hash)).header(hash)).toEqual({ basis: 'proven', value });
    expect(await createNodeChainData(rpc, headersWith(nowhere)).header(hash)).toEqual({ basis: 'unknown' });
    expect(await createNodeChainData(rpc, headersWith(nowhere)).headerAt(height)).toEqual({ basis: 'unknown' });
  });

  it('does not have a block that is not the one at its height, however many confirmations are told of it', async () => {
    const { hash } = mined;
    change = (method, answer) => (method === 'getblockhash' ? nowhere : answer);
    expect(await chainData.header(hash)).toEqual({ basis: 'unknown' });
    expect(await chainData.placeOf(mined.txid)).toEqual({ basis: 'told', value: null });
    expect(await chainData.inclusion(mined.txid, hash)).toEqual({ basis: 'unknown' });
  });

  it.each<[string, (bytes: Uint8Array) => void]>([
    ['of another block', (bytes) => bytes.fill(7, 4, 36)],
    ['that is too short', (bytes) => bytes.fill(0)],
  ])('refuses a header %s', async (_, alter) => {
    change = (method, answer, params) => {
      if (method !== 'getblockheader' || params[1] !== false) return answer;
      const bytes = fromHex(answer as string);
      alter(bytes);
      return toHex(bytes[10] === 0 ? bytes.subarray(1) : bytes);
    };
    await expect(chainData.headerAt(mined.height)).rejects.toMatchObject({ id: 'chain.block-differs' });
  });

  it('tells what a block pays in satoshis, where the node has that command', async () => {
    change = (method, answer) => (method === 'getblockstats' ? { totalfee: 0.00000029, total_out: 1.1 } : answer);
    expect(await chainData.totals(mined.hash)).toEqual({ basis: 'told', value: { fees: 29, value: 110_000_000 } });
    for (const answer of [noCommand, {}]) {
      change = () => answer;
      expect(await chainData.totals(mined.hash)).toEqual({ basis: 'unknown' });
    }
    change = () => new Error('outage');
    await expect(chainData.totals(mined.hash)).rejects.toThrow('outage');
  });

  it('gives the head of a block that is not the one at its height, where it is asked for anywhere', async () => {
    change = (method, answer) => (method === 'getblockhash' ? nowhere : answer);
    const { value: head } = await chainData.headerAnywhere(mined.hash);
    expect(head).toMatchObject({ height: mined.height, transactions: 2, size: expect.any(Number) });
    expect(await chainData.headerAnywhere(nowhere)).toEqual({ basis: 'unknown' });
  });

  it('is searched, on the verified headers or on the word of the node', async () => {
    const { hash, height, txid } = mined;
    const sought = { txids: new Set([txid]), outpoints: new Set([formatOutpoint(spentBy(mined.raw))]) };
    const { basis, value } = await chainData.search({ hash, height }, sought);
    expect(basis).toBe('told');
    expect(value?.transactions).toMatchObject([{ txid, index: 1, inputs: [spentBy(mined.raw)], path: { index: 1 } }]);
    expect(await createNodeChainData(rpc, headersWith(hash)).search({ hash, height }, {})).toMatchObject({
      basis: 'proven',
      value: { transactions: [] },
    });
    const other = createNodeChainData(rpc, headersWith(nowhere));
    expect(await other.search({ hash, height }, sought)).toEqual({ basis: 'unknown' });
    expect(await chainData.search({ hash: nowhere, height }, sought)).toEqual({ basis: 'unknown' });
  });

  it('is refused where it is another one, or holds what its header does not commit to', async () => {
    const search = () => chainData.search(mined, {});
    change = (_, answer) => `ff${(answer as string).slice(2)}`;
    await expect(search()).rejects.toMatchObject({ id: 'chain.block-differs' });
    change = (_, answer) => (answer as string).replace(/..$/, 'ff');
    await expect(search()).rejects.toMatchObject({ id: 'chain.block-invalid' });
    change = (_, answer) => (answer as string).slice(0, -2);
    await expect(search()).rejects.toMatchObject({ id: 'chain.block-invalid', code: 'proof-invalid' });
  });

  it('gives the first transaction of a block, also of a node without extended headers', async () => {
    const first = await chainData.coinbase(mined.hash);
    expect(parseTx(first.value?.raw as Uint8Array).inputs[0]?.txid).toBe('0'.repeat(64));
    expect(first.value?.nodes).toEqual([mined.txid]);
    change = (method, answer, params) => (method === 'getblockheader' && params[1] === 2 ? noCommand : answer);
    expect(await chainData.coinbase(mined.hash)).toEqual(first);
  });
});

describe('a transaction of a node', () => {
  it('is proven by its id', async () => {
    expect(await chainData.transaction(mined.txid)).toEqual({ basis: 'proven', value: mined.raw });
    expect(await chainData.transaction(nowhere)).toEqual({ basis: 'unknown' });
    change = () => toHex(mined.raw.subarray(1));
    await expect(chainData.transaction(mined.txid)).rejects.toMatchObject({ id: 'chain.transaction-differs' });
    change = () => 'no hex';
    await expect(chainData.transaction(mined.txid)).rejects.toMatchObject({ id: 'chain.answer-malformed' });
  });

  it('comes with its block by one call, and from a node that leaves out its bytes by two', async () => {
    const { txid, hash, height, raw } = mined;
    const placed = { basis: 'told', value: { raw, block: { hash, height } } };
    expect(await chainData.placed(txid)).toEqual(placed);
    expect(asked.filter((method) => method === 'getrawtransaction')).toHaveLength(1);
    change = (method, answer) =>
      method === 'getrawtransaction' && typeof answer === 'object' ? { ...answer, hex: undefined } : answer;
    expect(await chainData.placed(txid)).toEqual(placed);
    change = (method, answer) =>
      method === 'getrawtransaction' ? { ...(answer as object), hex: '00'.repeat(60) } : answer;
    await expect(chainData.placed(txid)).rejects.toMatchObject({ id: 'chain.transaction-differs' });
    change = (method, answer) => (method === 'getblockhash' ? nowhere : answer);
    expect((await chainData.placed(txid)).value?.block).toBeNull();
    expect(await chainData.placed(nowhere)).toEqual({ basis: 'unknown' });
    // of a large one the node says more than is read
    change = (method, answer) =>
      method === 'getrawtransaction' && typeof answer === 'object'
        ? new PlanchetError('upstream.answer-too-large', { origin: 'http://node' })
        : answer;
    expect(await chainData.placed(txid)).toEqual(placed);
    expect(await chainData.placeOf(txid)).toEqual({ basis: 'told', value: { hash, height } });
  });

  it('is read with many others in few calls, whatever the node has of them', async () => {
    const txids = [mined.txid, nowhere, ...Array.from({ length: 250 }, (_, n) => n.toString(16).padStart(64, '0'))];
    const sizes: number[] = [];
    const each: NodeRpc['callEach'] = async <T>(method: string, params: readonly (readonly unknown[])[]) => {
      sizes.push(params.length);
      return Promise.all(params.map((own) => rpc.call<T>(method, own).catch((error: NodeRpcError) => error)));
    };
    const found = new Map([[mined.txid, mined.raw]]);
    expect(await createNodeChainData({ ...rpc, callEach: each }).transactions(txids)).toEqual(found);
    expect(sizes).toEqual([100, 100, 52]);
    expect(await chainData.transactions(txids)).toEqual(found);
    for (const wrong of [toHex(mined.raw.subarray(1)), 'no hex', 7, null]) {
      change = () => wrong;
      expect(await createNodeChainData({ ...rpc, callEach: each }).transactions(txids.slice(0, 2))).toEqual(new Map());
    }
  });

  it('is read in smaller batches where their answer is too large, or by itself where the node takes none', async () => {
    const txids = [mined.txid, ...Array.from({ length: 7 }, (_, n) => n.toString(16).padStart(64, '0'))];
    const sizes: number[] = [];
    let failure = new PlanchetError('upstream.answer-too-large', { origin: 'http://node' });
    const each: NodeRpc['callEach'] = async <T>(method: string, params: readonly (readonly unknown[])[]) => {
      sizes.push(params.length);
      if (params.length > 2) throw failure;
      return Promise.all(params.map((own) => rpc.call<T>(method, own).catch((error: NodeRpcError) => error)));
    };
    const batching = createNodeChainData({ ...rpc, callEach: each });
    const found = new Map([[mined.txid, mined.raw]]);
    expect(await batching.transactions(txids)).toEqual(found);
    expect(sizes).toEqual([8, 4, 2, 2, 4, 2, 2]);
    failure = new PlanchetError('upstream.not-json-rpc', { origin: 'http://node', status: 200 });
    expect(await batching.transactions(txids)).toEqual(found);
    expect(sizes.slice(7)).toEqual([8]);
    failure = new PlanchetError({ code: 'upstream-unreachable', message: 'away' });
    await expect(batching.transactions(txids)).rejects.toBe(failure);
  });

  it('is in a block, in the mempool or unknown', async () => {
    const { txid, hash, height, coins } = mined;
    expect(await chainData.placeOf(txid)).toEqual({ basis: 'told', value: { hash, height } });
    expect(await chainData.isInMempool(txid)).toEqual({ basis: 'told', value: false });
    expect(await chainData.placeOf(nowhere)).toEqual({ basis: 'unknown' });
    const tx = spend([coins[0] as Utxo], walletKey, [{ satoshis: satoshis(90_000), script }]);
    const waiting = await send(tx);
    expect(await chainData.placeOf(waiting)).toEqual({ basis: 'told', value: null });
    expect(await chainData.isInMempool(waiting)).toEqual({ basis: 'told', value: true });
    expect(await chainData.mempool()).toEqual({ basis: 'told', value: [waiting] });
    expect(await chainData.mempool(0)).toEqual({ basis: 'unknown' });
    const child = await send(spend([outputCoin(tx, waiting, 0)], walletKey, [{ satoshis: satoshis(80_000), script }]));
    expect(await chainData.unminedAncestors(child)).toEqual({ basis: 'told', value: 1 });
    change = (method, answer) => (method === 'getmempoolentry' ? noCommand : answer);
    expect(await chainData.isInMempool(waiting)).toEqual({ basis: 'unknown' });
  });

  it('is placed without its bytes, which a node says several times', async () => {
    const waiting = (await chainData.mempool()).value?.[0] as string;
    asked.length = 0;
    expect((await chainData.placeOf(mined.txid)).value).toEqual({ hash: mined.hash, height: mined.height });
    expect((await chainData.placeOf(waiting)).value).toBeNull();
    expect(await chainData.inclusion(waiting)).toEqual({ basis: 'unknown' });
    expect(asked).not.toContain('getrawtransaction');
    change = (method, answer) => (method === 'getmerkleproof2' || method === 'getmempoolentry' ? noCommand : answer);
    expect((await chainData.placeOf(mined.txid)).value).toEqual({ hash: mined.hash, height: mined.height });
    expect((await chainData.placeOf(waiting)).value).toBeNull();
  });

  it('leaves outputs that are unspent, that the mempool spends, or that nobody knows', async () => {
    const [first, second] = mined.coins as [Utxo, Utxo];
    const spender = (await chainData.mempool()).value?.find((txid) => txid !== nowhere);
    expect(spender).toBeDefined();
    const [spent, unspent, unknown] =
      (await chainData.outputs([first, second, { txid: nowhere, vout: 0 }], 'outputs')) ?? [];
    expect(spent).toMatchObject({ basis: 'told', value: { state: 'spent' } });
    expect((await chainData.mempool()).value).toContain(spent?.value?.state === 'spent' && spent.value.by);
    const output = { satoshis: second.satoshis, script };
    expect(unspent).toEqual({ basis: 'told', value: { state: 'unspent', output, confirmations: 3 } });
    expect(unknown).toEqual({ basis: 'unknown' });
    expect(await chainData.output(first)).toEqual({ basis: 'told', value: { state: 'spent', by: null } });
    expect(await chainData.output(second)).toEqual(unspent);
    expect(await chainData.output({ txid: nowhere, vout: 0 })).toEqual(unknown);
    expect(await chainData.outputs([second], 'states')).toEqual([
      { basis: 'told', value: { state: 'unspent', output: undefined, confirmations: 3 } },
    ]);
    change = (method, answer) => (method === 'gettxouts' ? noCommand : answer);
    expect(await chainData.outputs([first], 'states')).toBeUndefined();
  });
});

describe('the inclusion of a transaction', () => {
  const included = () => chainData.inclusion(mined.txid, mined.hash);
  const proofOf = async (): Promise<TscProof & { nodes: string[] }> =>
    rpc.call('getmerkleproof2', [mined.hash, mined.txid, false, 'header']);

  it('is shown by the proof of the node, on the verified headers or on its word', async () => {
    const { basis, value } = await included();
    expect(basis).toBe('told');
    expect(value).toMatchObject({ hash: mined.hash, height: mined.height, path: { txid: mined.txid, index: 1 } });
    expect(await createNodeChainData(rpc, headersWith(mined.hash)).inclusion(mined.txid, mined.hash)).toEqual({
      basis: 'proven',
      value,
    });
    const other = createNodeChainData(rpc, headersWith(nowhere));
    expect(await other.inclusion(mined.txid, mined.hash)).toEqual({ basis: 'unknown' });
    expect(await chainData.inclusion(nowhere, mined.hash)).toEqual({ basis: 'unknown' });
  });

  it('is shown of any block where none is named, also by a node that knows the block but makes no proof of it', async () => {
    const known = await included();
    expect(await chainData.inclusion(mined.txid)).toEqual(known);
    change = (method, answer, params) => (method === 'getmerkleproof2' && params[0] === '' ? noCommand : answer);
    expect(await chainData.inclusion(mined.txid)).toEqual(known);
    const waiting = (await chainData.mempool()).value?.[0] as string;
    expect(await chainData.inclusion(waiting)).toEqual({ basis: 'unknown' });
    expect(await chainData.inclusion(nowhere)).toEqual({ basis: 'unknown' });
    change = (method, answer) => (method === 'getmerkleproof2' ? { target: 'no header' } : answer);
    await expect(chainData.inclusion(mined.txid)).rejects.toMatchObject({ id: 'chain.proof-invalid' });
  });

  it('is shown by the header alone where a block has one transaction', async () => {
    const { hash, height } = opened.node.tip();
    const [only = ''] = (await rpc.call<{ tx: string[] }>('getblock', [hash, 1])).tx;
    const refusal = new NodeRpcError(-5, 'Transaction(s) not found in provided block');
    change = (method, answer) => (method === 'getmerkleproof2' ? refusal : answer);
    const path = { txid: only, index: 0, siblings: [], root: only };
    expect((await chainData.inclusion(only)).value).toMatchObject({ hash, height, path });
    expect((await chainData.inclusion(only, hash)).value).toMatchObject({ hash, height, path });
    expect(await chainData.inclusion(mined.txid, hash)).toEqual({ basis: 'unknown' });
  });

  it.each<[string, (proof: TscProof & { nodes: string[] }) => unknown]>([
    ['another transaction', (proof) => ({ ...proof, txOrId: 'a'.repeat(64) })],
    ['another node', (proof) => ({ ...proof, nodes: ['b'.repeat(64)] })],
    ['no nodes', (proof) => ({ ...proof, nodes: [] })],
    ['another index', (proof) => ({ ...proof, index: proof.index ^ 1 })],
    ['a header of another block', (proof) => ({ ...proof, target: (proof.target as string).replace(/^../, '09') })],
    ['a header that is none', (proof) => ({ ...proof, target: '00' })],
    ['nothing', () => null],
  ])('is not shown by a proof with %s', async (_, altered) => {
    const answer = altered(await proofOf());
    change = (method, own) => (method === 'getmerkleproof2' ? answer : own);
    await expect(included()).rejects.toMatchObject({ id: 'chain.proof-invalid' });
  });

  const without =
    (alter: (answer: { tx: string[] }) => unknown = (answer) => answer): typeof change =>
    (method, answer) => {
      if (method === 'getmerkleproof2') return noCommand;
      return method === 'getblock' ? alter(answer as { tx: string[] }) : answer;
    };

  it('is shown by the list of the block where the node makes no proofs', async () => {
    const own = (await included()).value;
    change = without();
    const listed = await included();
    expect(listed.value).toMatchObject({ hash: mined.hash, header: own?.header, path: { index: 1 } });
    expect(listed.value?.path.siblings).toEqual(own?.path.siblings);
  });

  it.each<[string, (answer: { tx: string[] }) => unknown, object]>([
    ['is of another block', ({ tx }) => ({ tx: [...tx, 'a'.repeat(64)] }), { code: 'proof-invalid' }],
    ['is none', () => ({ tx: 'none' }), { id: 'chain.answer-malformed' }],
    ['is nothing', () => null, { id: 'chain.answer-malformed' }],
  ])('is not shown by a list that %s', async (_, alter, failure) => {
    change = without(alter);
    await expect(included()).rejects.toMatchObject(failure);
  });

  it('stays unknown where the list lacks the transaction, or the block has too many to be listed', async () => {
    change = without(({ tx: [first] }) => ({ tx: [first] }));
    expect(await included()).toEqual({ basis: 'unknown' });
    const few = without();
    change = (method, answer, params) =>
      method === 'getblockheader' && params[1] === true
        ? { ...(answer as object), num_tx: LISTED_TRANSACTIONS + 1 }
        : few(method, answer, params);
    asked = [];
    expect(await included()).toEqual({ basis: 'unknown' });
    expect(asked).not.toContain('getblock');
  });

  it('makes paths of a listed block that lead to its root', async () => {
    const head = (await chainData.headerAt(mined.height)).value;
    const listing = head && (await chainData.listing(head)).value;
    expect(listing && merkleRoot(listing.txids)).toBe(head?.merkleRoot);
    expect(listing?.path(mined.txid)).toMatchObject({ txid: mined.txid, index: 1 });
    expect(() => listing?.path(nowhere)).toThrow(expect.objectContaining({ id: 'chain.list-differs' }));
  });
});

describe('a node that cannot answer', () => {
  it.each([
    ['starts', new NodeRpcError(-28, 'Loading block index'), { code: 'upstream-error', id: 'chain.node-error' }],
  ])('says nothing while it %s', async (_, error, failure) => {
    change = () => error;
    const { txid, hash, height, coins } = mined;
    const head = { hash, height, header: new Uint8Array(80), previousHash: '', merkleRoot: '', time: 0 };
    const questions = [
      chainData.tip(),
      chainData.hashAt(height),
      chainData.headerAt(height),
      chainData.header(hash),
      chainData.headerAnywhere(hash),
      chainData.listing({ ...head, transactions: 1 }),
      chainData.coinbase(hash),
      chainData.search({ hash, height }, {}),
      chainData.transaction(txid),
      chainData.placed(txid),
      chainData.placeOf(txid),
      chainData.inclusion(txid, hash),
      chainData.output(coins[0] as Utxo),
      chainData.mempool(),
      chainData.unminedAncestors(txid),
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
  const header = fromHex(await rpc.call<string>('getblockheader', [mined.hash, false]));
  // The work that its bits ask for, of a block that shows less.
  header[75] = 0x1d;
  const hash = headerHash(header);
  change = (method, answer, params) => {
    if (method === 'getblockheader') return params[1] === false ? toHex(header) : { height: mined.height };
    return method === 'getblockhash' ? hash : answer;
  };
  await expect(chainData.headerAt(mined.height)).rejects.toMatchObject({ id: 'chain.block-differs' });
});

describe('a pruned node', () => {
  const gone = new NodeRpcError(-1, `Block file ${nowhere} not available.`);

  it('says which block it cannot search any more, and knows nothing of what lies in it', async () => {
    change = (method, answer, [, form]) => (method === 'getblock' || form === 2 ? gone : answer);
    const { hash, height } = mined;
    expect(await chainData.holds({ hash, height })).toBe(false);
    await expect(chainData.search({ hash, height }, {})).rejects.toMatchObject({
      id: 'chain.block-pruned',
      values: { height },
    });
    const { value: head } = await chainData.header(hash);
    expect(await chainData.listing(head as NonNullable<typeof head>)).toEqual({ basis: 'unknown' });
    change = () => gone;
    expect(await chainData.inclusion(mined.txid, hash)).toEqual({ basis: 'unknown' });
    change = (_, answer) => answer;
    expect(await chainData.holds({ hash, height })).toBe(true);
  });
});
