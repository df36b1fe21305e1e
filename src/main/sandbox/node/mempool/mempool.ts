import { formatOutpoint, type Outpoint, runSteps, type Steps, type Tx } from '../../../../chain/index.ts';
import { STEP_INPUTS } from '../consensus/validate.ts';
import type { NodeUtxo } from '../types.ts';
import { MempoolEntry } from './mempool-entry.ts';
import { outputOf } from './spent-outputs.ts';
import { paysFor, spentTxid, unpaidAncestors } from './unpaid.ts';

/** Number of parsed transactions cached for their spenders. */
const REMEMBERED = 32;

/** In-memory index of the table `node_mempool`, in arrival order, parents first. */
export class Mempool {
  #entries = new Map<string, MempoolEntry>();
  /** Spending txid by outpoint, including confirmed outpoints. */
  readonly #spenders = new Map<string, string>();
  /** Transactions that neither pay the mining fee nor have a child that pays for them: the node's secondary mempool. */
  readonly #unpaid = new Map<string, MempoolEntry>();
  /** Transactions for which a child pays the mining fee. */
  readonly #paidFor = new Map<string, readonly string[]>();
  /** Recently parsed transactions, newest last. */
  readonly #lastRead = new Map<string, Tx>();
  #bytes = 0;
  #lastSequence = -1;

  get size(): number {
    return this.#entries.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(txid: string): MempoolEntry | undefined {
    return this.#entries.get(txid);
  }

  has(txid: string): boolean {
    return this.#entries.has(txid);
  }

  /** In arrival order. */
  txids(): string[] {
    return [...this.#entries.keys()];
  }

  entries(): IterableIterator<MempoolEntry> {
    return this.#entries.values();
  }

  /** The mempool transaction that spends `<txid>_<vout>`. */
  spender(outpoint: string): MempoolEntry | undefined {
    const txid = this.#spenders.get(outpoint);
    return txid === undefined ? undefined : this.#entries.get(txid);
  }

  /** An output of a mempool transaction, spent or not; undefined if it is unspendable. */
  output(outpoint: Outpoint): NodeUtxo | undefined {
    return outputOf(this.#read(outpoint.txid), outpoint);
  }

  /** Parses with a cache, because a transaction with many spenders is large and often needed. */
  #read(txid: string): Tx | undefined {
    const tx = this.#lastRead.get(txid) ?? this.#entries.get(txid)?.tx;
    if (tx === undefined) return undefined;
    this.#lastRead.delete(txid);
    this.#lastRead.set(txid, tx);
    const [oldest] = this.#lastRead.keys();
    if (this.#lastRead.size > REMEMBERED && oldest !== undefined) this.#lastRead.delete(oldest);
    return tx;
  }

  /** A mempool transaction for which nobody pays the mining fee. */
  unpaid(txid: string): MempoolEntry | undefined {
    return this.#unpaid.get(txid);
  }

  /** Total bytes of transactions for which nobody pays the mining fee. */
  get unpaidBytes(): number {
    let bytes = 0;
    for (const { raw } of this.#unpaid.values()) bytes += raw.length;
    return bytes;
  }

  /** Recomputes who pays the mining fee, after unpaid ancestors were mined. */
  regroup(): void {
    for (const entry of [...this.#unpaid.values()]) runSteps(this.#group(entry));
  }

  *#group(entry: MempoolEntry): Steps<void> {
    this.#unpaid.delete(entry.txid);
    const group = yield* unpaidAncestors(entry.outpoints, (txid) => this.#unpaid.get(txid));
    if (!paysFor(entry, group)) {
      this.#unpaid.set(entry.txid, entry);
      return;
    }
    if (group.size === 0) return;
    const txids = [...group].map(({ txid }) => txid);
    this.#paidFor.set(entry.txid, txids);
    for (const txid of txids) this.#unpaid.delete(txid);
  }

  add(entry: MempoolEntry): void {
    runSteps(this.addInSteps(entry));
  }

  /** Same as {@link add}, in steps. The entry becomes visible at the last one. */
  *addInSteps(entry: MempoolEntry): Steps<void> {
    for (const [index, outpoint] of entry.outpoints.entries()) {
      if (index % STEP_INPUTS === STEP_INPUTS - 1) yield '';
      this.#spenders.set(outpoint, entry.txid);
    }
    yield* this.#group(entry);
    this.#entries.set(entry.txid, entry);
    this.#bytes += entry.raw.length;
    this.#lastSequence = Math.max(this.#lastSequence, entry.sequence);
  }

  /** Inserts the transactions of a disconnected block before all others, which may depend on them. */
  prepend(entries: readonly MempoolEntry[]): void {
    const behind = this.#entries;
    this.#entries = new Map();
    for (const entry of entries) this.add(entry);
    for (const [txid, entry] of behind) this.#entries.set(txid, entry);
  }

  get nextSequence(): number {
    return this.#lastSequence + 1;
  }

  get firstSequence(): number {
    const [first] = this.#entries.values();
    return first?.sequence ?? this.nextSequence;
  }

  /** Length of the longest chain of unconfirmed ancestors for these inputs. */
  ancestorsOf(outpoints: readonly string[]): number {
    return runSteps(this.ancestorsInSteps(outpoints));
  }

  /** Same as {@link ancestorsOf}, in steps. */
  *ancestorsInSteps(outpoints: readonly string[]): Steps<number> {
    let longest = 0;
    for (const [index, outpoint] of outpoints.entries()) {
      if (index % STEP_INPUTS === STEP_INPUTS - 1) yield '';
      const parent = this.#entries.get(spentTxid(outpoint));
      if (parent !== undefined) longest = Math.max(longest, parent.ancestors + 1);
    }
    return longest;
  }

  /** Recomputes ancestor counts and fee payers, after transactions were inserted before others. */
  recount(): void {
    this.#unpaid.clear();
    this.#paidFor.clear();
    for (const [txid, entry] of this.#entries) {
      const counted = new MempoolEntry({ ...entry, ancestors: this.ancestorsOf(entry.outpoints) });
      this.#entries.set(txid, counted);
      runSteps(this.#group(counted));
    }
  }

  remove(txid: string): void {
    const entry = this.#entries.get(txid);
    if (entry === undefined) return;
    this.#entries.delete(txid);
    this.#lastRead.delete(txid);
    for (const outpoint of entry.outpoints) this.#spenders.delete(outpoint);
    this.#bytes -= entry.raw.length;
    this.#unpaid.delete(txid);
    // transactions it paid for now need another child
    for (const paid of this.#paidFor.get(txid) ?? []) {
      const left = this.#entries.get(paid);
      if (left !== undefined) this.#unpaid.set(paid, left);
    }
    this.#paidFor.delete(txid);
  }

  /** Unconfirmed parents of an entry, sorted by txid. */
  parents(entry: MempoolEntry): string[] {
    return [...new Set(entry.outpoints.map(spentTxid))].filter((txid) => this.#entries.has(txid)).sort();
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
