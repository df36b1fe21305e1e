import {
  type Block,
  headerHash,
  isCoinbase,
  meetsTarget,
  merkleBranch,
  merkleRoot,
  type Outpoint,
  p2pkhScript,
  satoshis,
  serializeBlock,
  serializeHeader,
  serializeTx,
  type Tx,
  type TxOutput,
  toHex,
  txidOf,
} from '../../../chain/index.ts';
import { PlanchetError, type Tip } from '../../../contract/index.ts';
import type { ArrivalListener, TipSource } from '../../ports/chain-data.ts';
import { type NodeRpc, NodeRpcError } from '../../ports/node.ts';

/** Pays somebody else. */
export const FOREIGN_SCRIPT = p2pkhScript(new Uint8Array(20).fill(0x99));

/** An output of somebody else. */
export const other = (value: number) => ({ script: FOREIGN_SCRIPT, satoshis: value });

/** An output of a transaction that nobody has. */
export const UNKNOWN_OUTPOINT: Outpoint = { txid: 'fa'.repeat(32), vout: 0 };

export const outpointOf = (tx: Tx, vout = 0): Outpoint => ({ txid: txidOf(tx), vout });

/** The same transaction with this unlocking script in each input. */
export function withScript(tx: Tx, script: Uint8Array): Tx {
  return { ...tx, inputs: tx.inputs.map((input) => ({ ...input, script })) };
}

/** A chain in memory behind the node's own commands: real blocks and transactions with next to no work, and without rules. */
export class TestNode implements NodeRpc, TipSource {
  blocks: { block: Block; hash: string }[] = [];
  mempool: Tx[] = [];
  /** While set, every call fails as with a node that is not there. */
  offline = false;
  readonly calls: string[] = [];
  /** Runs before the answer to a call is made. */
  onCall: (method: string, params: readonly unknown[]) => void = () => undefined;
  /** What the node says in place of the truth, where it is not undefined. */
  lie: (method: string, params: readonly unknown[]) => unknown = () => undefined;
  readonly #listeners = new Set<(tip: Tip) => void>();
  readonly #arrivalListeners = new Set<ArrivalListener>();
  #serial = 0;

  constructor(salt = 0) {
    this.mine([SOURCE], { time: 1_296_688_602 });
    // Chains of one network share their first block and differ from the second on.
    this.#serial = salt;
  }

  get height(): number {
    return this.blocks.length - 1;
  }

  async call<T>(method: string, params: readonly unknown[] = [], options: { signal?: AbortSignal } = {}): Promise<T> {
    options.signal?.throwIfAborted();
    this.calls.push(method);
    this.onCall(method, params);
    await new Promise((resolve) => setImmediate(resolve));
    if (this.offline) throw new PlanchetError({ code: 'upstream-unreachable', message: 'The node cannot be reached.' });
    return (this.lie(method, params) ?? this.#answer(method, params)) as T;
  }

  #answer(method: string, [first, second, third]: readonly unknown[]): unknown {
    switch (method) {
      case 'getbestblockhash':
        return this.blocks.at(-1)?.hash;
      case 'getblockcount':
        return this.height;
      case 'getblockhash': {
        const found = this.blocks[first as number];
        if (!found) throw new NodeRpcError(-8, 'Block height out of range');
        return found.hash;
      }
      case 'getblock':
        return toHex(serializeBlock(this.#find(first as string)));
      case 'getblockheader': {
        const { header } = this.#find(first as string);
        if (second === false) return toHex(serializeHeader(header));
        return { time: header.time, height: this.blocks.findIndex(({ hash }) => hash === first) };
      }
      case 'getrawmempool':
        return this.mempool.map((tx) => txidOf(tx));
      case 'getrawtransaction': {
        const tx = this.mempool.find((one) => txidOf(one) === first) ?? this.#place(first as string)?.tx;
        if (!tx) throw new NodeRpcError(-5, 'No such mempool or blockchain transaction.');
        if (second === true) return { blockhash: this.#place(first as string)?.hash };
        return toHex(serializeTx(tx));
      }
      case 'gettxout':
        return this.#unspent(first as string, second as number, third !== false);
      case 'getmerkleproof2': {
        const place = this.#place(second as string);
        if (!place || place.txids.length === 1)
          throw new NodeRpcError(-5, 'Transaction(s) not found in provided block');
        const target = toHex(serializeHeader(place.block.header));
        const nodes = merkleBranch(place.txids, place.index);
        return { index: place.index, txOrId: second, targetType: 'header', target, nodes };
      }
      default:
        throw new NodeRpcError(-32601, 'Method not found');
    }
  }

  /** Null for an output that is spent, or that never was. */
  #unspent(txid: string, vout: number, withMempool: boolean): object | null {
    const waiting = withMempool ? this.mempool : [];
    const place = this.#place(txid);
    const output = (place?.tx ?? waiting.find((tx) => txidOf(tx) === txid))?.outputs[vout];
    const all = [...this.blocks.flatMap(({ block }) => block.transactions), ...waiting];
    if (!output || all.some(({ inputs }) => inputs.some((input) => input.txid === txid && input.vout === vout)))
      return null;
    const confirmations = place ? this.height - this.blocks.findIndex(({ hash }) => hash === place.hash) + 1 : 0;
    return { value: Number(output.satoshis) / 1e8, confirmations, scriptPubKey: { hex: toHex(output.script) } };
  }

  /** Where a transaction is in the chain. */
  #place(txid: string) {
    for (const { block, hash } of this.blocks) {
      const txids = block.transactions.map((tx) => txidOf(tx));
      const index = txids.indexOf(txid);
      if (index >= 0) return { block, hash, txids, index, tx: block.transactions[index] as Tx };
    }
    return undefined;
  }

  #find(hash: string): Block {
    const found = this.blocks.find((one) => one.hash === hash);
    if (!found) throw new NodeRpcError(-5, 'Block not found');
    return found.block;
  }

  current(): Tip | null {
    const tip = this.blocks.at(-1);
    return tip ? { hash: tip.hash, height: this.height, time: tip.block.header.time * 1_000 } : null;
  }

  onTip(listener: (tip: Tip) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Mines one block of the given transactions and tells the listeners. @param coinbase script that gets the new money */
  mine(txs: readonly Tx[] = [], options: { coinbase?: Uint8Array; time?: number } = {}): string {
    this.#serial += 1;
    const script = new Uint8Array(8);
    new DataView(script.buffer).setUint32(0, this.#serial, true);
    const coinbase: Tx = {
      version: 1,
      inputs: [{ txid: '00'.repeat(32), vout: 0xffffffff, script, sequence: 0xffffffff }],
      outputs: [{ satoshis: satoshis(5_000_000_000), script: options.coinbase ?? FOREIGN_SCRIPT }],
      lockTime: 0,
    };
    const transactions = [coinbase, ...txs];
    const block: Block = {
      header: {
        version: 1,
        previousHash: this.blocks.at(-1)?.hash ?? '00'.repeat(32),
        merkleRoot: merkleRoot(transactions.map((tx) => txidOf(tx))),
        time: options.time ?? (this.blocks.at(-1)?.block.header.time ?? 0) + 600,
        bits: 0x207fffff,
        nonce: this.#serial,
      },
      transactions,
    };
    let { header } = block;
    while (!meetsTarget(headerHash(header), header.bits)) header = { ...header, nonce: header.nonce + 0x10000 };
    const hash = headerHash(header);
    this.blocks.push({ block: { ...block, header }, hash });
    const mined = new Set(txs.map((tx) => txidOf(tx)));
    this.mempool = this.mempool.filter((tx) => !mined.has(txidOf(tx)));
    this.#announce();
    return hash;
  }

  /** Takes the newest blocks away; their transactions go back to the mempool. */
  disconnect(count: number): void {
    const gone = this.blocks.splice(this.blocks.length - count);
    this.mempool.push(...gone.flatMap(({ block }) => block.transactions.filter((tx) => !isCoinbase(tx))));
  }

  /** Takes transactions into the mempool and announces them, as a node over ZMQ. */
  receive(...txs: readonly Tx[]): void {
    this.mempool.push(...txs);
    for (const tx of txs) for (const listener of this.#arrivalListeners) listener(txidOf(tx), serializeTx(tx));
  }

  onTransaction(listener: ArrivalListener): () => void {
    this.#arrivalListeners.add(listener);
    return () => this.#arrivalListeners.delete(listener);
  }

  #announce(): void {
    const tip = this.current();
    if (tip) for (const listener of this.#listeners) listener(tip);
  }
}

/** Money in the first block that whoever wants may spend, with an empty script. */
const SOURCE: Tx = {
  version: 1,
  inputs: [{ txid: 'ee'.repeat(32), vout: 0, script: new Uint8Array(), sequence: 0xffffffff }],
  outputs: [{ satoshis: satoshis(2_100_000_000_000_000), script: Uint8Array.of(0x51) }],
  lockTime: 0,
};

/** Header of the first block of every such chain. */
export const FIRST_HEADER = (new TestNode().blocks[0] as { block: Block }).block.header;

let foreign = 0;

/** A transaction that pays the given outputs from money that is nobody's here. Each is another one. */
export function payment(...outputs: readonly { script: Uint8Array; satoshis: number }[]): Tx {
  foreign += 1;
  return { ...spending([{ txid: txidOf(SOURCE), vout: 0 }], ...outputs), lockTime: foreign };
}

/** A transaction that spends the given coins (with a script that no signature is in). */
export function spending(
  coins: readonly { txid: string; vout: number }[],
  ...outputs: readonly { script: Uint8Array; satoshis: number }[]
): Tx {
  return {
    version: 1,
    inputs: coins.map(({ txid, vout }) => ({ txid, vout, script: new Uint8Array(), sequence: 0xffffffff })),
    outputs: outputs.map(({ script, satoshis: value }): TxOutput => ({ script, satoshis: satoshis(value) })),
    lockTime: 0,
  };
}
