import type { PrivateKey } from '@bsv/sdk';
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

/** Owner of all coins the chain makes but the wallet's first ten blocks. */
export class Faucet {
  readonly #key: PrivateKey;
  /** P2PKH of the faucet's key: where coinbases and change go. */
  readonly lockingScript: Uint8Array;

  constructor(key: PrivateKey) {
    this.#key = key;
    this.lockingScript = p2pkhScript(hash160(Uint8Array.from(key.toPublicKey().toDER() as number[])));
  }

  /**
   * A signed payment at the mining price, with change back to the faucet.
   * @param coins what the faucet may spend, first the ones to spend first.
   * @throws PlanchetError `invalid-input` for an amount of nothing, `funds-insufficient` where the coins do not suffice.
   */
  pay(lockingScript: Uint8Array, amount: Satoshis, coins: readonly Utxo[]): Tx {
    if (amount < policy.dustSatoshis) {
      throw new PlanchetError('sandbox.faucet-amount');
    }
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
    // two bytes more where the counts outgrow one byte
    return feeFor(frame + 2 + inputs * P2PKH_INPUT_BYTES + P2PKH_OUTPUT_BYTES, policy.miningFee);
  }

  #build(payment: TxOutput, coins: readonly Utxo[], change: number): Tx {
    const outputs = [payment];
    if (change >= policy.dustSatoshis) outputs.push({ satoshis: satoshis(change), script: this.lockingScript });
    const inputs = coins.map(({ txid, vout }) => ({ txid, vout, script: new Uint8Array(), sequence: 0xffffffff }));
    return signP2pkhInputs({ version: 1, inputs, outputs, lockTime: 0 }, coins, this.#key);
  }
}
