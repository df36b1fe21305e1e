import type PrivateKey from '@bsv/sdk/primitives/PrivateKey';
import {
  feeFor,
  hash160,
  P2PKH_INPUT_BYTES,
  P2PKH_OUTPUT_BYTES,
  p2pkhScript,
  type Satoshis,
  satoshis,
  signP2pkhInputs,
  type Tx,
  type TxOutput,
  txSize,
  type Utxo,
} from '../../../../chain/index.ts';
import { PlanchetError } from '../../../../contract/index.ts';
import { policy } from '../consensus/consensus.ts';

/** P2PKH of a key. */
export function lockingScriptOf(key: PrivateKey): Uint8Array {
  return p2pkhScript(hash160(Uint8Array.from(key.toPublicKey().toDER() as number[])));
}

/** Owner of all coins of the chain except the wallet's first ten blocks. */
export class Faucet {
  readonly #key: PrivateKey;
  /** P2PKH of the faucet's key, which receives coinbases and change. */
  readonly lockingScript: Uint8Array;

  constructor(key: PrivateKey) {
    this.#key = key;
    this.lockingScript = lockingScriptOf(key);
  }

  /**
   * Creates a signed payment at the mining fee rate, with change to the faucet.
   * @param coins the faucet's coins in order of preference.
   * @throws PlanchetError `invalid-input` for a zero amount, `funds-insufficient` if the coins do not suffice.
   */
  pay(lockingScript: Uint8Array, amount: Satoshis, coins: readonly Utxo[]): Tx {
    if (amount < policy.dustSatoshis) throw new PlanchetError('sandbox.faucet-amount');
    const payment: TxOutput = { satoshis: amount, script: lockingScript };
    const chosen: Utxo[] = [];
    let total = 0;
    for (const coin of coins) {
      chosen.push(coin);
      total += coin.satoshis;
      const fee = this.#fee(payment, chosen.length);
      if (total >= amount + fee) return this.#build(payment, chosen, total - amount - fee);
    }
    throw new PlanchetError('sandbox.faucet-empty', { total, amount });
  }

  #fee(payment: TxOutput, inputs: number): number {
    const frame = txSize({ version: 1, inputs: [], outputs: [payment], lockTime: 0 });
    // two more bytes if the counts exceed one byte
    return feeFor(frame + 2 + inputs * P2PKH_INPUT_BYTES + P2PKH_OUTPUT_BYTES, policy.miningFee);
  }

  #build(payment: TxOutput, coins: readonly Utxo[], change: number): Tx {
    const outputs = [payment];
    if (change >= policy.dustSatoshis) outputs.push({ satoshis: satoshis(change), script: this.lockingScript });
    const inputs = coins.map(({ txid, vout }) => ({ txid, vout, script: new Uint8Array(), sequence: 0xffffffff }));
    return signP2pkhInputs({ version: 1, inputs, outputs, lockTime: 0 }, coins, this.#key);
  }
}
