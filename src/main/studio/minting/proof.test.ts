import { expect, it } from 'vitest';
import { readTscJson, serializeHeader, type TscProof, toHex } from '../../../chain/index.ts';
import { createNodeChainData } from '../../chain-data/node/node-chain-data.ts';
import { OWN_SCRIPT } from '../test-support/file-wallet.ts';
import { TestChain } from '../test-support/test-chain.ts';
import { proofIn } from './proof.ts';

it('a mint takes the proof that the tracker verified, but not that of another block', async () => {
  const chain = new TestChain();
  const txid = chain.fund(OWN_SCRIPT, [5_000, 6_000])[0]?.txid as string;
  const block = chain.blocks.at(-1)?.hash as string;
  const told = chain.call('getmerkleproof2', [block, txid, false, 'header']) as TscProof;
  const { path } = readTscJson(told);
  const header = serializeHeader(chain.blocks.at(-1)?.header as never);
  const of = (hash: string) => ({ proofOf: async () => ({ hash, height: 7, header, path }) });
  const chainData = createNodeChainData({ call: () => Promise.reject(new Error('asked')) });
  const proof = await proofIn({ tracker: of(block), chainData }, txid, block, 5);
  expect(proof).toEqual({
    blockHash: block,
    blockHeight: 7,
    header: toHex(header),
    index: path.index,
    nodes: told.nodes,
    verifiedAt: 5,
  });
  await expect(proofIn({ tracker: of('ab'.repeat(32)), chainData }, txid, block, 5)).rejects.toThrow('asked');
});
