import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BlockHeader, MerkleTree, readTscJson, serializeHeader, toHex } from '../../../chain/index.ts';
import type { Inclusion } from '../../ports/chain-data.ts';
import { type NodeRpc, NodeRpcError } from '../../ports/node.ts';
import { TestHarness } from '../test-support/harness.ts';
import { PATIENCE_MS, WriterProcesses } from '../test-support/writer-client.ts';

/** Transactions that are asked about together. */
const ASKED_AT_ONCE = 20;

/** The harness's node with blocks too large to be listed, so that each transaction is asked for its proof. */
function nodeOfLargeBlocks(harness: TestHarness, proof: (txid: string) => unknown): NodeRpc {
  return {
    call: async <T>(method: string, params: readonly unknown[] = []): Promise<T> => {
      if (method === 'getmerkleproof2') return proof(String(params[1])) as T;
      const answer = await harness.node.call(method, params);
      return (method === 'getblockheader' && params[1] === true ? { ...(answer as object), num_tx: 1e6 } : answer) as T;
    },
  };
}

function honestProof({ blocks }: TestHarness, txid: string): object {
  const block = blocks.find(({ txids }) => txids.includes(txid));
  if (block === undefined) throw new NodeRpcError(-5, 'Transaction not found in provided block');
  const index = block.txids.indexOf(txid);
  const target = toHex(serializeHeader(block.header));
  return { index, txOrId: txid, targetType: 'header', target, nodes: new MerkleTree(block.txids).branch(index) };
}

const falseProofs: ((honest: object, firstHeader: string) => unknown)[] = [
  (honest, target) => ({ ...honest, target }),
  (honest) => ({ ...honest, nodes: [] }),
  () => 'no proof',
  () => {
    throw new NodeRpcError(-5, 'Block not found');
  },
];

let writers: WriterProcesses;
beforeEach(async () => {
  writers = await WriterProcesses.open();
});
afterEach(() => writers.close());

describe('a proof of another block, of another root, that cannot be read, or that the node refuses', () => {
  it('keeps no other document waiting, and is asked for again', async () => {
    const harness = new TestHarness(1_000_000);
    const firstHeader = toHex(serializeHeader(harness.blocks.map(({ header }) => header)[0] as BlockHeader));
    const distrusted: string[] = [];
    const node = nodeOfLargeBlocks(harness, (txid) => {
      const honest = honestProof(harness, txid);
      const place = distrusted.indexOf(txid);
      return place < 0 ? honest : falseProofs[place % falseProofs.length]?.(honest, firstHeader);
    });
    const client = await writers.start(harness, { options: { node } });
    for (let n = 0; n < ASKED_AT_ONCE; n++) distrusted.push(String((await client.write(`${n}`)).json.txid));
    const good = String((await client.write('"good"')).json.txid);
    // what was seen is asked about in the order in which it was written
    for (const txid of [...distrusted, good]) await client.untilState(txid, 'seen');
    harness.mine();
    expect(await client.untilState(good, 'proven')).toMatchObject({ blockHash: harness.blocks.at(-1)?.hash });
    for (const txid of distrusted) {
      expect((await client.send('GET', `/api/v1/writes/${txid}`)).json.timeline).not.toContainEqual(
        expect.objectContaining({ state: 'proven' }),
      );
    }
    for (const txid of distrusted.splice(0)) await client.untilState(txid, 'proven');
  });
});

describe('a node that makes no proofs', () => {
  it('keeps no document from being proven by the proof that a miner sent, once the block is in its chain', async () => {
    const harness = new TestHarness(1_000_000);
    const node = nodeOfLargeBlocks(harness, () => {
      throw new NodeRpcError(-32601, 'Method not found');
    });
    const proofs = new Map<string, Inclusion>();
    const tracker = { proofOf: async (txid: string) => proofs.get(txid) };
    const client = await writers.start(harness, { options: { node, tracker } });
    const sent = [String((await client.write('"one"')).json.txid), String((await client.write('"two"')).json.txid)];
    for (const txid of sent) await client.untilState(txid, 'seen');
    const hash = harness.mine();
    const height = harness.blocks.length - 1;
    const header = serializeHeader(harness.blocks[height]?.header as BlockHeader);
    const [first = '', second = ''] = sent;
    const of = (txid: string, block: string): Inclusion => {
      const { path } = readTscJson(honestProof(harness, txid));
      return { hash: block, height, header, path };
    };
    proofs.set(second, of(second, 'ab'.repeat(32)));
    proofs.set(first, of(first, hash));
    const document = await client.untilState(first, 'proven');
    expect(document).toMatchObject({ blockHash: hash, proof: honestProof(harness, first) });
    expect((await client.send('GET', `/api/v1/writes/${second}`)).json.state).toBe('seen');
  });
});

describe('a chain that changes between two blocks of one search', () => {
  it('leaves no document proven by a block that is no longer in it', async () => {
    const harness = new TestHarness(1_000_000);
    let left = '';
    let isTaken = false;
    const node: NodeRpc = {
      call: async <T>(method: string, params: readonly unknown[] = []): Promise<T> => {
        if (method === 'getblock' && params[0] === left) isTaken = true;
        if (isTaken && method === 'getblockhash' && params[0] === harness.blocks.length - 1) {
          isTaken = false;
          harness.undo(2);
          harness.mine();
          harness.mine();
        }
        return harness.node.call(method, params);
      },
    };
    const client = await writers.start(harness, { options: { node } });
    const txid = String((await client.write('"one"')).json.txid);
    await client.untilState(txid, 'seen');
    // Both are there when the search begins.
    left = harness.mine();
    harness.mine();
    const blockOf = async () => (await client.send('GET', `/api/v1/writes/${txid}`)).json.blockHash;
    await expect.poll(() => harness.blocks.some(({ hash }) => hash === left), { timeout: PATIENCE_MS }).toBe(false);
    const now = harness.blocks.find(({ txids }) => txids.includes(txid))?.hash;
    await expect.poll(blockOf, { timeout: PATIENCE_MS }).toBe(now);
  });
});
