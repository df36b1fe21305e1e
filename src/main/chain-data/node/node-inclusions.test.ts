import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { merkleRoot, type TscProof } from '../../../chain/index.ts';
import { NodeRpcError } from '../../ports/node.ts';
import { LISTED_TRANSACTIONS } from './blocks.ts';
import { createNodeChainData } from './node-chain-data.ts';
import { NodeWorld, noCommand, nowhere } from './test-support/node-world.ts';

let world: NodeWorld;

beforeAll(async () => {
  world = await NodeWorld.open();
});
afterAll(() => world.opened.remove());
afterEach(() => world.restore());

describe('the inclusion of a transaction', () => {
  const included = () => world.chainData.inclusion(world.mined.txid, world.mined.hash);
  const proofOf = async (): Promise<TscProof & { nodes: string[] }> =>
    world.rpc.call('getmerkleproof2', [world.mined.hash, world.mined.txid, false, 'header']);

  it('is shown by the proof of the node, on the verified headers or on its word', async () => {
    const { basis, value } = await included();
    expect(basis).toBe('told');
    expect(value).toMatchObject({
      hash: world.mined.hash,
      height: world.mined.height,
      path: { txid: world.mined.txid, index: 1 },
    });
    expect(
      await createNodeChainData(world.rpc, world.headersWith(world.mined.hash)).inclusion(
        world.mined.txid,
        world.mined.hash,
      ),
    ).toEqual({
      basis: 'proven',
      value,
    });
    const other = createNodeChainData(world.rpc, world.headersWith(nowhere));
    expect(await other.inclusion(world.mined.txid, world.mined.hash)).toEqual({ basis: 'unknown' });
    expect(await world.chainData.inclusion(nowhere, world.mined.hash)).toEqual({ basis: 'unknown' });
  });

  it('is shown of any block where none is named, also by a node that knows the block but makes no proof of it', async () => {
    const known = await included();
    expect(await world.chainData.inclusion(world.mined.txid)).toEqual(known);
    world.change = (method, answer, params) => (method === 'getmerkleproof2' && params[0] === '' ? noCommand : answer);
    expect(await world.chainData.inclusion(world.mined.txid)).toEqual(known);
    const waiting = (await world.chainData.mempool()).value?.[0] as string;
    expect(await world.chainData.inclusion(waiting)).toEqual({ basis: 'unknown' });
    expect(await world.chainData.inclusion(nowhere)).toEqual({ basis: 'unknown' });
    world.change = (method, answer) => (method === 'getmerkleproof2' ? { target: 'no header' } : answer);
    await expect(world.chainData.inclusion(world.mined.txid)).rejects.toMatchObject({ id: 'chain.proof-invalid' });
  });

  it('is shown by the header alone where a block has one transaction', async () => {
    const { hash, height } = world.opened.node.tip();
    const [only = ''] = (await world.rpc.call<{ tx: string[] }>('getblock', [hash, 1])).tx;
    const refusal = new NodeRpcError(-5, 'Transaction(s) not found in provided block');
    world.change = (method, answer) => (method === 'getmerkleproof2' ? refusal : answer);
    const path = { txid: only, index: 0, siblings: [], root: only };
    expect((await world.chainData.inclusion(only)).value).toMatchObject({ hash, height, path });
    expect((await world.chainData.inclusion(only, hash)).value).toMatchObject({ hash, height, path });
    expect(await world.chainData.inclusion(world.mined.txid, hash)).toEqual({ basis: 'unknown' });
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
    world.change = (method, own) => (method === 'getmerkleproof2' ? answer : own);
    await expect(included()).rejects.toMatchObject({ id: 'chain.proof-invalid' });
  });

  const without =
    (alter: (answer: { tx: string[] }) => unknown = (answer) => answer): NodeWorld['change'] =>
    (method, answer) => {
      if (method === 'getmerkleproof2') return noCommand;
      return method === 'getblock' ? alter(answer as { tx: string[] }) : answer;
    };

  it('is shown by the list of the block where the node makes no proofs', async () => {
    const own = (await included()).value;
    world.change = without();
    const listed = await included();
    expect(listed.value).toMatchObject({ hash: world.mined.hash, header: own?.header, path: { index: 1 } });
    expect(listed.value?.path.siblings).toEqual(own?.path.siblings);
  });

  it.each<[string, (answer: { tx: string[] }) => unknown, object]>([
    ['is of another block', ({ tx }) => ({ tx: [...tx, 'a'.repeat(64)] }), { code: 'proof-invalid' }],
    ['is none', () => ({ tx: 'none' }), { id: 'chain.answer-malformed' }],
    ['is nothing', () => null, { id: 'chain.answer-malformed' }],
  ])('is not shown by a list that %s', async (_, alter, failure) => {
    world.change = without(alter);
    await expect(included()).rejects.toMatchObject(failure);
  });

  it('stays unknown where the list lacks the transaction, or the block has too many to be listed', async () => {
    world.change = without(({ tx: [first] }) => ({ tx: [first] }));
    expect(await included()).toEqual({ basis: 'unknown' });
    const few = without();
    world.change = (method, answer, params) =>
      method === 'getblockheader' && params[1] === true
        ? { ...(answer as object), num_tx: LISTED_TRANSACTIONS + 1 }
        : few(method, answer, params);
    world.asked = [];
    expect(await included()).toEqual({ basis: 'unknown' });
    expect(world.asked).not.toContain('getblock');
  });

  it('makes paths of a listed block that lead to its root', async () => {
    const head = (await world.chainData.headerAt(world.mined.height)).value;
    const listing = head && (await world.chainData.listing(head)).value;
    expect(listing && merkleRoot(listing.txids)).toBe(head?.merkleRoot);
    expect(listing?.path(world.mined.txid)).toMatchObject({ txid: world.mined.txid, index: 1 });
    expect(() => listing?.path(nowhere)).toThrow(expect.objectContaining({ id: 'chain.list-differs' }));
  });
});
