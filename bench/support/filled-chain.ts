import { PrivateKey } from '@bsv/sdk';
import { OrdP2PKH } from 'js-1sat-ord';
import type { RunningHost } from '../../e2e/support/host.ts';
import {
  fromHex,
  hash160,
  parseTx,
  satoshis,
  serializeTx,
  signP2pkhInputs,
  type Tx,
  type TxOutput,
  toHex,
  txidOf,
  type Utxo,
} from '../../src/chain/index.ts';
import { systemClock } from '../../src/main/clock.ts';
import type { SecretName, SecretStore } from '../../src/main/ports/secrets.ts';
import type { WalletKey } from '../../src/main/wallet/keys/wallet-key.ts';
import { WalletKeys } from '../../src/main/wallet/keys/wallet-keys.ts';
import { keyScript } from './payments.ts';

const payer = PrivateKey.fromHex('77'.repeat(32));
const PAYMENT = 5_000;
/** Transactions of a block. */
const A_BLOCK = 10;
const SATOSHIS_A_KILOBYTE = 500;

/** The first keys of a seed. */
export async function keysOf(words: string, count: number): Promise<readonly WalletKey[]> {
  const kept = new Map<SecretName, Uint8Array>();
  const secrets: SecretStore = {
    locked: false,
    get: (name) => kept.get(name)?.slice(),
    set: async (name, value) => void kept.set(name, Uint8Array.from(value)),
    delete: async (name) => void kept.delete(name),
  };
  const keys = await WalletKeys.open({ network: 'test', secrets, clock: systemClock }, false);
  await keys.restore(words);
  keys.followBehind(count);
  return keys.money.slice(0, count);
}

/** Pays the keys of a wallet on the sandbox of a host, as others did over time. */
export class FilledChain {
  readonly #network: RunningHost;
  #coin: Utxo | undefined;
  #waiting = 0;

  constructor(network: RunningHost) {
    this.#network = network;
  }

  /** A payment to each key. */
  async pay(keys: readonly WalletKey[]): Promise<void> {
    for (const { lockingScript } of keys) await this.#send([{ satoshis: satoshis(PAYMENT), script: lockingScript }]);
    await this.mine();
  }

  /** Inscriptions of a key, some in each transaction. */
  async inscribe({ publicKey }: WalletKey, tokens: number, aTransaction: number): Promise<void> {
    const script = inscription(publicKey);
    for (let made = 0; made < tokens; made += aTransaction) {
      const count = Math.min(aTransaction, tokens - made);
      await this.#send(Array.from({ length: count }, () => ({ satoshis: satoshis(1), script })));
    }
    await this.mine();
  }

  async mine(): Promise<void> {
    this.#waiting = 0;
    await this.#network.client().sandbox.mine({ blocks: 1 });
  }

  async #send(outputs: readonly TxOutput[]): Promise<void> {
    const coin = this.#coin ?? (await this.#fund());
    const bytes = 200 + outputs.reduce((sum, { script }) => sum + script.length + 12, 0);
    const fee = Math.ceil((bytes * SATOSHIS_A_KILOBYTE) / 1_000);
    const paid = outputs.reduce((sum, output) => sum + output.satoshis, 0);
    const change = { satoshis: satoshis(coin.satoshis - paid - fee), script: keyScript(payer) };
    const { txid, vout } = coin;
    const inputs = [{ txid, vout, script: new Uint8Array(), sequence: 0xffffffff }];
    const tx: Tx = signP2pkhInputs({ version: 1, inputs, outputs: [...outputs, change], lockTime: 0 }, [coin], payer);
    const { outcome, reason } = await this.#network.client().sandbox.relay({ rawTx: toHex(serializeTx(tx)) });
    if (outcome !== 'accepted') throw new Error(`a transaction was not taken: ${reason}`);
    this.#coin = {
      txid: txidOf(tx),
      vout: outputs.length,
      satoshis: change.satoshis,
      lockingScript: keyScript(payer),
    };
    this.#waiting += 1;
    if (this.#waiting >= A_BLOCK) await this.mine();
  }

  async #fund(): Promise<Utxo> {
    const client = this.#network.client();
    const amount = 100_000_000;
    const { txid } = await client.sandbox.fund({ address: payer.toAddress('testnet'), satoshis: amount });
    await this.mine();
    const { result } = await client.node.call({ method: 'getrawtransaction', params: [txid, false] });
    const vout = parseTx(fromHex(String(result))).outputs.findIndex((output) => output.satoshis === amount);
    return { txid, vout, satoshis: satoshis(amount), lockingScript: keyScript(payer) };
  }
}

/** The library locks for an address of the main network; the lock is the same on every network. */
function inscription(publicKey: string): Uint8Array {
  const own = payer.toPublicKey();
  const script = new OrdP2PKH().lock(own.toAddress(), { dataB64: 'aGVsbG8=', contentType: 'text/plain' }).toHex();
  const [from, to] = [fromHex(own.toString()), fromHex(publicKey)].map((key) => toHex(hash160(key))) as [
    string,
    string,
  ];
  return fromHex(script.replace(from, to));
}
