/** An in-memory chain that validates the library's transactions like a node, and its parties. */
import type { PrivateKey } from '@bsv/sdk';
import { expect } from 'vitest';
import {
  interpretScripts,
  p2pkhScript,
  type Satoshis,
  type Tx,
  toHex,
  txidOf,
  txSize,
  type Utxo,
  verifyNatively,
} from '../../chain/index.ts';
import { contract, issue, type TokenSchema } from '../index.ts';
import { decodeToken } from '../parameters/decode.ts';
import type { BuiltTransaction } from '../transaction/signing.ts';
import { addressOf, hashOf, out, POLICY, parentOf } from './forge.ts';
import { keys } from './keys.ts';

export const schema: TokenSchema = {
  symbol: 'CAFE',
  satsPerToken: 10,
  tokenId: toHex(hashOf(keys.issuer)),
  totalSupply: 1_000,
  name: 'Coffee',
  decimals: 0,
};

/** What a node requires for relay since Chronicle. */
const TODAY = [...POLICY, 'CHRONICLE', 'UTXO_AFTER_CHRONICLE'];

export class World {
  /** Whether the compiled verifier may confirm valid signatures before the SDK's verifier is asked. */
  readonly #quick: boolean;
  readonly txs = new Map<string, Tx>();
  readonly unspent = new Map<string, Utxo>();

  constructor({ quick = false } = {}) {
    this.#quick = quick;
  }

  /** A coin without a real parent transaction. */
  coin(key: PrivateKey, satoshis: number): Utxo {
    const { tx, utxo } = parentOf([out(p2pkhScript(hashOf(key)), satoshis)], 0);
    this.txs.set(utxo.txid, tx);
    this.unspent.set(idOf(utxo), utxo);
    return utxo;
  }

  pay(satoshis = 50_000): { paymentUtxo: Utxo; paymentKey: PrivateKey } {
    return { paymentUtxo: this.coin(keys.payer, satoshis), paymentKey: keys.payer };
  }

  /** Validates a transaction like a node: inputs are unspent, scripts succeed, the fee is as stated and the size as predicted. */
  accept(built: BuiltTransaction): BuiltTransaction {
    const { tx, txid, size, estimatedSize, fee } = built;
    const spent = tx.inputs.map((input) => {
      const utxo = this.unspent.get(idOf(input));
      expect(utxo, `${idOf(input)} is unspent`).toBeDefined();
      return utxo as Utxo;
    });
    const confirm = this.#quick ? verifyNatively : undefined;
    expect(interpretScripts(tx, spent, { flags: TODAY, ...(confirm ? { confirm } : {}) })).toEqual({ ok: true });
    expect(txidOf(tx)).toBe(txid);
    expect(txSize(tx)).toBe(size);
    expect(size).toBeLessThanOrEqual(estimatedSize);
    expect(size).toBeGreaterThanOrEqual(estimatedSize - 4);
    expect(sum(spent) - sum(built.outputs)).toBe(fee);
    for (const utxo of spent) this.unspent.delete(idOf(utxo));
    for (const utxo of built.outputs) this.unspent.set(idOf(utxo), utxo);
    this.txs.set(txid, tx);
    return built;
  }

  fetchTx = async (txid: string): Promise<Tx | undefined> => this.txs.get(txid);

  /** Total satoshis in unredeemed tokens. */
  tokenSupply(): number {
    return sum([...this.unspent.values()].filter(({ lockingScript }) => decodeToken(lockingScript)));
  }

  contract(supply = 10_000, given: Partial<TokenSchema> = {}): BuiltTransaction {
    return this.accept(
      contract({
        issuerKey: keys.issuer,
        inputUtxos: [this.coin(keys.issuer, supply)],
        paymentUtxos: [this.coin(keys.payer, 9_000)],
        paymentKey: keys.payer,
        schema: { ...schema, totalSupply: supply / (given.satsPerToken ?? schema.satsPerToken), ...given },
        tokenSatoshis: supply,
      }),
    );
  }

  /** A token owned by Alice. */
  issued(options: { isSplittable?: boolean; version?: 1 | 2; supply?: number } = {}): BuiltTransaction {
    const { isSplittable = true, version = 2, supply = 10_000 } = options;
    const [contractUtxo] = this.contract(supply).outputs;
    return this.accept(
      issue({
        issuerKey: keys.issuer,
        issueInfo: [{ address: addressOf(keys.alice), satoshis: supply }],
        contractUtxo: contractUtxo as Utxo,
        isSplittable,
        symbol: 'CAFE',
        version,
        ...this.pay(),
      }),
    );
  }
}

export function first(built: BuiltTransaction): Utxo {
  return built.outputs[0] as Utxo;
}

/** Adds a transaction to the chain without validating it. @returns its first output */
export function remember(world: World, tx: Tx): Utxo {
  const { satoshis, script } = tx.outputs[0] as Tx['outputs'][number];
  const txid = txidOf(tx);
  world.txs.set(txid, tx);
  return { txid, vout: 0, satoshis, lockingScript: script };
}

function idOf({ txid, vout }: { txid: string; vout: number }): string {
  return `${txid}_${vout}`;
}

function sum(amounts: readonly { readonly satoshis: Satoshis }[]): number {
  return amounts.reduce((total, { satoshis }) => total + satoshis, 0);
}
