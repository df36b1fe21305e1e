import { describe, expect, it } from 'vitest';
import { fromHex, headerHash, serializeHeader, type TscProof, toHex } from '../../../chain/index.ts';
import { type NodeRpc, NodeRpcError } from '../../ports/node.ts';
import { RpcFailure, TestChain } from '../test-support/test-chain.ts';
import { OWN_SCRIPT } from '../test-support/test-studio.ts';
import { fetchProof, verifyProof } from './proof.ts';

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

describe('verifyProof', () => {
  const { chain, txid, block } = setup();
  const proof = proofOf(chain, block, txid);
  const header = chain.blocks.at(-1)?.header as Parameters<typeof serializeHeader>[0];
  const easier = { ...header, bits: 0x1d00ffff };

  it('holds for the transaction and its block', () => {
    expect(verifyProof(proof, txid, block).merkleRoot).toBe(header.merkleRoot);
  });

  it.each<[string, TscProof, string]>([
    ['another transaction', { ...proof, txOrId: 'a'.repeat(64) }, block],
    ['another node', { ...proof, nodes: ['b'.repeat(64)] }, block],
    ['no nodes', { ...proof, nodes: [] }, block],
    ['another index', { ...proof, index: proof.index ^ 1 }, block],
    ['another header', { ...proof, target: toHex(serializeHeader(chain.blocks[0]?.header as typeof header)) }, block],
    ['a header of another block', proof, 'c'.repeat(64)],
    ['a header without its work', { ...proof, target: toHex(serializeHeader(easier)) }, headerHash(easier)],
    ['a header that is none', { ...proof, target: '00' }, block],
  ])('does not hold with %s', (_, changed, hash) => {
    expect(() => verifyProof(changed, txid, hash)).toThrow(expect.objectContaining({ code: 'proof-invalid' }));
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
