import {
  type BlockHeader,
  formatOutpoint,
  headerHash,
  meetsTarget,
  merkleRoot,
  parseTx,
  serializeBlock,
  serializeHeader,
  serializeTx,
  type Tx,
  toHex,
  txidOf,
  type Utxo,
} from '../../../chain/index.ts';
import type { Tip } from '../../../contract/index.ts';
import { createNodeChainData, type VerifiedHeaders } from '../../chain-data/node/node-chain-data.ts';
import type { TipSource } from '../../ports/chain-data.ts';
import type { ChainHeader } from '../../ports/headers.ts';
import { type NodeRpc, NodeRpcError } from '../../ports/node.ts';

const EASY = 0x207fffff;

function spends(rawTx: Uint8Array, outpoint: string): boolean {
  return parseTx(rawTx).inputs.some((input) => formatOutpoint(input) === outpoint);
}

interface MinedBlock {
  readonly header: BlockHeader;
  readonly hash: string;
  readonly txids: readonly string[];
  readonly coinbase: Tx;
}

/** A chain with its mempool, and a node that knows both. */
export class TestNetwork {
  /** Unspent outputs of everybody, by outpoint. */
  readonly coins = new Map<string, Utxo>();
  /** What the miner took, in order, by txid. */
  readonly mempool = new Map<string, Uint8Array>();
  /** The chain, from its first block. */
  blocks: MinedBlock[] = [];
  /** Everything that ever was in a block, by txid. */
  readonly mined = new Map<string, Uint8Array>();
  /** Every output there ever was. */
  protected readonly everyCoin = new Map<string, Utxo>();
  readonly #tipListeners = new Set<(tip: Tip) => void>();
  readonly tips: TipSource = {
    current: () => null,
    onTip: (listener) => {
      this.#tipListeners.add(listener);
      return () => this.#tipListeners.delete(listener);
    },
  };

  readonly node: NodeRpc = {
    call: async <T>(method: string, params: readonly unknown[] = []): Promise<T> => this.#rpc(method, params) as T,
  };

  /** The verified headers, which follow what is mined here and no node that lies. */
  readonly headers: VerifiedHeaders = {
    at: (height) => this.#headerAt(height),
    refresh: async () => {},
    tip: null,
  };

  readonly chainData = createNodeChainData(this.node, this.headers);

  #headerAt(height: number): ChainHeader | undefined {
    const block = this.blocks[height];
    return block && { hash: block.hash, height, header: serializeHeader(block.header) };
  }

  /** A block with everything that waits. */
  mine(): string {
    const script = Uint8Array.from(Buffer.from(`block ${this.blocks.length}`));
    const coinbase: Tx = {
      version: 1,
      inputs: [{ txid: '0'.repeat(64), vout: 0xffffffff, script, sequence: 0xffffffff }],
      outputs: [],
      lockTime: 0,
    };
    const txids = [txidOf(coinbase), ...this.mempool.keys()];
    for (const [txid, rawTx] of this.mempool) this.mined.set(txid, rawTx);
    this.mempool.clear();
    const previousHash = this.blocks.at(-1)?.hash ?? '0'.repeat(64);
    const base = {
      version: 1,
      previousHash,
      merkleRoot: merkleRoot(txids),
      // later than the one before, as a header must be
      time: Math.max(Math.floor(Date.now() / 1_000), (this.blocks.at(-1)?.header.time ?? 0) + 1),
      bits: EASY,
    };
    let header: BlockHeader = { ...base, nonce: Math.floor(Math.random() * 1e9) };
    while (!meetsTarget(headerHash(header), EASY)) header = { ...header, nonce: header.nonce + 1 };
    const block = { header, hash: headerHash(header), txids, coinbase };
    this.blocks.push(block);
    this.announce();
    return block.hash;
  }

  /** Tells of the newest block, as the follower of the tip does. */
  announce(): void {
    const block = this.blocks.at(-1);
    if (block === undefined) return;
    const tip = { hash: block.hash, height: this.blocks.length - 1, time: block.header.time * 1_000 };
    for (const listener of this.#tipListeners) listener(tip);
  }

  /** Takes the last blocks back; what they held waits again. */
  undo(count: number): void {
    for (const { txids } of this.blocks.splice(-count)) {
      for (const txid of txids) {
        const rawTx = this.mined.get(txid);
        if (rawTx) this.mempool.set(txid, rawTx);
      }
    }
    this.announce();
  }

  /** All transactions the network has, in blocks and waiting. */
  everything(): Uint8Array[] {
    const inBlocks = this.blocks.flatMap(({ txids }) => txids.flatMap((txid) => this.mined.get(txid) ?? []));
    return [...inBlocks, ...this.mempool.values()];
  }

  #rpc(method: string, [first, second, third]: readonly unknown[]): unknown {
    const block = this.blocks.find(({ hash }) => hash === first);
    if (method === 'gettxout') return this.#coinSeen(`${String(first)}_${String(second)}`, third !== false);
    if (method === 'getblockcount') return this.blocks.length - 1;
    if (method === 'getbestblockhash') return this.blocks.at(-1)?.hash;
    if (method === 'getmempoolinfo') return { size: this.mempool.size };
    if (method === 'getrawmempool') return [...this.mempool.keys()];
    if (method === 'getblockhash') {
      const found = this.blocks[Number(first)];
      if (!found) throw new NodeRpcError(-8, 'Block height out of range');
      return found.hash;
    }
    if (method === 'getblockheader' && block) {
      return second === false
        ? toHex(serializeHeader(block.header))
        : { height: this.blocks.indexOf(block), num_tx: block.txids.length };
    }
    if (method === 'getblock' && block) {
      const others = block.txids.flatMap((txid) => this.mined.get(txid) ?? []).map((raw) => parseTx(raw));
      const transactions = [block.coinbase, ...others];
      return second === 0 ? toHex(serializeBlock({ header: block.header, transactions })) : { tx: block.txids };
    }
    if (method === 'getrawtransaction') {
      const rawTx = this.mempool.get(String(first)) ?? this.mined.get(String(first));
      if (rawTx) return toHex(rawTx);
    }
    throw new NodeRpcError(-5, `${method} has no answer here`);
  }

  /** As `gettxout` answers: without the mempool, what waits there neither makes nor spends a coin. */
  #coinSeen(outpoint: string, withMempool: boolean): unknown {
    const coin = this.everyCoin.get(outpoint);
    if (coin === undefined) return null;
    const inBlock = !this.mempool.has(coin.txid);
    const spentInMempool = [...this.mempool.values()].some((raw) => spends(raw, outpoint));
    const there = withMempool ? this.coins.has(outpoint) : inBlock && (spentInMempool || this.coins.has(outpoint));
    if (!there) return null;
    return {
      value: coin.satoshis / 1e8,
      confirmations: inBlock ? 1 : 0,
      scriptPubKey: { hex: toHex(coin.lockingScript) },
    };
  }

  /** Somebody else spends a coin, with a transaction the miner takes. @returns its txid */
  spendElsewhere(outpoint: string): string {
    const coin = this.coins.get(outpoint);
    if (coin === undefined) throw new Error(`${outpoint} is spent`);
    const raw = serializeTx({
      version: 1,
      inputs: [{ txid: coin.txid, vout: coin.vout, script: new Uint8Array(), sequence: 0 }],
      outputs: [{ satoshis: coin.satoshis, script: new Uint8Array([0x51]) }],
      lockTime: 0,
    });
    this.coins.delete(outpoint);
    this.mempool.set(txidOf(raw), raw);
    return txidOf(raw);
  }

  /** The mempool drops a transaction: what it spent is free again. */
  forget(txid: string): void {
    const raw = this.mempool.get(txid);
    if (raw === undefined) throw new Error(`${txid} is not in the mempool`);
    this.mempool.delete(txid);
    const { inputs, outputs } = parseTx(raw);
    for (const vout of outputs.keys()) this.coins.delete(`${txid}_${vout}`);
    for (const input of inputs) this.putCoin(this.everyCoin.get(formatOutpoint(input)) as Utxo);
  }

  /** Whether something in a block or in the mempool spends an output. */
  protected isSpent(outpoint: string): boolean {
    return [...this.mempool.values(), ...this.mined.values()].some((rawTx) => spends(rawTx, outpoint));
  }

  protected putCoin(coin: Utxo): void {
    this.coins.set(formatOutpoint(coin), coin);
    this.everyCoin.set(formatOutpoint(coin), coin);
  }
}
