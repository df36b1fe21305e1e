import { equalBytes, formatOutpoint, parseTx, type Tx, txidOf } from '../../../chain/index.ts';
import { PlanchetError } from '../../../contract/index.ts';
import type { Merchant } from '../../ports/merchant/merchant.ts';
import type { TestNode } from './test-node.ts';

/** A miner that says no, and keeps what it refuses for as long as it wants. */
export class KeepingMiner implements Merchant {
  refuses = true;
  /** All that came, by txid. */
  readonly kept = new Map<string, Tx>();
  readonly #node: TestNode;

  constructor(node: TestNode) {
    this.#node = node;
  }

  async submit(rawTx: Uint8Array): ReturnType<Merchant['submit']> {
    const tx = parseTx(rawTx);
    this.kept.set(txidOf(tx), tx);
    if (this.refuses) throw new PlanchetError({ code: 'rejected', message: '66 mempool min fee not met' });
    this.#node.mempool.push(tx);
    return { txid: txidOf(tx) };
  }

  async status(): ReturnType<Merchant['status']> {
    return { known: false, reason: '' };
  }

  async feeQuote(): ReturnType<Merchant['feeQuote']> {
    const rate = { satoshis: 500, bytes: 1_000 };
    return { standard: rate, data: rate, expiresAt: Number.MAX_SAFE_INTEGER };
  }

  /** Pairs of what came that pay a script and that share no coin: both of them can be mined. */
  paidTwice(script: Uint8Array): [string, string][] {
    const paying = [...this.kept].filter(([, { outputs }]) =>
      outputs.some((output) => equalBytes(output.script, script)),
    );
    return paying.flatMap(([txid, tx], at) => {
      const spent = new Set(tx.inputs.map(formatOutpoint));
      const beside = paying
        .slice(at + 1)
        .filter(([, other]) => !other.inputs.some((one) => spent.has(formatOutpoint(one))));
      return beside.map(([other]): [string, string] => [txid, other]);
    });
  }
}
