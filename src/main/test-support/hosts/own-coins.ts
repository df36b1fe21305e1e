import { PrivateKey } from '@bsv/sdk';
import {
  encodeAddress,
  FINAL_SEQUENCE,
  fromHex,
  hash160,
  p2pkhScript,
  parseTx,
  type Satoshis,
  satoshis,
  serializeTx,
  signP2pkhInputs,
  type TxOutput,
  toHex,
  txidOf,
  type Utxo,
} from '../../../chain/index.ts';
import type { TestClient } from './open-host.ts';

/** A key outside the wallet, with money of the sandbox's faucet. */
export class OwnCoins {
  readonly #key = PrivateKey.fromRandom();
  readonly script = p2pkhScript(hash160(Uint8Array.from(this.#key.toPublicKey().encode(true) as number[])));

  get address(): string {
    return encodeAddress(this.script.slice(3, 23), 'test');
  }

  /** @returns an unspent output of the faucet's transaction, which waits in the mempool or is mined */
  async funded(client: TestClient, amount: number): Promise<Utxo> {
    const { txid } = await client.sandbox.fund({ address: this.address, satoshis: amount });
    const { result } = await client.node.call({ method: 'getrawtransaction', params: [txid] });
    const { outputs } = parseTx(fromHex(result as string));
    const vout = outputs.findIndex(({ script }) => toHex(script) === toHex(this.script));
    return { txid, vout, satoshis: satoshis(amount), lockingScript: this.script };
  }

  /** Spends coins of this key; what the outputs leave is the fee. @returns the raw transaction and its first output as a coin */
  spend(
    coins: readonly Utxo[],
    outputs: readonly (number | TxOutput)[],
  ): { raw: Uint8Array; hex: string; txid: string; coin: Utxo } {
    const inputs = coins.map(({ txid, vout }) => ({ txid, vout, script: new Uint8Array(0), sequence: FINAL_SEQUENCE }));
    const paid = outputs.map((output) =>
      typeof output === 'number' ? { satoshis: satoshis(output), script: this.script } : output,
    );
    const raw = serializeTx(signP2pkhInputs({ version: 1, inputs, outputs: paid, lockTime: 0 }, coins, this.#key));
    const txid = txidOf(raw);
    const value = paid[0]?.satoshis as Satoshis;
    return { raw, hex: toHex(raw), txid, coin: { txid, vout: 0, satoshis: value, lockingScript: this.script } };
  }

  /** Pays outputs with these scripts through the node, which has to send (`gatewayBroadcast`). @returns them, in order */
  async pay(client: TestClient, scripts: readonly Uint8Array[], value = 1): Promise<Utxo[]> {
    const outputs = scripts.map((script) => ({ satoshis: satoshis(value), script }));
    const total = 100_000 + value * scripts.length;
    const { hex, txid } = this.spend([await this.funded(client, total)], outputs);
    const { error } = await client.node.call({ method: 'sendrawtransaction', params: [hex, true] });
    if (error) throw new Error(error.message);
    return outputs.map(({ script }, vout) => ({ txid, vout, satoshis: satoshis(value), lockingScript: script }));
  }
}
