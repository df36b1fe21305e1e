import { LockingScript, P2PKH, PrivateKey } from '@bsv/sdk';
import { applyInscription } from 'js-1sat-ord';
import { describe, expect, it } from 'vitest';
import {
  dataScript,
  encodeAddress,
  fromHex,
  inscriptionScript,
  p2pkhScript,
  pushData,
  satoshis,
  serializeTx,
  toHex,
  txidOf,
} from '../../../chain/index.ts';
import { createNodeChainData } from '../../chain-data/node/node-chain-data.ts';
import type { NodeRpc } from '../../ports/node.ts';
import { inscribedContent, viewTransaction } from './transactions.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const picture = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3);
const long = `${'a'.repeat(4_095)}é and more`;

/** As js-1sat-ord writes it: the envelope comes before the locking script. */
function foreign(lock: LockingScript, text: string): Uint8Array {
  const file = { dataB64: Buffer.from(text).toString('base64'), contentType: 'text/plain' };
  return fromHex(
    applyInscription(lock, file, { app: 'example', type: 'ord', name: text, long: 'x'.repeat(20_000) }).toHex(),
  );
}

const owned = p2pkhScript(new Uint8Array(20).fill(2));

const tx = {
  version: 1,
  inputs: [{ txid: '0'.repeat(64), vout: 0xffffffff, script: Uint8Array.of(1, 1), sequence: 0xffffffff }],
  outputs: [
    { satoshis: satoshis(0), script: dataScript([bytes('héllo'), picture, new Uint8Array(0), bytes(long)]) },
    {
      satoshis: satoshis(1),
      script: inscriptionScript({
        pubKeyHash: new Uint8Array(20),
        contentType: 'text/plain',
        content: bytes('inscribed'),
        map: { app: 'planchet', type: 'ord' },
      }),
    },
    { satoshis: satoshis(1), script: Uint8Array.of(0x51) },
    { satoshis: satoshis(1), script: foreign(new P2PKH().lock(Array(20).fill(1)), 'first') },
    { satoshis: satoshis(1), script: foreign(LockingScript.fromASM('OP_SHA256 aabb OP_EQUAL'), 'custom') },
  ],
  lockTime: 0,
};
const raw = serializeTx(tx);
const txid = txidOf(raw);
const chainData = createNodeChainData({
  call: async (method: string, params: readonly unknown[] = []) => {
    expect([method, params[0]]).toEqual(['getrawtransaction', txid]);
    return params[1] === true ? { hex: toHex(raw), txid } : toHex(raw);
  },
} as unknown as NodeRpc);

describe('a transaction for a view', () => {
  it('reports a version above 1, signatures with 0x20 and unlocking scripts that compute', async () => {
    expect(await viewTransaction(chainData, txid, 'sandbox')).toMatchObject({
      version: 1,
      isMalleable: false,
      originalDigest: [],
      computing: [],
    });
    const signature = Uint8Array.of(...(new PrivateKey(5).sign([1]).toDER() as number[]), 0x61);
    const scripts = [pushData(signature), fromHex('515293'), fromHex('51')];
    const odd = serializeTx({
      ...tx,
      version: 2,
      inputs: scripts.map((script, vout) => ({ txid, vout, script, sequence: 0xffffffff })),
    });
    const strange = createNodeChainData({
      call: async (_: string, [id, verbose]: readonly unknown[]) => {
        const hex = toHex(id === txidOf(odd) ? odd : raw);
        return verbose === true ? { hex, txid: id } : hex;
      },
    } as unknown as NodeRpc);
    expect(await viewTransaction(strange, txidOf(odd), 'sandbox')).toMatchObject({
      version: 2,
      isMalleable: true,
      originalDigest: [0],
      computing: [1],
    });
  });

  it('shows data after OP_RETURN as text if it is text', async () => {
    const { outputs } = await viewTransaction(chainData, txid, 'sandbox');
    const data = outputs[0]?.data;
    expect(data?.bytes).toBe(6 + 8 + bytes(long).length);
    expect(data?.pushes.map(({ text }) => text)).toEqual(['héllo', null, null, 'a'.repeat(4_095)]);
    expect(data?.pushes[1]).toEqual({ bytes: 8, hex: '89504e4700010203', text: null });
    expect(data?.pushes[3]?.bytes).toBe(bytes(long).length);
    expect(outputs[2]?.data).toBeNull();
  });

  it('shows inscriptions whose envelope precedes the locking script, whatever that is', async () => {
    const { outputs } = await viewTransaction(chainData, txid, 'sandbox');
    expect(outputs[3]).toMatchObject({
      address: encodeAddress(new Uint8Array(20).fill(1), 'test'),
      inscription: { contentType: 'text/plain', bytes: 5, metadata: { name: 'first' } },
    });
    expect(outputs[3]?.inscription?.metadata.long).toBe(`${'x'.repeat(10_000)}…`);
    expect(outputs[4]).toMatchObject({ address: null, inscription: { bytes: 6, metadata: { name: 'custom' } } });
    expect(await (await inscribedContent(chainData, txid, 4)).text()).toBe('custom');
  });

  it('lists the first 1,000 of 50,000 outputs and the one that was asked for', async () => {
    const many = { ...tx, outputs: Array.from({ length: 50_000 }, () => ({ satoshis: satoshis(1), script: owned })) };
    const bytesOfMany = serializeTx(many);
    const id = txidOf(bytesOfMany);
    const hex = toHex(bytesOfMany);
    const large = createNodeChainData({
      call: async (_: string, [, verbose]: unknown[]) => (verbose ? { hex, txid: id } : hex),
    } as unknown as NodeRpc);
    const view = await viewTransaction(large, id, 'sandbox', 49_999);
    expect(view).toMatchObject({ inputCount: 1, outputCount: 50_000 });
    expect(view.outputs.map(({ index }) => index)).toEqual([...Array(1_000).keys(), 49_999]);
  });

  it('returns the inscribed content, and reports an output without one', async () => {
    const content = await inscribedContent(chainData, txid, 1);
    expect([content.type, await content.text()]).toEqual(['text/plain', 'inscribed']);
    await expect(inscribedContent(chainData, txid, 0)).rejects.toMatchObject({ code: 'not-found' });
    await expect(inscribedContent(chainData, txid, 9)).rejects.toMatchObject({ code: 'not-found' });
  });
});
