import { describe, expect, it } from 'vitest';
import { fromHex, headerHash, readTscJson, serializeHeader, type TscProof, toHex } from '../../../chain/index.ts';
import { type NodeRpc, NodeRpcError } from '../../ports/node.ts';
import { LISTED_TRANSACTIONS } from '../../transaction-jobs/block-proof.ts';
import { RpcFailure, TestChain } from '../test-support/test-chain.ts';
import { OWN_SCRIPT } from '../test-support/test-studio.ts';
import { fetchProof, proofIn } from './proof.ts';

function setup() {
  const chain = new TestChain();
  const [first] = chain.fund(OWN_SCRIPT, [5_000, 6_000]);
  const txid = first?.txid as string;
  const block = chain.blocks.at(-1)?.hash as string;
  return { chain, txid, block };
}

/** The chain as a node, with answers changed on the way. */
function nodeOf(
  chain: TestChain,
  change: (method: string, answer: unknown, params: readonly unknown[]) => unknown = (_, a) => a,
): NodeRpc {
  return {
    call: async <T>(method: string, params: readonly unknown[] = []): Promise<T> => {
      try {
        return change(method, chain.call(method, params), params) as T;
      } catch (error) {
        if (error instanceof RpcFailure) throw new NodeRpcError(error.code, error.message);
        throw error;
      }
    },
  };
}

const proofOf = (chain: TestChain, block: string, txid: string) =>
  chain.call('getmerkleproof2', [block, txid, false, 'header']) as TscProof & { nodes: string[] };

describe('a proof of the node', () => {
  const { chain, txid, block } = setup();
  const proof = proofOf(chain, block, txid);
  const header = chain.blocks.at(-1)?.header as Parameters<typeof serializeHeader>[0];
  const easier = { ...header, bits: 0x1d00ffff };
  const answering = (answer: unknown) =>
    fetchProof(
      nodeOf(chain, (method, own) => (method === 'getmerkleproof2' ? answer : own)),
      txid,
      block,
      0,
    );

  it('holds for the transaction and its block', async () => {
    expect(await answering(proof)).toMatchObject({ blockHash: block, index: proof.index, nodes: proof.nodes });
  });

  it.each<[string, unknown]>([
    ['another transaction', { ...proof, txOrId: 'a'.repeat(64) }],
    ['another node', { ...proof, nodes: ['b'.repeat(64)] }],
    ['no nodes', { ...proof, nodes: [] }],
    ['another index', { ...proof, index: proof.index ^ 1 }],
    [
      'a header of another block',
      { ...proof, target: toHex(serializeHeader(chain.blocks[0]?.header as typeof header)) },
    ],
    ['a header without its work', { ...proof, target: toHex(serializeHeader(easier)) }],
    ['a header that is none', { ...proof, target: '00' }],
    ['nothing', null],
  ])('does not hold with %s', async (_, changed) => {
    await expect(answering(changed)).rejects.toMatchObject({ code: 'proof-invalid' });
  });
});

describe('where the node makes no proofs', () => {
  const without = (chain: TestChain, change: (method: string, answer: unknown) => unknown = (_, a) => a) =>
    nodeOf(chain, (method, answer) => {
      if (method === 'getmerkleproof2') throw new RpcFailure(-32601, 'Method not found');
      return change(method, answer);
    });

  it('it is made from the list of the block', async () => {
    const { chain, txid, block } = setup();
    const { index, nodes } = proofOf(chain, block, txid);
    expect(await fetchProof(without(chain), txid, block, 0)).toMatchObject({ blockHash: block, index, nodes });
  });

  it.each<[string, (answer: { tx: string[] }) => unknown, object]>([
    ['is of another block', ({ tx }) => ({ tx: [...tx, 'a'.repeat(64)] }), { code: 'proof-invalid' }],
    ['lacks the transaction', ({ tx: [first] }) => ({ tx: [first] }), { name: 'NodeRpcError' }],
    ['is none', () => ({ tx: 'none' }), { id: 'mint.node-answer-malformed' }],
    ['is nothing', () => null, { id: 'mint.node-answer-malformed' }],
  ])('no proof is made of a list that %s', async (_, change, failure) => {
    const { chain, txid, block } = setup();
    const node = without(chain, (method, answer) => (method === 'getblock' ? change(answer as never) : answer));
    await expect(fetchProof(node, txid, block, 0)).rejects.toMatchObject(failure);
  });

  it('a larger block is not listed', async () => {
    const { chain, txid, block } = setup();
    const asked: string[] = [];
    const node = without(chain, (method, answer) => {
      asked.push(method);
      return method === 'getblockheader' && typeof answer === 'object'
        ? { ...answer, num_tx: LISTED_TRANSACTIONS + 1 }
        : answer;
    });
    await expect(fetchProof(node, txid, block, 0)).rejects.toMatchObject({ code: -32601 });
    expect(asked).not.toContain('getblock');
  });

  it('the one that the tracker verified is taken, but not that of another block', async () => {
    const { chain, txid, block } = setup();
    const { path } = readTscJson(proofOf(chain, block, txid));
    const header = serializeHeader(chain.blocks.at(-1)?.header as never);
    const of = (blockHash: string) => ({ proofOf: async () => ({ blockHash, height: 7, header, path }) });
    const node: NodeRpc = { call: () => Promise.reject(new NodeRpcError(-1, 'asked')) };
    const proof = await proofIn({ tracker: of(block), node }, txid, block, 5);
    expect(proof).toEqual({
      blockHash: block,
      blockHeight: 7,
      header: toHex(header),
      index: path.index,
      nodes: proofOf(chain, block, txid).nodes,
      verifiedAt: 5,
    });
    await expect(proofIn({ tracker: of('ab'.repeat(32)), node }, txid, block, 5)).rejects.toThrow('asked');
  });
});

describe('fetchProof', () => {
  it('follows the chain from the block to its tip', async () => {
    const { chain, txid, block } = setup();
    for (let i = 0; i < 5; i++) chain.mine();
    const proof = await fetchProof(nodeOf(chain), txid, block, 42);
    expect(proof).toMatchObject({ blockHash: block, blockHeight: chain.heightOf(txid), verifiedAt: 42 });
    expect(headerHash(fromHex(proof?.header ?? ''))).toBe(block);
  });

  it('holds under more blocks than are followed', async () => {
    const { chain, txid, block } = setup();
    for (let i = 0; i < 150; i++) chain.mine();
    expect(await fetchProof(nodeOf(chain), txid, block, 0)).toMatchObject({ blockHash: block });
  });

  it('gives nothing for a block that left the chain', async () => {
    const { chain, txid, block } = setup();
    const node = nodeOf(chain, (method, answer, params) =>
      method === 'getblockheader' && params[0] === block && params[1] === true
        ? { ...(answer as object), confirmations: -1 }
        : answer,
    );
    expect(await fetchProof(node, txid, block, 0)).toBeUndefined();
  });

  it.each<[string, (method: string, answer: unknown, params: readonly unknown[]) => unknown]>([
    [
      'counts another work for the block',
      (m, a, p) => (m === 'getblockheader' && p[1] === true ? { ...(a as object), chainwork: 'f'.repeat(64) } : a),
    ],
    [
      'gives a header after it that shows no work',
      (m, a, p) => {
        if (m !== 'getblockheader' || p[1] !== false) return a;
        const bytes = fromHex(a as string);
        bytes[72] = 0x01;
        return toHex(bytes);
      },
    ],
  ])('is refused where the node %s', async (_, change) => {
    const { chain, txid, block } = setup();
    chain.mine();
    await expect(fetchProof(nodeOf(chain, change), txid, block, 0)).rejects.toMatchObject({ code: 'proof-invalid' });
  });
});
