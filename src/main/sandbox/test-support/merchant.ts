import { expect } from 'vitest';
import {
  hash160,
  p2pkhScript,
  satoshis,
  serializeTx,
  signP2pkhInputs,
  type Tx,
  toHex,
  verifyEnvelope,
} from '../../../chain/index.ts';
import { type Answer, publicKeyOf, type TestSandbox, walletKey } from './open-sandbox.ts';

export const ownScript = p2pkhScript(hash160(publicKeyOf(walletKey)));

/** A signed payment of the wallet to itself. @param vout the claimed output number, if it differs from the coin's */
export function spend(coin: { txid: string; vout: number; satoshis: number }, fee = 200, vout = coin.vout): Uint8Array {
  const tx: Tx = {
    version: 1,
    inputs: [{ txid: coin.txid, vout, script: new Uint8Array(), sequence: 0xffffffff }],
    outputs: [{ satoshis: satoshis(coin.satoshis - fee), script: ownScript }],
    lockTime: 0,
  };
  const utxo = { txid: coin.txid, vout, satoshis: satoshis(coin.satoshis), lockingScript: ownScript };
  return serializeTx(signP2pkhInputs(tx, [utxo], walletKey));
}

/** The payload of a response, after checking that its envelope is signed by the miner it names. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the payload holds
export function payloadOf(answer: Answer): any {
  expect(answer.status).toBe(200);
  expect(Object.keys(answer.body)).toEqual(['payload', 'signature', 'publicKey', 'encoding', 'mimetype']);
  expect(verifyEnvelope(answer.body)).toBe('valid');
  const payload = JSON.parse(answer.body.payload);
  expect(payload.minerId).toBe(answer.body.publicKey);
  return payload;
}

export const failed = (resultDescription: string) => ({ returnResult: 'failure', resultDescription });

/** Submits a transaction that must be accepted. */
export async function submit(sandbox: TestSandbox, raw: Uint8Array, options: Record<string, unknown>): Promise<void> {
  const { body } = await sandbox.mapi('POST', '/tx', { rawTx: toHex(raw), ...options });
  expect(JSON.parse(body.payload)).toMatchObject({ returnResult: 'success' });
}
