import { readTransaction } from '../consensus/validate.ts';
import { minedAmong } from '../storage/chain-store.ts';
import type { NodeDb } from '../storage/tables.ts';
import type { MempoolLimits, SubmitOptions, SubmitResult } from '../types.ts';
import type { Candidate } from './candidate.ts';
import type { Mempool } from './mempool.ts';
import { candidateOf } from './submission-reader.ts';

interface Orphan {
  readonly txid: string;
  readonly raw: Uint8Array;
  readonly options: SubmitOptions;
  /** Its parents that were unknown at arrival. */
  readonly parents: readonly string[];
  /** Milliseconds since 1970-01-01 UTC. */
  readonly time: number;
}

export interface OrphanPoolOptions {
  readonly db: NodeDb;
  readonly mempool: Mempool;
  readonly limits: MempoolLimits;
  /** Milliseconds. */
  readonly now: () => number;
}

/**
 * Transactions refused for an unknown parent, held for a while in case it arrives. In memory and bounded, because such parents can be
 * invented: the oldest are evicted first.
 */
export class OrphanPool {
  readonly #options: OrphanPoolOptions;
  /** In arrival order. */
  readonly #orphans = new Map<string, Orphan>();
  /** Orphans by missing parent. */
  readonly #waiting = new Map<string, Set<string>>();
  #bytes = 0;

  constructor(options: OrphanPoolOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#orphans.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  has(txid: string): boolean {
    return this.#orphans.has(txid);
  }

  /** Adds candidates with missing parents and removes decided ones. @param results one for each candidate */
  async settle(candidates: readonly Candidate[], results: readonly SubmitResult[]): Promise<void> {
    const missing: Candidate[] = [];
    for (const [index, candidate] of candidates.entries()) {
      const result = results[index];
      if (result === undefined || result.ok || result.reason !== 'missing-inputs') this.#remove(candidate.txid);
      // RPC clients get an error and can retry
      else if (candidate.options.source === 'p2p') missing.push(candidate);
    }
    if (missing.length === 0) return;
    const { db, mempool, limits, now } = this.#options;
    const parentsOf = new Map(
      missing.map(({ txid, tx }) => [txid, [...new Set(tx.inputs.map((input) => input.txid))]]),
    );
    // the output of a known transaction is spent or never existed, so waiting is pointless
    const mined = await minedAmong(db, [...new Set([...parentsOf.values()].flat())]);
    for (const { txid, raw, options } of missing) {
      const parents = (parentsOf.get(txid) ?? []).filter((parent) => !mempool.has(parent) && !mined.has(parent));
      if (parents.length === 0) this.#remove(txid);
      else if (!this.#orphans.has(txid)) this.#add({ txid, raw, options, parents, time: now() });
    }
    for (const [txid] of this.#orphans) {
      if (this.#bytes <= limits.maxOrphanBytes) break;
      this.#remove(txid);
    }
  }

  /** @returns orphans of these transactions; they stay until they are settled */
  waitingFor(txids: Iterable<string>): Candidate[] {
    if (this.#orphans.size === 0) return [];
    const found = new Map<string, Candidate>();
    for (const parent of txids) {
      for (const txid of this.#waiting.get(parent) ?? []) {
        const { raw, options } = this.#orphans.get(txid) as Orphan;
        const tx = readTransaction(raw);
        if (!('code' in tx)) found.set(txid, candidateOf({ txid, tx, raw }, options));
      }
    }
    return [...found.values()];
  }

  expire(): void {
    const { limits, now } = this.#options;
    for (const { txid, time } of this.#orphans.values()) {
      if (time < now() - limits.orphanExpiryMs) this.#remove(txid);
    }
  }

  #add(orphan: Orphan): void {
    this.#orphans.set(orphan.txid, orphan);
    this.#bytes += orphan.raw.length;
    for (const parent of orphan.parents) {
      const waiting = this.#waiting.get(parent);
      if (waiting === undefined) this.#waiting.set(parent, new Set([orphan.txid]));
      else waiting.add(orphan.txid);
    }
  }

  #remove(txid: string): void {
    const orphan = this.#orphans.get(txid);
    if (orphan === undefined) return;
    this.#orphans.delete(txid);
    this.#bytes -= orphan.raw.length;
    for (const parent of orphan.parents) {
      const waiting = this.#waiting.get(parent);
      waiting?.delete(txid);
      if (waiting?.size === 0) this.#waiting.delete(parent);
    }
  }
}
