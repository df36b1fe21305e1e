import {
  type BlockHeader,
  bitsToTarget,
  formatOutpoint,
  headerHash,
  meetsTarget,
  merkleBranch,
  merkleRoot,
  parseTx,
  satoshis,
  serializeHeader,
  serializeTx,
  type Tx,
  toHex,
  txidOf,
  type Utxo,
  verifyScripts,
  workOf,
} from '../../../chain/index.ts';

/** The easiest target: a header meets it after two tries or so. */
const EASY_BITS = 0x207fffff;

interface TestBlock {
  readonly header: BlockHeader;
  readonly hash: string;
  readonly txids: readonly string[];
}

/** What the node would answer with as an error. */
export class RpcFailure extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** A small chain of its own: real transactions, scripts, blocks, work and proofs, held in memory, with a reorganisation at will. */
export class TestChain {
  readonly transactions = new Map<string, Uint8Array>();
  readonly mempool = new Set<string>();
  blocks: TestBlock[] = [];
  /** Outpoints that a transaction tried to spend a second time. */
  readonly doubleSpends: string[] = [];
  #time = 1_700_000_000;

  constructor() {
    this.mine();
    this.mine();
  }

  /** Pays money from a coinbase in a new block. */
  fund(lockingScript: Uint8Array, amounts: readonly number[]): Utxo[] {
    const tx: Tx = {
      version: 1,
      inputs: [{ txid: '0'.repeat(64), vout: 0xffffffff, script: Uint8Array.of(4, ...this.#nonce()), sequence: 0 }],
      outputs: amounts.map((amount) => ({ satoshis: satoshis(amount), script: lockingScript })),
      lockTime: 0,
    };
    const txid = txidOf(tx);
    this.transactions.set(txid, serializeTx(tx));
    this.mine(txid);
    return tx.outputs.map(({ satoshis: value, script }, vout) => ({
      txid,
      vout,
      satoshis: value,
      lockingScript: script,
    }));
  }

  /** Takes a transaction into the mempool. @throws RpcFailure where it is not valid */
  accept(raw: Uint8Array): string {
    const tx = parseTx(raw);
    const txid = txidOf(tx);
    if (this.transactions.has(txid)) return txid;
    const spent = tx.inputs.map((input) => {
      const utxo = this.output(input.txid, input.vout);
      if (utxo === undefined) throw new RpcFailure(-25, 'missing-inputs');
      if (this.spender(input.txid, input.vout) !== undefined) {
        this.doubleSpends.push(formatOutpoint(input));
        throw new RpcFailure(-25, 'txn-mempool-conflict');
      }
      return utxo;
    });
    const verdict = verifyScripts(tx, spent);
    if (!verdict.ok) throw new RpcFailure(-26, verdict.reason);
    this.transactions.set(txid, raw);
    this.mempool.add(txid);
    return txid;
  }

  mine(...more: string[]): string {
    const txids = [this.#coinbase(), ...more, ...this.mempool];
    const previous = this.blocks.at(-1)?.hash ?? '0'.repeat(64);
    let header: BlockHeader = {
      version: 1,
      previousHash: previous,
      merkleRoot: merkleRoot(txids),
      time: this.#time++,
      bits: EASY_BITS,
      nonce: 0,
    };
    while (!meetsTarget(headerHash(header), EASY_BITS)) header = { ...header, nonce: header.nonce + 1 };
    const hash = headerHash(header);
    this.blocks.push({ header, hash, txids });
    for (const txid of txids) this.mempool.delete(txid);
    return hash;
  }

  /** Takes back the newest blocks; their transactions wait again, unless they are dropped. A longer branch takes their place. */
  reorg(depth: number, options: { drop?: boolean } = {}): void {
    const gone = this.blocks.splice(this.blocks.length - depth);
    const back = gone.flatMap(({ txids }) => txids.slice(1));
    const waiting = [...this.mempool];
    this.mempool.clear();
    for (let i = 0; i <= depth; i++) this.mine();
    for (const txid of [...back, ...waiting]) {
      if (options.drop) this.transactions.delete(txid);
      else this.mempool.add(txid);
    }
  }

  output(txid: string, vout: number): Utxo | undefined {
    const raw = this.transactions.get(txid);
    const out = raw && parseTx(raw).outputs[vout];
    return out && { txid, vout, satoshis: out.satoshis, lockingScript: out.script };
  }

  spender(txid: string, vout: number): string | undefined {
    for (const [id, raw] of this.transactions) {
      if (parseTx(raw).inputs.some((input) => input.txid === txid && input.vout === vout)) return id;
    }
    return undefined;
  }

  heightOf(txid: string): number | undefined {
    const height = this.blocks.findIndex(({ txids }) => txids.includes(txid));
    return height < 0 ? undefined : height;
  }

  /** The node's commands the studio uses, as reference section 1, 3 and 4 give them. */
  call(method: string, params: readonly unknown[]): unknown {
    const [first, second] = params;
    if (method === 'getbestblockhash') return this.#tip().hash;
    if (method === 'getblockhash') return this.#block(first as number).hash;
    if (method === 'getblockheader') return this.#headerAnswer(first as string, second !== false);
    if (method === 'getrawtransaction') return this.#transactionAnswer(first as string, second === true);
    if (method === 'getmempoolentry') return this.#mempoolAnswer(first as string);
    if (method === 'gettxout') return this.#outputAnswer(first as string, second as number);
    if (method === 'getblock') return { tx: this.blocks.find(({ hash }) => hash === first)?.txids };
    if (method === 'getmerkleproof2') return this.#proofAnswer(first as string, second as string);
    throw new RpcFailure(-32601, 'Method not found');
  }

  #headerAnswer(hash: string, decoded: boolean): unknown {
    const height = this.blocks.findIndex((block) => block.hash === hash);
    if (height < 0) throw new RpcFailure(-5, 'Block not found');
    const { header } = this.#block(height);
    if (!decoded) return toHex(serializeHeader(header));
    const work = this.blocks.slice(0, height + 1).reduce((sum, block) => sum + workOf(block.header.bits), 0n);
    return {
      hash,
      confirmations: this.blocks.length - height,
      height,
      chainwork: work.toString(16).padStart(64, '0'),
      previousblockhash: header.previousHash,
      difficulty: Number(bitsToTarget(EASY_BITS) >> 200n),
    };
  }

  #mempoolAnswer(txid: string): unknown {
    const raw = this.transactions.get(txid);
    if (raw !== undefined && this.heightOf(txid) === undefined) return { size: raw.length };
    throw new RpcFailure(-5, 'Transaction not in mempool');
  }

  #transactionAnswer(txid: string, verbose: boolean): unknown {
    const raw = this.transactions.get(txid);
    if (raw === undefined) throw new RpcFailure(-5, 'No such mempool or blockchain transaction.');
    if (!verbose) return toHex(raw);
    const height = this.heightOf(txid);
    if (height === undefined) return { txid, hex: toHex(raw) };
    const confirmations = this.blocks.length - height;
    return { txid, hex: toHex(raw), blockhash: this.#block(height).hash, blockheight: height, confirmations };
  }

  #outputAnswer(txid: string, vout: number): unknown {
    const utxo = this.output(txid, vout);
    if (utxo === undefined || this.spender(txid, vout) !== undefined) return null;
    const height = this.heightOf(txid);
    return {
      bestblock: this.#tip().hash,
      confirmations: height === undefined ? 0 : this.blocks.length - height,
      value: utxo.satoshis / 100_000_000,
      scriptPubKey: { hex: toHex(utxo.lockingScript) },
    };
  }

  #proofAnswer(blockHash: string, txid: string): unknown {
    const block = this.blocks.find(({ hash }) => hash === blockHash);
    const index = block?.txids.indexOf(txid) ?? -1;
    if (block === undefined || index < 0) throw new RpcFailure(-5, 'Transaction(s) not found in provided block');
    const target = toHex(serializeHeader(block.header));
    return { index, txOrId: txid, targetType: 'header', target, nodes: merkleBranch(block.txids, index) };
  }

  #coinbase(): string {
    const tx: Tx = {
      version: 1,
      inputs: [{ txid: '0'.repeat(64), vout: 0xffffffff, script: Uint8Array.of(4, ...this.#nonce()), sequence: 0 }],
      outputs: [{ satoshis: satoshis(0), script: new Uint8Array(0) }],
      lockTime: 0,
    };
    this.transactions.set(txidOf(tx), serializeTx(tx));
    return txidOf(tx);
  }

  #nonce(): number[] {
    const n = this.#time++;
    return [n & 0xff, (n >> 8) & 0xff, (n >> 16) & 0xff, (n >> 24) & 0xff];
  }

  #tip(): TestBlock {
    return this.blocks.at(-1) as TestBlock;
  }

  #block(height: number): TestBlock {
    const block = this.blocks[height];
    if (block === undefined) throw new RpcFailure(-8, 'Block height out of range');
    return block;
  }
}
