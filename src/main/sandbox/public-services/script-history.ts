import { formatOutpoint, type Outpoint, ownerKeyHash, parseTx, sha256, type Tx, toHex } from '../../../chain/index.ts';
import { Sequencer } from '../../async/sequencer.ts';
import { pause } from '../../pause.ts';
import type { SandboxNode } from '../node/node.ts';
import { blockAtHeight, blockTxids, locateTransaction, minedTransaction } from '../node/storage/chain-store.ts';

export interface MinedTouch {
  readonly txid: string;
  readonly height: number;
}

/** Which transactions pay a script or spend from it: the index that an explorer has and a node has not. It is built on first use, in memory. */
export class ScriptHistory {
  readonly #node: SandboxNode;
  readonly #readings = new Sequencer();
  /** Hashes of the blocks read, by height. */
  #read: string[] = [];
  /** By hash of the script. */
  #mined = new Map<string, MinedTouch[]>();
  /** Mined outputs by the hash of the key that owns them, whatever else their scripts contain. */
  #owned = new Map<string, (Outpoint & { readonly height: number })[]>();
  /** Hash of the script of each output, mined or not. */
  #scripts = new Map<string, string>();
  /** The scripts that each transaction of the mempool touches, by its id. */
  #waiting: ReadonlyMap<string, ReadonlySet<string>> = new Map();

  constructor(node: SandboxNode) {
    this.#node = node;
  }

  /** Oldest first. @param script SHA-256 of a locking script, hex */
  async mined(script: string): Promise<readonly MinedTouch[]> {
    await this.#readings.run(() => this.#catchUp());
    return this.#mined.get(script) ?? [];
  }

  /** Ids of transactions of the mempool, in the order of their arrival. */
  async waiting(script: string): Promise<string[]> {
    await this.#readings.run(() => this.#catchUp());
    await this.#readings.run(() => this.#readMempool());
    return [...this.#waiting].flatMap(([txid, touched]) => (touched.has(script) ? [txid] : []));
  }

  /** Outputs that one of these keys owns, with the height of their blocks; what waits comes after all blocks. @param keys their hashes, hex */
  async owned(keys: ReadonlySet<string>): Promise<(Outpoint & { readonly score: number })[]> {
    await this.#readings.run(() => this.#catchUp());
    const mined = [...keys].flatMap((key) => this.#owned.get(key) ?? []);
    const next = this.#node.tip().height + 1;
    const waiting = [...this.#node.mempool.entries()].flatMap(({ txid, tx }) =>
      ownersOf(tx).flatMap((owner, vout) =>
        owner !== undefined && keys.has(owner) ? [{ txid, vout, score: next }] : [],
      ),
    );
    return [...mined.map(({ txid, vout, height }) => ({ txid, vout, score: height })), ...waiting];
  }

  /** Each transaction is read once: a wallet asks for a hundred addresses at a time. */
  async #readMempool(): Promise<void> {
    const before = this.#waiting;
    const waiting = new Map<string, ReadonlySet<string>>();
    for (const entry of [...this.#node.mempool.entries()]) {
      const known = before.get(entry.txid);
      if (known === undefined) await pause();
      waiting.set(entry.txid, known ?? this.#touched(entry.txid, entry.tx));
    }
    this.#waiting = waiting;
  }

  async #catchUp(): Promise<void> {
    const { db } = this.#node;
    const { height: top } = this.#node.tip();
    const last = this.#read.at(-1);
    // after a reorganisation everything is read again: the sandbox's chain is short
    if (last !== undefined && (await blockAtHeight(db, this.#read.length - 1))?.hash !== last) this.#forget();
    for (let height = this.#read.length; height <= top; height++) {
      const block = await blockAtHeight(db, height);
      if (block === undefined) return;
      for (const txid of await blockTxids(db, block.hash)) {
        const at = await locateTransaction(db, txid);
        if (at?.block_hash !== block.hash) return this.#forget();
        const tx = parseTx(await minedTransaction(db, at), true);
        for (const [vout, owner] of ownersOf(tx).entries())
          if (owner !== undefined) append(this.#owned, owner, { txid, vout, height });
        for (const script of this.#touched(txid, tx)) append(this.#mined, script, { txid, height });
      }
      this.#read.push(block.hash);
      await pause();
    }
  }

  #forget(): void {
    this.#read = [];
    this.#mined = new Map();
    this.#owned = new Map();
    this.#scripts = new Map();
    this.#waiting = new Map();
  }

  /** The scripts of a transaction's outputs and of what it spends. */
  #touched(txid: string, { inputs, outputs }: Tx): Set<string> {
    const touched = new Set<string>();
    for (const [vout, output] of outputs.entries()) {
      const script = toHex(sha256(output.script));
      this.#scripts.set(formatOutpoint({ txid, vout }), script);
      touched.add(script);
    }
    for (const input of inputs) {
      const script = this.#scripts.get(formatOutpoint(input));
      if (script !== undefined) touched.add(script);
    }
    return touched;
  }
}

function append<T>(lists: Map<string, T[]>, key: string, item: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}

/** The hash of the key that owns each output. */
function ownersOf({ outputs }: Tx): (string | undefined)[] {
  return outputs.map(({ script }) => {
    const owner = ownerKeyHash(script);
    return owner && toHex(owner);
  });
}
