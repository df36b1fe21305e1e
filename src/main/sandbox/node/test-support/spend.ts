import type { PrivateKey } from '@bsv/sdk';
import { type Satoshis, satoshis, serializeTx, signP2pkhInputs, type Tx, type Utxo } from '../../../../chain/index.ts';
import type { SandboxNode } from '../node.ts';
import { lockingScriptOf } from './open-node.ts';

export interface Payment {
  satoshis: number;
  script: Uint8Array;
}

/** Signs a transaction that spends these coins of one key. */
export function spend(
  coins: readonly Utxo[],
  key: PrivateKey,
  payments: readonly Payment[],
  parts: Partial<Tx> = {},
): Tx {
  return signP2pkhInputs(
    {
      version: 1,
      inputs: coins.map(({ txid, vout }) => ({ txid, vout, script: new Uint8Array(), sequence: 0xffffffff })),
      outputs: payments.map((payment) => ({ satoshis: satoshis(payment.satoshis), script: payment.script })),
      lockTime: 0,
      ...parts,
    },
    coins,
    key,
  );
}

/** The first spendable coin of a key. */
export async function coinOf(node: SandboxNode, key: PrivateKey, index = 0): Promise<Utxo> {
  const coin = (await node.spendable(lockingScriptOf(key)))[index];
  if (coin === undefined) throw new Error('the key has no spendable coin');
  return coin;
}

export function outputCoin(tx: Tx, txid: string, vout: number): Utxo {
  const output = tx.outputs[vout];
  if (output === undefined) throw new Error(`there is no output ${vout}`);
  return { txid, vout, satoshis: output.satoshis as Satoshis, lockingScript: output.script };
}

/** Submits a transaction and expects it to be accepted. @returns its txid. */
export async function accepted(node: SandboxNode, tx: Tx): Promise<string> {
  const result = await node.submit(serializeTx(tx));
  if (!result.ok) throw new Error(`refused: ${result.code} ${result.reason}`);
  return result.txid;
}
