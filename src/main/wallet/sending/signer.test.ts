import { afterAll, describe, expect, it } from 'vitest';
import { leadingP2pkh, satoshis, type Tx, verifyScripts } from '../../../chain/index.ts';
import { createWorkerPool } from '../../workers/worker-pool.ts';
import { moneyBranch, moneyKey, publicWalletKey } from '../keys/wallet-key.ts';
import { OwnSigner } from './signer.ts';

const workers = createWorkerPool({ size: 2 });
afterAll(() => workers.close());

const key = moneyKey(moneyBranch(new Uint8Array(16), '', 'test'), 'test', 0);
const COUNT = 130;
const inputs = Array.from({ length: COUNT }, (_, index) => ({
  index,
  spent: {
    txid: index.toString(16).padStart(64, '0'),
    vout: index,
    satoshis: satoshis(1_000 + index),
    lockingScript: key.lockingScript,
  },
  key,
}));
const tx: Tx = {
  version: 1,
  inputs: inputs.map(({ spent: { txid, vout } }) => ({ txid, vout, script: new Uint8Array(), sequence: 0xffffffff })),
  outputs: [{ satoshis: satoshis(5_000), script: key.lockingScript }],
  lockTime: 0,
};

describe('the signer of this process', () => {
  it('makes the same signatures in threads as alone, and the interpreter takes them', async () => {
    let batches = 0;
    const threaded = new OwnSigner((jobs) => {
      batches += 1;
      return workers.signBatch(jobs);
    });
    const signatures = await threaded.sign(tx, inputs);
    expect(batches).toBe(1);
    expect(signatures).toEqual(await new OwnSigner().sign(tx, inputs));
    expect(await threaded.sign(tx, inputs.slice(0, 1))).toEqual(signatures.slice(0, 1));
    expect(batches).toBe(1);
    const publicKey = Buffer.from(key.publicKey, 'hex');
    const signed: Tx = {
      ...tx,
      inputs: tx.inputs.map((input, index) => {
        const signature = signatures[index] as Uint8Array;
        return { ...input, script: Uint8Array.of(signature.length, ...signature, publicKey.length, ...publicKey) };
      }),
    };
    expect(leadingP2pkh(key.lockingScript)).toBeDefined();
    expect(
      verifyScripts(
        signed,
        inputs.map(({ spent }) => spent),
      ),
    ).toEqual({ ok: true });
  });

  it('signs nothing for a key that is only watched', async () => {
    const watched = publicWalletKey(key.publicKey, 'test', 0);
    const asked = inputs.slice(0, 1).map((input) => ({ ...input, key: watched }));
    await expect(new OwnSigner().sign(tx, asked)).rejects.toMatchObject({ code: 'conflict' });
  });
});
