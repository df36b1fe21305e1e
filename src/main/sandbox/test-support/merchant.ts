import { expect } from 'vitest';
import {
  hash160,
  p2pkhScript,
  parseTx,
  satoshis,
  serializeExtended,
  serializeTx,
  signP2pkhInputs,
  type Tx,
  type TxOutput,
  toHex,
  txidOf,
  verifyEnvelope,
} from '../../../chain/index.ts';
import { type Answer, publicKeyOf, type TestSandbox, walletKey } from './open-sandbox.ts';

export const ownScript = p2pkhScript(hash160(publicKeyOf(walletKey)));

export interface Coin {
  readonly txid: string;
  readonly vout: number;
  readonly satoshis: number;
}

export const output = (amount: number, script: Uint8Array = ownScript): TxOutput => ({
  satoshis: satoshis(amount),
  script,
});

/** A signed transaction of the wallet. @param change of what is signed */
export function payment(coins: readonly Coin[], outputs: readonly TxOutput[], change: Partial<Tx> = {}): Uint8Array {
  const inputs = coins.map(({ txid, vout }) => ({ txid, vout, script: new Uint8Array(), sequence: 0xffffffff }));
  const spent = coins.map((coin) => ({ ...coin, satoshis: satoshis(coin.satoshis), lockingScript: ownScript }));
  return serializeTx(signP2pkhInputs({ version: 1, inputs, outputs, lockTime: 0, ...change }, spent, walletKey));
}

/** A signed payment of the wallet to itself. @param vout the claimed output number, if it differs from the coin's */
export function spend(coin: Coin, fee = 200, vout = coin.vout): Uint8Array {
  return payment([{ ...coin, vout }], [output(coin.satoshis - fee)]);
}

export const extendedOf = (raw: Uint8Array, spent: readonly TxOutput[]) =>
  serializeExtended({ tx: parseTx(raw), spent });

/** An output of a transaction, as a coin to spend. */
export function coinOf(raw: Uint8Array, vout = 0): Coin {
  return { txid: txidOf(raw), vout, satoshis: parseTx(raw).outputs[vout]?.satoshis ?? 0 };
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
