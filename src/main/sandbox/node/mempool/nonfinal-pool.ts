import { FINAL_SEQUENCE, formatOutpoint, type Satoshis, type Tx } from '../../../../chain/index.ts';
import { policy } from '../consensus/consensus.ts';
import { conflicting, reject } from '../consensus/validate.ts';
import type { ConflictingTransaction, Rejection } from '../types.ts';

/** A transaction that waits for its lock time. */
export interface NonFinalEntry {
  readonly txid: string;
  readonly tx: Tx;
  readonly raw: Uint8Array;
  readonly fee: Satoshis;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly time: number;
}

/**
 * Transactions that are not final yet. One can be replaced by another that spends the same outputs with higher sequence numbers. Once
 * all its inputs are final it moves to the mempool. Mirrors the table `node_nonfinal`.
 */
export class NonFinalPool {
  readonly #entries = new Map<string, NonFinalEntry>();
  readonly #spenders = new Map<string, string>();
  #bytes = 0;

  get size(): number {
    return this.#entries.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(txid: string): NonFinalEntry | undefined {
    return this.#entries.get(txid);
  }

  has(txid: string): boolean {
    return this.#entries.has(txid);
  }

  entries(): IterableIterator<NonFinalEntry> {
    return this.#entries.values();
  }

  add(entry: NonFinalEntry): void {
    this.#entries.set(entry.txid, entry);
    for (const input of entry.tx.inputs) this.#spenders.set(formatOutpoint(input), entry.txid);
    this.#bytes += entry.raw.length;
  }

  remove(txid: string): void {
    const entry = this.#entries.get(txid);
    if (entry === undefined) return;
    this.#entries.delete(txid);
    for (const input of entry.tx.inputs) this.#spenders.delete(formatOutpoint(input));
    this.#bytes -= entry.raw.length;
  }

  /** Entries that spend an output of this transaction's inputs. */
  rivals(tx: Tx): NonFinalEntry[] {
    if (this.#entries.size === 0) return [];
    const txids = new Set(tx.inputs.map((input) => this.#spenders.get(formatOutpoint(input))));
    return [...txids].flatMap((txid) => this.#entries.get(txid ?? '') ?? []);
  }

  /**
   * Determines what a transaction would replace in this pool.
   * @returns the replaced entry, undefined for none, or the rejection
   */
  replacement(tx: Tx, final: boolean): { readonly replaces: NonFinalEntry | undefined } | Rejection {
    const rivals = this.rivals(tx);
    const [rival] = rivals;
    if (rival === undefined) return { replaces: undefined };
    const problem = rivals.length > 1 ? 'bad-txn-update' : updateProblem(rival.tx, tx);
    if (problem === undefined) return { replaces: rival };
    if (!final) return { code: reject.invalid, reason: problem };
    const conflictedWith: ConflictingTransaction[] = rivals.map(conflicting);
    return { code: reject.conflict, reason: 'txn-mempool-conflict', conflictedWith };
  }

  /** Why a transaction cannot enter this pool. */
  refusal(tx: Tx, raw: Uint8Array): Rejection | undefined {
    if (tx.inputs.some(({ txid }) => this.#entries.has(txid))) {
      return { code: reject.nonStandard, reason: 'too-long-non-final-chain' };
    }
    return this.#bytes + raw.length > policy.maxNonFinalBytes
      ? { code: reject.full, reason: 'non-final-pool-full' }
      : undefined;
  }
}

function updateProblem(old: Tx, update: Tx): string | undefined {
  const matches =
    old.inputs.length === update.inputs.length &&
    update.inputs.every((input, index) => {
      const before = old.inputs[index];
      return (
        before !== undefined && formatOutpoint(before) === formatOutpoint(input) && input.sequence >= before.sequence
      );
    });
  const rises = update.inputs.some(({ sequence }, index) => sequence > (old.inputs[index]?.sequence ?? FINAL_SEQUENCE));
  return matches && rises ? undefined : 'bad-txn-update';
}
