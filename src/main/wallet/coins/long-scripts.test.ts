import { expect, it } from 'vitest';
import { fromHex, hash160, inscriptionScript, MAP_PREFIX, p2pkhScript, satoshis } from '../../../chain/index.ts';
import { createNodeChainData } from '../../chain-data/node/node-chain-data.ts';
import type { NodeRpc } from '../../ports/node.ts';
import { INSCRIBED } from '../test-support/inscribed.ts';
import { hasScript, keptScript, wholeUtxo } from './long-scripts.ts';

/** The generator point. */
const PUBLIC_KEY = '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';
const pubKeyHash = new Uint8Array(20).fill(7);
const inscription = (bytes: number) =>
  inscriptionScript({ pubKeyHash, contentType: 'image/png', content: new Uint8Array(bytes).fill(3), map: {} });

it('the wallet keeps the lock of a long inscription, and all of every other script', () => {
  const long = inscription(100_000);
  const kept = keptScript(long);
  expect(kept.lockingScript).toEqual(p2pkhScript(pubKeyHash));
  expect(kept.lockingScript.buffer.byteLength).toBe(25);
  expect([hasScript(kept, long), hasScript(kept, inscription(99_999))]).toEqual([true, false]);
  const first = INSCRIBED.beforeLong?.(PUBLIC_KEY) as Uint8Array;
  expect(keptScript(first).lockingScript).toEqual(p2pkhScript(hash160(fromHex(PUBLIC_KEY))));
  expect(hasScript(keptScript(first), first)).toBe(true);
  // the lock alone would not say that the key is not enough
  const envelope = long.subarray(0, -1 - MAP_PREFIX.length - 5);
  const more = Uint8Array.of(...envelope, 0x87);
  expect(keptScript(more)).toEqual({ lockingScript: more, scriptHash: null });
  for (const script of [inscription(10), p2pkhScript(pubKeyHash), new Uint8Array(5_000)]) {
    expect(keptScript(script)).toEqual({ lockingScript: script, scriptHash: null });
    expect(hasScript(keptScript(script), script)).toBe(true);
    expect(hasScript(keptScript(script), long)).toBe(false);
  }
});

it('the wallet takes a whole script from the node only where its hash is the one kept', async () => {
  const script = inscription(5_000);
  const coin = {
    txid: 'aa'.repeat(32),
    vout: 1,
    satoshis: satoshis(1),
    ...keptScript(script),
    ...{ kind: 'token' as const, keyIndex: 0, coinbase: false, height: 5, spentBy: null, spentHeight: null },
  };
  const answering = (answer: unknown) =>
    createNodeChainData({ call: () => Promise.resolve(answer) } as unknown as NodeRpc);
  const of = (bytes: Uint8Array) => ({
    value: 1e-8,
    confirmations: 1,
    scriptPubKey: { hex: Buffer.from(bytes).toString('hex') },
  });
  const { txid, vout, satoshis: amount } = coin;
  await expect(wholeUtxo(answering(of(script)), coin)).resolves.toEqual({
    txid,
    vout,
    satoshis: amount,
    lockingScript: script,
  });
  for (const answer of [null, of(inscription(4_999))])
    await expect(wholeUtxo(answering(answer), coin)).rejects.toMatchObject({ code: 'not-found' });
});
