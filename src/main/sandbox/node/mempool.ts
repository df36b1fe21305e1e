import { formatOutpoint, isDataOutput, type Outpoint, type Satoshis, type Tx } from '../../../chain/index.ts';
import type { NodeUtxo } from './types.ts';

/** A transaction that waits for a block. */
export interface MempoolEntry {
  readonly txid: string;
  readonly tx: Tx;
  readonly raw: Uint8Array;
  readonly fee: Satoshis;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly time: number;
  /** Height of the tip when it came. */
  readonly height: number;
  /** Place in the order of mining: parents have a lower one than children. */
  readonly sequence: number;
  /** Waiting transactions in the longest line that ends with this one, itself not counted. */
  readonly ancestors: number;
}

/** The index of waiting transactions in memory; the table `node_mempool` holds the same. Kept in order of arrival, parents first. */
export class Mempool {
  #entries = new Map<string, MempoolEntry>();
  /** Which transaction spends an outpoint, also outpoints of the chain. */
  readonly #spenders = new Map<string, string>();
  #bytes = 0;
  #lastSequence = -1;

  get size(): number {
    return this.#entries.size;
  }

  /** Bytes of all transactions. */
  get bytes(): number {
    return this.#bytes;
  }

  get(txid: string): MempoolEntry | undefined {
    return this.#entries.get(txid);
  }

  has(txid: string): boolean {
    return this.#entries.has(txid);
  }

  txids(): string[] {
    return [...this.#entries.keys()];
  }

  entries(): IterableIterator<MempoolEntry> {
    return this.#entries.values();
  }

  /** The waiting transaction that spends `<txid>_<vout>`. */
  spender(outpoint: string): MempoolEntry | undefined {
    const txid = this.#spenders.get(outpoint);
    return txid === undefined ? undefined : this.#entries.get(txid);
  }

  /** An output of a waiting transaction, spent or not; undefined for one that can never be spent. */
  output({ txid, vout }: Outpoint): NodeUtxo | undefined {
    const output = this.#entries.get(txid)?.tx.outputs[vout];
    if (output === undefined || isDataOutput(output.script)) return undefined;
    return { satoshis: output.satoshis, lockingScript: output.script, height: null, coinbase: false };
  }

  add(entry: MempoolEntry): void {
    this.#entries.set(entry.txid, entry);
    for (const input of entry.tx.inputs) this.#spenders.set(formatOutpoint(input), entry.txid);
    this.#bytes += entry.raw.length;
    this.#lastSequence = Math.max(this.#lastSequence, entry.sequence);
  }

  /** Puts transactions of a block that was taken off the chain before all others, which may build on them. */
  prepend(entries: readonly MempoolEntry[]): void {
    const behind = this.#entries;
    this.#entries = new Map();
    for (const entry of entries) this.add(entry);
    for (const [txid, entry] of behind) this.#entries.set(txid, entry);
  }

  /** The sequence a transaction that comes now gets. */
  get nextSequence(): number {
    return this.#lastSequence + 1;
  }

  /** The lowest sequence of all. */
  get firstSequence(): number {
    const [first] = this.#entries.values();
    return first?.sequence ?? this.nextSequence;
  }

  /** Length of the line of waiting transactions a transaction would end, itself not counted. */
  ancestorsOf(tx: Tx): number {
    let longest = 0;
    for (const { txid } of tx.inputs) {
      const parent = this.#entries.get(txid);
      if (parent !== undefined) longest = Math.max(longest, parent.ancestors + 1);
    }
    return longest;
  }

  /** Counts all ancestors anew, after transactions were put before others. */
  recount(): void {
    for (const [txid, entry] of this.#entries) {
      this.#entries.set(txid, { ...entry, ancestors: this.ancestorsOf(entry.tx) });
    }
  }

  remove(txid: string): void {
    const entry = this.#entries.get(txid);
    if (entry === undefined) return;
    this.#entries.delete(txid);
    for (const input of entry.tx.inputs) this.#spenders.delete(formatOutpoint(input));
    this.#bytes -= entry.raw.length;
  }

  /** Waiting transactions this one spends from, in order of their text. */
  parents(entry: MempoolEntry): string[] {
    return [...new Set(entry.tx.inputs.map(({ txid }) => txid))].filter((txid) => this.#entries.has(txid)).sort();
  }

  children(entry: MempoolEntry): string[] {
    const spenders = entry.tx.outputs.map((_, vout) => this.#spenders.get(formatOutpoint({ txid: entry.txid, vout })));
    return [...new Set(spenders.filter((txid) => txid !== undefined))];
  }

  ancestors(entry: MempoolEntry): MempoolEntry[] {
    return this.#reach(entry, (from) => this.parents(from));
  }

  descendants(entry: MempoolEntry): MempoolEntry[] {
    return this.#reach(entry, (from) => this.children(from));
  }

  #reach(start: MempoolEntry, next: (entry: MempoolEntry) => string[]): MempoolEntry[] {
    const seen = new Set<string>([start.txid]);
    const found: MempoolEntry[] = [];
    const open = [start];
    for (let entry = open.pop(); entry; entry = open.pop()) {
      for (const txid of next(entry)) {
        const reached = this.#entries.get(txid);
        if (reached === undefined || seen.has(txid)) continue;
        seen.add(txid);
        found.push(reached);
        open.push(reached);
      }
    }
    return found;
  }
}
