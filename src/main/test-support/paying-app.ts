import { LockingScript, MerklePath, P2PKH, type PrivateKey, Transaction } from '@bsv/sdk';
import { bumpOfPath, readTscJson, toHex } from '../../chain/index.ts';
import type { TestClient } from './hosts/open-host.ts';

const FEE = 200;

interface Coin {
  readonly tx: Transaction;
  readonly vout: number;
}

interface Action {
  readonly outputs: readonly { readonly lockingScript: string; readonly satoshis: number }[];
}

/**
 * A wallet app that pays: coins of the sandbox's faucet with their Merkle paths, and the SDK's own transactions, signatures and BEEF. Change
 * pays for the next payment before any block holds it.
 */
export class PayingApp {
  network: string = 'testnet';
  /** Whether it sends what it pays. */
  sends = true;
  /** What it answers instead of a payment. */
  refusal: [number, unknown] | undefined;
  /** What it hands over in place of a payment. */
  change: (beef: number[], tx: Transaction) => unknown = (beef) => beef;
  /** Called before it pays, as a person takes their time. */
  agree: () => Promise<void> = async () => undefined;
  readonly asked: Action[] = [];
  readonly #key: PrivateKey;
  readonly #client: TestClient;
  #coins: Coin[] = [];

  /** @param client of the installation with the sandbox */
  constructor(key: PrivateKey, client: TestClient) {
    this.#key = key;
    this.#client = client;
  }

  get #lock(): LockingScript {
    return new P2PKH().lock(this.#key.toAddress('testnet'));
  }

  /** Gives it a coin in a block. */
  async fund(satoshis: number): Promise<void> {
    const client = this.#client;
    const { txid } = await client.sandbox.fund({ address: this.#key.toAddress('testnet'), satoshis });
    await client.sandbox.mine({ blocks: 1 });
    const tx = Transaction.fromHex(String(await this.#node('getrawtransaction', [txid])));
    const proof = await this.#node('getmerkleproof2', ['', txid]);
    const { blockheight } = (await this.#node('getrawtransaction', [txid, true])) as { blockheight: number };
    tx.merklePath = MerklePath.fromHex(toHex(bumpOfPath(blockheight, readTscJson(proof).path)));
    this.#coins.push(this.#coinOf(tx));
  }

  async answer(call: string, args: never): Promise<[number, unknown] | undefined> {
    if (call === 'getNetwork') return [200, { network: this.network }];
    if (call !== 'createAction') return undefined;
    this.asked.push(args);
    await this.agree();
    return this.refusal ?? (await this.#pay(args));
  }

  async #pay({ outputs }: Action): Promise<[number, unknown]> {
    const [coin, ...rest] = this.#coins;
    const has = coin?.tx.outputs[coin.vout]?.satoshis ?? 0;
    const needed = outputs.reduce((sum, { satoshis }) => sum + satoshis, FEE + 1);
    // as the reference wallet answers
    const error = { isError: true, code: 7, totalSatoshisNeeded: needed, moreSatoshisNeeded: needed - has };
    if (coin === undefined || has < needed) return [400, { ...error, message: 'Insufficient funds' }];
    const tx = new Transaction();
    const unlockingScriptTemplate = new P2PKH().unlock(this.#key);
    tx.addInput({ sourceTransaction: coin.tx, sourceOutputIndex: coin.vout, unlockingScriptTemplate });
    for (const { lockingScript, satoshis } of outputs)
      tx.addOutput({ lockingScript: LockingScript.fromHex(lockingScript), satoshis });
    tx.addOutput({ lockingScript: this.#lock, satoshis: has - needed + 1 });
    await tx.sign();
    const txid = tx.id('hex');
    if (this.sends) await this.#node('sendrawtransaction', [tx.toHex()]);
    this.#coins = [...rest, this.#coinOf(tx)];
    return [200, { txid, tx: this.change(tx.toAtomicBEEF(), tx) }];
  }

  #coinOf(tx: Transaction): Coin {
    const own = this.#lock.toHex();
    return { tx, vout: tx.outputs.findIndex(({ lockingScript }) => lockingScript.toHex() === own) };
  }

  async #node(method: string, params: unknown[]): Promise<unknown> {
    const { result, error } = await this.#client.node.call({ method, params });
    if (error) throw new Error(error.message);
    return result;
  }
}
