import type { Satoshis, Steps, Tx } from '../../../../chain/index.ts';
import { inTurns, inTurnsIfLong, pause } from '../../../pause.ts';
import type { Store } from '../../../ports/store.ts';
import type { ChainTip } from '../chainstate/chainstate.ts';
import { isSameRules } from '../consensus/rule-sets.ts';
import type { ScriptCandidate, ScriptCheck, ScriptFinding } from '../consensus/script-check.ts';
import { checkFee, checkSpending, conflicting, isFinal, reject, STEP_INPUTS } from '../consensus/validate.ts';
import { deleteMempool, deleteNonFinal, insertRows } from '../storage/chain-store.ts';
import type { FrozenOutputs } from '../storage/frozen-outputs.ts';
import type { NodeTables } from '../storage/tables.ts';
import type { ConflictingTransaction, MempoolLimits, NodeUtxo, Rejection, SubmitResult } from '../types.ts';
import { type Candidate, readSpent, type SpentCoins } from './candidate.ts';
import { cheapest } from './eviction.ts';
import type { Mempool } from './mempool.ts';
import { MempoolEntry, mempoolRow } from './mempool-entry.ts';
import type { NonFinalEntry, NonFinalPool } from './nonfinal-pool.ts';
import { outputOf, spentBy } from './spent-outputs.ts';
import { paysFor, unpaidAncestors } from './unpaid.ts';

/** Work done ahead of the decision. Script results depend on the rule set only; the rest is valid until the tip changes. */
export interface Prepared extends SpentCoins {
  readonly tip: string;
  readonly findings: ReadonlyMap<string, ScriptFinding>;
}

/** A change to the pools other than an accepted transaction. */
export interface Removal {
  readonly entry: MempoolEntry;
  readonly reason: 'expired' | 'mempool-sizelimit-exceeded';
}

export interface AcceptanceOptions {
  readonly store: Store<NodeTables>;
  readonly mempool: Mempool;
  readonly nonFinal: NonFinalPool;
  readonly scripts: ScriptCheck;
  readonly limits: MempoolLimits;
  readonly frozen: FrozenOutputs;
  /** Milliseconds. */
  readonly now: () => number;
}

interface Staged {
  readonly entries: Map<string, MempoolEntry>;
  /** The same transactions, parsed. */
  readonly read: Map<string, Tx>;
  /** Entries that neither pay the mining fee nor have a child that pays for them. */
  readonly unpaid: Map<string, MempoolEntry>;
  /** Mempool transactions for which an entry pays the mining fee. */
  readonly paidFor: Set<string>;
  /** Spenders by outpoint, of both. */
  readonly spenders: Map<string, { readonly txid: string; readonly raw: Uint8Array }>;
  readonly waiting: Map<string, NonFinalEntry>;
  readonly replaced: Set<string>;
}

/** State of a transaction that passed all rules except its scripts. */
interface Standing {
  readonly candidate: Candidate;
  readonly replaces: NonFinalEntry | undefined;
  readonly final: boolean;
  readonly fee: Satoshis;
  readonly ancestors: number;
  /** Its unconfirmed ancestors for which nobody pays the mining fee. */
  readonly group: ReadonlySet<MempoolEntry>;
}

/** Decides what the mempool accepts. A batch is decided at once and stored in one database transaction. */
export class Acceptance {
  readonly #options: AcceptanceOptions;

  constructor(options: AcceptanceOptions) {
    this.#options = options;
  }

  /**
   * Runs the scripts of candidates whose spent outputs are already known. May run concurrently with other work.
   * @param candidates parents before children.
   */
  async prepare(candidates: readonly Candidate[], tip: ChainTip): Promise<Prepared> {
    const { mempool, store, scripts } = this.#options;
    const fresh = candidates.filter(({ txid }) => !mempool.has(txid));
    const own = new Map(fresh.map((candidate) => [candidate.txid, candidate.tx]));
    const { mined, coins } = await readSpent(store.db, fresh, mempool);
    const jobs: ScriptCandidate[] = [];
    for (const candidate of fresh) {
      await pause();
      const { txid, tx, raw } = candidate;
      if (mined.has(txid)) continue;
      const finding = spentBy(
        candidate,
        (outpoint, key) => mempool.output(outpoint) ?? outputOf(own.get(outpoint.txid), outpoint) ?? coins.get(key),
      );
      const found = inTurnsIfLong(finding);
      const spent = found instanceof Promise ? await found : found;
      if (spent !== undefined) jobs.push({ txid, tx, raw, spent });
    }
    const findings = await scripts.run(jobs, tip.height + 1);
    return {
      tip: tip.hash,
      mined,
      coins,
      findings: new Map(jobs.map(({ txid }, index) => [txid, findings[index] as ScriptFinding])),
    };
  }

  /** @param candidates parents before children. @returns a result for each, in order */
  async accept(
    candidates: readonly Candidate[],
    prepared: Prepared,
    tip: ChainTip,
  ): Promise<{ results: SubmitResult[]; accepted: MempoolEntry[]; removed: Removal[] }> {
    const { mempool, nonFinal, store } = this.#options;
    const { mined, coins } = prepared.tip === tip.hash ? prepared : await readSpent(store.db, candidates, mempool);
    const staged: Staged = {
      entries: new Map(),
      read: new Map(),
      unpaid: new Map(),
      paidFor: new Set(),
      spenders: new Map(),
      waiting: new Map(),
      replaced: new Set(),
    };
    const results: SubmitResult[] = [];
    for (const candidate of candidates) {
      await pause();
      const { txid } = candidate;
      const waits = nonFinal.has(txid) && candidate.promoted !== true;
      if (waits || mempool.has(txid) || mined.has(txid)) {
        results.push({ ok: true, txid, known: true });
        continue;
      }
      const judged = inTurnsIfLong(this.#judge(candidate, coins, prepared.findings, staged, tip));
      // most need no waiting, and awaiting nothing takes time too
      const rejection = judged instanceof Promise ? await judged : judged;
      if (rejection !== undefined) results.push({ ok: false, txid, ...rejection });
      else results.push(staged.waiting.has(txid) ? { ok: true, txid, nonFinal: true } : { ok: true, txid });
    }
    const entries = [...staged.entries.values()];
    await this.#store(staged, entries);
    const removed = await this.#trim();
    const gone = new Set(removed.map(({ entry }) => entry.txid));
    for (const [index, result] of results.entries()) {
      if (result.ok && result.known !== true && gone.has(result.txid)) {
        results[index] = { ok: false, txid: result.txid, code: reject.fee, reason: 'mempool full' };
      }
    }
    return {
      results,
      accepted: entries.filter(({ txid }) => !gone.has(txid)),
      removed,
    };
  }

  async expire(): Promise<Removal[]> {
    const { mempool, nonFinal, limits, now } = this.#options;
    const oldest = now() - limits.expiryMs;
    const doomed = new Map<string, MempoolEntry>();
    for (const entry of mempool.entries()) {
      if (entry.time >= oldest || doomed.has(entry.txid)) continue;
      for (const one of [entry, ...mempool.descendants(entry)]) doomed.set(one.txid, one);
    }
    await this.#delete([...doomed.values()]);
    const stale = [...nonFinal.entries()].filter(({ time }) => time < now() - limits.nonFinalExpiryMs);
    await this.forgetNonFinal(stale.map(({ txid }) => txid));
    return [...doomed.values()].map((entry) => ({ entry, reason: 'expired' }));
  }

  /** Removes transactions from the non-final pool. */
  async forgetNonFinal(txids: readonly string[]): Promise<void> {
    const { nonFinal, store } = this.#options;
    if (txids.length === 0) return;
    await deleteNonFinal(store.db, txids);
    for (const txid of txids) nonFinal.remove(txid);
  }

  *#judge(
    candidate: Candidate,
    coins: ReadonlyMap<string, NodeUtxo>,
    findings: ReadonlyMap<string, ScriptFinding>,
    staged: Staged,
    tip: ChainTip,
  ): Steps<Rejection | undefined | Promise<Rejection | undefined>> {
    const { mempool, nonFinal, limits, scripts, frozen } = this.#options;
    const { txid, tx, raw, outpoints, options } = candidate;
    const height = tip.height + 1;
    const final = isFinal(tx, height, tip.medianTime);
    const conflict = yield* this.#conflict(candidate, staged);
    if (conflict) return conflict;
    const promoted = candidate.promoted === true ? nonFinal.get(txid) : undefined;
    const replacement = promoted ? { replaces: promoted } : nonFinal.replacement(tx, final);
    if ('code' in replacement) return replacement;
    if (!final) {
      const refusal = nonFinal.refusal(tx, raw);
      if (refusal) return refusal;
    }
    const spent = yield* spentBy(candidate, (outpoint, key) =>
      staged.read.has(outpoint.txid)
        ? outputOf(staged.read.get(outpoint.txid), outpoint)
        : (mempool.output(outpoint) ?? coins.get(key)),
    );
    if (spent === undefined) return { code: reject.invalid, reason: 'missing-inputs' };
    if (outpoints.some((outpoint) => frozen.listOf(outpoint) !== undefined))
      return { code: reject.invalid, reason: 'bad-txns-inputs-frozen' };
    const fee = checkSpending(tx, spent, height);
    if (typeof fee !== 'number') return fee;
    const tooCheap = options.checkFee === false ? undefined : checkFee(tx, fee, options.minimumRate);
    if (outpoints.length > STEP_INPUTS) yield '';
    if (tooCheap) return tooCheap;
    if (fee > (options.maxFee ?? Number.POSITIVE_INFINITY)) {
      return { code: reject.highFee, reason: 'absurdly-high-fee' };
    }
    let ancestors = yield* mempool.ancestorsInSteps(outpoints);
    for (const [index, input] of tx.inputs.entries()) {
      if (index % STEP_INPUTS === STEP_INPUTS - 1) yield '';
      ancestors = Math.max(ancestors, (staged.entries.get(input.txid)?.ancestors ?? -1) + 1);
    }
    const group = yield* unpaidAncestors(outpoints, (parent) =>
      staged.paidFor.has(parent) ? undefined : (staged.unpaid.get(parent) ?? mempool.unpaid(parent)),
    );
    if (ancestors >= limits.maxAncestors || group.size >= limits.maxUnpaidAncestors) {
      return { code: reject.nonStandard, reason: 'too-long-mempool-chain' };
    }
    const standing: Standing = { candidate, replaces: replacement.replaces, final, fee, ancestors, group };
    const job = { txid, tx, raw, spent };
    const finding = findings.get(txid);
    if (finding !== undefined && isSameRules(finding.rules, scripts.rules(job, height))) {
      return yield* this.#stage(standing, finding, staged, tip);
    }
    return scripts.run([job], height).then(([late]) => inTurns(this.#stage(standing, late, staged, tip)));
  }

  /** Accepts a transaction that passed all other rules, if its scripts succeed. */
  *#stage(
    { candidate, replaces, final, fee, ancestors, group }: Standing,
    finding: ScriptFinding | undefined,
    staged: Staged,
    tip: ChainTip,
  ): Steps<Rejection | undefined> {
    const { mempool, now } = this.#options;
    const { txid, tx, raw, outpoints } = candidate;
    if (finding === undefined) throw new Error('no scripts were run');
    if (finding.rejection) return finding.rejection;
    if (replaces) staged.replaced.add(replaces.txid);
    for (const [index, outpoint] of outpoints.entries()) {
      if (index % STEP_INPUTS === STEP_INPUTS - 1) yield '';
      staged.spenders.set(outpoint, candidate);
    }
    if (!final) {
      staged.waiting.set(txid, { txid, tx, raw, fee, time: now() });
      return undefined;
    }
    const entry = new MempoolEntry({
      txid,
      raw,
      outpoints,
      fee,
      time: now(),
      height: tip.height,
      sequence: mempool.nextSequence + staged.entries.size,
      ancestors,
    });
    staged.entries.set(txid, entry);
    staged.read.set(txid, tx);
    if (!paysFor(entry, group)) staged.unpaid.set(txid, entry);
    else for (const paid of group) staged.paidFor.add(paid.txid);
    return undefined;
  }

  *#conflict({ outpoints, rivals }: Candidate, staged: Staged): Steps<Rejection | undefined> {
    let standing: Map<string, ConflictingTransaction> | undefined;
    let together = false;
    for (const [index, key] of outpoints.entries()) {
      if (index % STEP_INPUTS === STEP_INPUTS - 1) yield '';
      const inBatch = staged.spenders.get(key);
      const spender = inBatch ?? this.#options.mempool.spender(key);
      if (spender === undefined) continue;
      standing ??= new Map();
      standing.set(spender.txid, conflicting(spender));
      together ||= inBatch !== undefined || rivals.includes(spender.txid);
    }
    if (standing === undefined) return undefined;
    const conflictedWith = [...standing.values()];
    // the node distinguishes conflicts within a batch from conflicts with the mempool
    return together
      ? { code: reject.duplicate, reason: 'txn-double-spend-detected', conflictedWith }
      : { code: reject.conflict, reason: 'txn-mempool-conflict', conflictedWith };
  }

  async #store({ waiting, replaced }: Staged, entries: readonly MempoolEntry[]): Promise<void> {
    const { store, mempool, nonFinal } = this.#options;
    if (entries.length === 0 && waiting.size === 0) return;
    await store.db.transaction().execute(async (db) => {
      await insertRows(db, 'node_mempool', entries.map(mempoolRow));
      await deleteNonFinal(db, [...replaced]);
      for (const { txid, raw, fee, time } of waiting.values()) {
        await db.insertInto('node_nonfinal').values({ txid, raw, fee, time }).execute();
      }
    });
    for (const txid of replaced) nonFinal.remove(txid);
    for (const entry of waiting.values()) nonFinal.add(entry);
    await pause();
    for (const entry of entries) {
      const adding = inTurnsIfLong(mempool.addInSteps(entry));
      if (adding instanceof Promise) await adding;
    }
    await pause();
  }

  /** Evicts the packages with the lowest fee rates until the mempool fits. */
  async #trim(): Promise<Removal[]> {
    const { mempool, limits } = this.#options;
    if (mempool.bytes <= limits.maxBytes) return [];
    const doomed = await cheapest(mempool, mempool.bytes - limits.maxBytes);
    await this.#delete(doomed);
    return doomed.map((entry) => ({ entry, reason: 'mempool-sizelimit-exceeded' }));
  }

  async #delete(entries: readonly MempoolEntry[]): Promise<void> {
    if (entries.length === 0) return;
    const { store, mempool } = this.#options;
    const txids = entries.map(({ txid }) => txid);
    await store.db.transaction().execute((db) => deleteMempool(db, txids));
    for (const txid of txids) mempool.remove(txid);
  }
}
