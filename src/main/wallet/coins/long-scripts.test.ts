import { expect, it } from 'vitest';
import { inscriptionScript, p2pkhScript, satoshis } from '../../../chain/index.ts';
import type { NodeRpc } from '../../ports/node.ts';
import { hasScript, keptScript, wholeUtxo } from './long-scripts.ts';

const pubKeyHash = new Uint8Array(20).fill(7);
const inscription = (bytes: number) =>
  inscriptionScript({ pubKeyHash, contentType: 'image/png', content: new Uint8Array(bytes).fill(3), map: {} });

it('keeps the lock of a long inscription, and all of every other script', () => {
  const long = inscription(100_000);
  const kept = keptScript(long);
  expect(kept.lockingScript).toEqual(p2pkhScript(pubKeyHash));
  expect(kept.lockingScript.buffer.byteLength).toBe(25);
  expect([hasScript(kept, long), hasScript(kept, inscription(99_999))]).toEqual([true, false]);
  for (const script of [inscription(10), p2pkhScript(pubKeyHash), new Uint8Array(5_000)]) {
    expect(keptScript(script)).toEqual({ lockingScript: script, scriptHash: null });
    expect(hasScript(keptScript(script), script)).toBe(true);
    expect(hasScript(keptScript(script), long)).toBe(false);
  }
});

it('takes a whole script from the node only where its hash is the one kept', async () => {
  const script = inscription(5_000);
  const coin = {
    txid: 'aa'.repeat(32),
    vout: 1,
    satoshis: satoshis(1),
    ...keptScript(script),
    ...{ kind: 'token' as const, keyIndex: 0, coinbase: false, height: 5, spentBy: null, spentHeight: null },
  };
  const answering = (answer: unknown) => ({ call: () => Promise.resolve(answer) }) as unknown as NodeRpc;
  const of = (bytes: Uint8Array) => ({ scriptPubKey: { hex: Buffer.from(bytes).toString('hex') } });
  const { txid, vout, satoshis: amount } = coin;
  await expect(wholeUtxo(answering(of(script)), coin)).resolves.toEqual({
    txid,
    vout,
    satoshis: amount,
    lockingScript: script,
  });
  for (const answer of [null, {}, of(inscription(4_999)), { scriptPubKey: { hex: 'zz' } }])
    await expect(wholeUtxo(answering(answer), coin)).rejects.toMatchObject({ code: 'not-found' });
});
