import { describe, expect, it } from 'vitest';
import { readTscJson, serializeHeader, toHex } from '../../../chain/index.ts';
import { approved, MintHarness, reach } from '../test-support/mint-harness.ts';
import { RpcFailure } from '../test-support/test-chain.ts';

const harness = MintHarness.forTests();

describe('the chain under a mint', () => {
  it('takes a job back to seen when its block leaves the chain before it is proven', async () => {
    const t = await harness.ready();
    const id = await approved(t, t.itemIds);
    await reach(t, id, (job) => job.state === 'seen');
    // The proof cannot be had while the block is still there, so the job stays at mined.
    const call = harness.service.chain.call.bind(harness.service.chain);
    let hasProofs = false;
    harness.service.chain.call = (method, params) => {
      if ((method === 'getmerkleproof2' || method === 'getblock') && !hasProofs) throw new Error('not now');
      return call(method, params);
    };
    harness.service.chain.mine();
    t.tip.announce();
    const mined = await reach(t, id, (job) => job.state === 'mined' && job.failure !== null);
    hasProofs = true;
    harness.service.chain.reorg(1);
    t.tip.announce();
    await reach(t, id, (job) => job.state === 'seen');
    expect(t.studio.jobs()[0]?.blockHash).toBeNull();
    harness.service.chain.mine();
    t.tip.announce();
    const proven = await reach(t, id, (job) => job.state === 'proven');
    expect(proven.blockHash).not.toBe(mined.blockHash);
    expect(proven.history.map(({ state }) => state).slice(-5)).toEqual(['seen', 'mined', 'seen', 'mined', 'proven']);
  });

  it("proves a mint with the tracker's proof, though the node has none", async () => {
    const t = await harness.ready();
    const id = await approved(t, t.itemIds);
    await reach(t, id, (job) => job.state === 'seen');
    const { chain } = harness.service;
    const call = chain.call.bind(chain);
    chain.call = (method, params) => {
      if (method === 'getmerkleproof2' || method === 'getblock') throw new RpcFailure(-32601, 'Method not found');
      return call(method, params);
    };
    const blockHash = chain.mine();
    t.tip.announce();
    const { txid } = await reach(t, id, (job) => job.state === 'mined' && job.failure !== null);
    const { path } = readTscJson(call('getmerkleproof2', [blockHash, txid]));
    const header = serializeHeader(chain.blocks.at(-1)?.header as never);
    t.proofs.set(txid as string, { hash: blockHash, height: chain.blocks.length - 1, header, path });
    t.tip.announce();
    const { proof, failure } = await reach(t, id, ({ state }) => state === 'proven');
    expect(proof).toMatchObject({ blockHash, header: toHex(header), index: path.index });
    expect(failure).toBeNull();
  });

  it('does not prove a mint with a wrong proof', async () => {
    const t = await harness.ready();
    const id = await approved(t, t.itemIds);
    await reach(t, id, (job) => job.state === 'seen');
    const call = harness.service.chain.call.bind(harness.service.chain);
    harness.service.chain.call = (method, params) => {
      const answer = call(method, params);
      return method === 'getmerkleproof2' ? { ...(answer as object), nodes: ['0'.repeat(64)] } : answer;
    };
    harness.service.chain.mine();
    t.tip.announce();
    const job = await reach(t, id, ({ failure }) => failure !== null);
    expect(job).toMatchObject({ state: 'mined', active: true, failure: { code: 'proof-invalid' } });
    harness.service.chain.call = call;
    await reach(t, id, ({ state }) => state === 'proven');
  });
});
