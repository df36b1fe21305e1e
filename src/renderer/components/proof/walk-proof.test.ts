import { describe, expect, it } from 'vitest';
import { proofHolds, walkProof } from './walk-proof.ts';

// Block 170 of the main chain: its coinbase and the first payment ever.
const coinbase = 'b1fea52486ce0c62bb442b530a3f0132b826c74e473d1f2c220bfa78111c5082';
const payment = 'f4184fc596403b9d638783cf57adfe4c75c605f6356fbc91338530e9831e9e16';
const blockHash = '00000000d1145790a8694403d4063f323d499e655c83426834d4ce2f8dd4a2ee';
const header =
  '0100000055bd840a78798ad0da853f68974f3d183e2bd1db6a842c1feecf222a00000000ff104ccb05421ab93e63f8c3ce5c2c2e9dbb37de2764b3a3175c8166562cac7d51b96a49ffff001d283e9e70';

describe('a Merkle proof on the page', () => {
  it('is valid for a real transaction, step by step', async () => {
    const walk = await walkProof(payment, { index: 1, nodes: [coinbase], header }, blockHash);
    expect(walk.levels).toEqual([
      { side: 'left', sibling: coinbase, hash: '7dac2c5666815c17a3b36427de37bb9d2e2c5ccec3f8633eb91a4205cb4c10ff' },
    ]);
    expect(walk.target).toBe(`00000000ffff${'0'.repeat(52)}`);
    expect(walk.headerHash).toBe(blockHash);
    expect(proofHolds(walk)).toBe(true);
    expect(proofHolds(await walkProof(coinbase, { index: 0, nodes: [payment], header }, blockHash))).toBe(true);
  });

  it.each([
    ['another place', payment, { index: 0, nodes: [coinbase], header }, blockHash],
    ['a place outside the tree', payment, { index: 3, nodes: [coinbase], header }, blockHash],
    ['another transaction', coinbase, { index: 1, nodes: [coinbase], header }, blockHash],
    ['another block', payment, { index: 1, nodes: [coinbase], header }, '0'.repeat(64)],
    ['less work', payment, { index: 1, nodes: [coinbase], header: header.replace('283e9e70', '283e9e71') }, blockHash],
  ])('is invalid for %s', async (_, txid, proof, block) => {
    expect(proofHolds(await walkProof(txid, proof, block))).toBe(false);
  });

  it('pairs a last node with itself, and throws if it is malformed', async () => {
    const walk = await walkProof(payment, { index: 0, nodes: ['*'], header }, blockHash);
    expect(walk.levels[0]).toMatchObject({ side: 'self', sibling: payment });
    await expect(walkProof(payment, { index: 0, nodes: ['ab'], header }, blockHash)).rejects.toThrow(/no hash/);
    await expect(walkProof(payment, { index: 0, nodes: [], header: 'ab' }, blockHash)).rejects.toThrow(
      /no block header/,
    );
    await expect(walkProof('x', { index: 0, nodes: [], header }, blockHash)).rejects.toThrow(/not hex/);
  });
});
