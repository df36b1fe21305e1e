import { describe, expect, it } from 'vitest';
import { type BlockHeader, headerHash, meetsTarget, serializeHeader } from '../block/block.ts';
import { sha256d, toHex } from '../encoding/bytes.ts';
import { checkBlockProof } from './block-proof.ts';
import { MerkleTree } from './merkle-tree.ts';

const EASY = 0x207fffff;
const HARD = 0x1d00ffff;
const txids = Array.from({ length: 5 }, (_, n) => toHex(sha256d(Uint8Array.of(n))));
const [txid, other] = txids as [string, string];
const tree = new MerkleTree(txids);

function headerOf(merkleRoot: string, previousHash = '0'.repeat(64)): BlockHeader {
  const header = { version: 1, previousHash, merkleRoot, time: 1_700_000_000, bits: EASY, nonce: 0 };
  while (!meetsTarget(headerHash(header), EASY)) header.nonce += 1;
  return header;
}

const header = headerOf(tree.root);
const hash = headerHash(header);
const targetOf = (of: BlockHeader): string => toHex(serializeHeader(of));
const proof = { index: 0, txOrId: txid, targetType: 'header', target: targetOf(header), nodes: tree.branch(0) };
const later = headerOf(tree.root, hash);
const elsewhere = headerOf(other);
const idle = { ...header, bits: HARD };

describe('the proof of a transaction in a block', () => {
  it.each([...txids.keys()])('is valid for transaction %i of five', (index) => {
    const own = { ...proof, index, txOrId: txids[index], nodes: tree.branch(index) };
    expect(checkBlockProof(own, txids[index] as string, hash)).toEqual({
      path: { ...tree.path(index), root: tree.root },
      header,
      headerBytes: serializeHeader(header),
    });
  });

  it('is valid in a block of one transaction', () => {
    const alone = headerOf(txid);
    expect(checkBlockProof({ ...proof, target: targetOf(alone), nodes: [] }, txid, headerHash(alone))).toMatchObject({
      path: { root: txid },
    });
  });

  it.each<[string, string, object, string?, string?]>([
    ['other-transaction', 'another transaction', { index: 1, txOrId: other, nodes: tree.branch(1) }],
    ['other-block', 'the header of a later block with the same root', { target: targetOf(later) }],
    ['other-block', 'the header that was not asked for', {}, txid, headerHash(later)],
    ['no-work', 'a header without its work', { target: targetOf(idle) }, txid, headerHash(idle)],
    ['other-root', 'another node', { nodes: [other.replace(/^./, 'f'), ...tree.branch(0).slice(1)] }],
    ['other-root', 'a node too few', { nodes: tree.branch(0).slice(1) }],
    ['other-root', 'no nodes', { nodes: [] }],
    ['other-root', 'the index of its neighbour', { index: 1 }],
    ['other-root', 'a header with another root', { target: targetOf(elsewhere) }, txid, headerHash(elsewhere)],
    ['malformed', 'an index that its path cannot reach', { index: 8 }],
    ['malformed', 'a negative index', { index: -1 }],
    ['malformed', 'a node that is no hash', { nodes: ['ab', ...tree.branch(0).slice(1)] }],
    ['malformed', 'nodes that are no list', { nodes: 'none' }],
    ['malformed', 'a header cut short', { target: targetOf(header).slice(2) }],
    ['malformed', 'a header that is no hex', { target: 'x'.repeat(160) }],
    ['malformed', 'a root as its target', { targetType: 'merkleRoot', target: tree.root }],
    ['malformed', 'a block hash as its target', { targetType: 'hash', target: hash }],
    ['malformed', 'the older form of a node', { target: { hash } }],
    ['malformed', 'no transaction', { txOrId: undefined }],
    ['malformed', 'the mark of a composite proof', { composite: true }],
    ['malformed', 'the flag of a composite proof', { flags: 0x12 }],
    ['malformed', 'the mark of a tree', { proofType: 'tree' }],
  ])('is refused as %s with %s', (fault, _what, change, id = txid, block = hash) => {
    expect(checkBlockProof({ ...proof, ...change }, id, block)).toBe(fault);
  });

  it.each([undefined, null, 'proof', 7, []])('is reported as malformed: %j', (json) => {
    expect(checkBlockProof(json, txid, hash)).toBe('malformed');
  });
});
