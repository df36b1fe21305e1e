import type { Logger } from 'pino';
import { type Outpoint, parseTx, type Satoshis, serializeTx, txidOf } from '../../../chain/index.ts';
import { PlanchetError } from '../../../contract/index.ts';
import { inTurnsIfLong } from '../../pause.ts';
import type { Clock } from '../../ports/clock.ts';
import { blockFrom } from './chainstate/chainstate.ts';
import { BlockRejectedError } from './consensus/blocks.ts';
import { isFinal } from './consensus/validate.ts';
import { type BlockOrigin, NodeEvents } from './events.ts';
import type { ChainStep, Ledger } from './ledger.ts';
import type { Acceptance, Prepared, Removal } from './mempool/acceptance.ts';
import { SerialQueue } from './mempool/admission.ts';
import type { Candidate } from './mempool/candidate.ts';
import { candidateOf, type Submission, SubmissionReader } from './mempool/submission-reader.ts';
import { BlockMaker } from './mining/block-maker.ts';
import type { Faucet } from './mining/faucet.ts';
import type { SandboxNodeOptions } from './node-options.ts';
import { type NodeParts, openNodeParts } from './node-parts.ts';
import { NodeQueries } from './queries.ts';
import { blockAtHeight, blockByHash } from './storage/chain-store.ts';
import type { FrozenOutputs } from './storage/frozen-outputs.ts';
import type {
  BlockResult,
  DisconnectListener,
  MempoolLimits,
  NodeTransaction,
  NodeUtxo,
  RefusalListener,
  RemovalListener,
  SubmitOptions,
  SubmitResult,
  TipListener,
  TransactionsListener,
} from './types.ts';

export type { Submission } from './mempool/submission-reader.ts';
export type { SandboxNodeOptions } from './node-options.ts';
export { type NodeTables, nodeMigrations } from './storage/tables.ts';
export type * from './types.ts';

/** Minimum interval between expiry checks; scanning the mempool for every arrival would be too slow. */
const EXPIRY_CHECK_MS = 60_000;

/**
 * The node of the sandbox network: an in-process regtest chain with a mempool, persisted in the store. State changes run one after the
 * other; each is stored before listeners are notified.
 */
export class SandboxNode extends NodeQueries {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits: MempoolLimits;
  /** Outputs whose spending the mempool refuses. */
  readonly frozen: FrozenOutputs;
  readonly #keeps: () => number | undefined;
  readonly #faucet: Faucet;
  readonly #ledger: Ledger;
  readonly #acceptance: Acceptance;
  readonly #events: NodeEvents;
  readonly #reader: SubmissionReader;
  readonly #blocks: BlockMaker;
  readonly #queue = new SerialQueue();
  #closed = false;
  #expiredAt = 0;

  /** Opens the stored chain. An empty store gets a new chain of 120 blocks, the first ten of which pay `genesis.wallet`. */
  static async open(options: SandboxNodeOptions): Promise<SandboxNode> {
    return new SandboxNode(options, await openNodeParts(options));
  }

  private constructor(options: SandboxNodeOptions, parts: NodeParts) {
    super({ db: options.store.db, ...parts });
    this.clock = options.clock;
    this.logger = options.logger;
    this.#keeps = options.keeps ?? (() => undefined);
    this.limits = parts.limits;
    this.frozen = parts.frozen;
    this.#faucet = parts.faucet;
    this.#ledger = parts.ledger;
    this.#acceptance = parts.acceptance;
    const now = () => this.clock.now();
    this.#events = new NodeEvents(options.logger, now);
    this.#reader = new SubmissionReader({
      acceptance: parts.acceptance,
      tip: () => this.#ledger.tip,
      now,
      onRefused: (refused) => this.#events.refusals.tell(refused),
    });
    this.#blocks = new BlockMaker({ ledger: parts.ledger, mempool: parts.mempool, now });
  }

  /** Lowest height whose transactions the node reports to have; 0 unless the option `keeps` is set. */
  lowestKept(): number {
    const keeps = this.#keeps();
    return keeps === undefined ? 0 : Math.max(0, this.tip().height - keeps + 1);
  }

  /**
   * Validates a transaction and adds it to the mempool. Transactions are decided in call order.
   * @returns a rejection as a value, with the node's code and reason.
   */
  async submit(raw: Uint8Array, options: SubmitOptions = {}): Promise<SubmitResult> {
    const [result] = await this.submitBatch([raw], options);
    return result as SubmitResult;
  }

  /**
   * Validates transactions and adds the valid ones to the mempool, in one step and one database transaction. They may depend on each other
   * in any order; a duplicate is `known` the second time.
   * @returns a result for each, in the order given
   */
  async submitBatch(submissions: readonly Submission[], options: SubmitOptions = {}): Promise<SubmitResult[]> {
    // scripts run now, concurrently with other work; the decision waits for them
    const reading = this.#reader.read(submissions, options);
    reading.catch(() => undefined);
    try {
      return await this.#exclusive(async () => {
        const batch = await reading;
        return batch.results(await this.#take(batch.candidates, await batch.prepared));
      });
    } finally {
      await (await reading).release();
    }
  }

  /** Decides candidates, and then the orphans that waited for them. */
  async #take(candidates: readonly Candidate[], prepared: Prepared): Promise<SubmitResult[]> {
    if (this.clock.now() - this.#expiredAt >= EXPIRY_CHECK_MS) this.#events.removed(await this.#expire());
    const results = await this.#decide(candidates, prepared);
    await this.#adopt(taken(results));
    return results;
  }

  /** Submits the orphans of these parents, and recursively their orphans. */
  async #adopt(parents: Iterable<string>): Promise<void> {
    let orphans = this.orphans.waitingFor(parents);
    while (orphans.length > 0) {
      const prepared = await this.#acceptance.prepare(orphans, this.#ledger.tip);
      orphans = this.orphans.waitingFor(taken(await this.#decide(orphans, prepared)));
    }
  }

  async #decide(candidates: readonly Candidate[], prepared: Prepared): Promise<SubmitResult[]> {
    const { results, accepted, removed } = await this.#acceptance.accept(candidates, prepared, this.#ledger.tip);
    if (accepted.length > 0) this.#events.transactions.tell(accepted);
    this.#events.removed(removed);
    for (const [index, result] of results.entries()) {
      if (result.ok) continue;
      const telling = inTurnsIfLong(this.#reader.refuse(candidates[index] as Candidate, result));
      if (telling instanceof Promise) await telling;
    }
    await this.orphans.settle(candidates, results);
    return results;
  }

  /**
   * Mines blocks immediately, each with the waiting transactions.
   * @param payTo locking script of the coinbases; defaults to the faucet's.
   * @returns their hashes in order.
   */
  async mine(blocks: number, payTo: Uint8Array = this.#faucet.lockingScript): Promise<string[]> {
    const hashes: string[] = [];
    while (hashes.length < blocks) {
      hashes.push(
        await this.#exclusive(async () => {
          // completes a change that failed midway, such as on a full disk
          await this.#changed(await this.#ledger.activate());
          const block = await this.#blocks.next(payTo);
          await this.#changed(await this.#ledger.extend(block));
          return block.hash;
        }),
      );
    }
    return hashes;
  }

  /**
   * Replaces the newest blocks by a branch that is one block longer. Their transactions return to the mempool, except those that conflict
   * with `transactions`.
   * @param depth number of replaced blocks, at least one.
   * @param options.transactions contents of the branch's first block, parents before children; they need not be in the mempool.
   * @returns hashes of the new blocks in order
   * @throws PlanchetError `invalid-input` if the chain is shorter than `depth` or a block may not contain the transactions
   */
  async reorg(depth: number, options: { readonly transactions?: readonly Uint8Array[] } = {}): Promise<string[]> {
    const transactions = (options.transactions ?? []).map((raw) => ({ txid: txidOf(raw), tx: parseTx(raw), raw }));
    return this.#exclusive(async () => {
      const { height, hash: oldTip } = this.#ledger.tip;
      if (!Number.isSafeInteger(depth) || depth < 1 || depth >= height) {
        throw new PlanchetError('sandbox.reorg-depth', { depth, most: height - 1 });
      }
      const fork = await blockAtHeight(this.db, height - depth);
      const hashes: string[] = [];
      let previousHash = fork?.hash ?? oldTip;
      for (let made = 0; made <= depth; made++) {
        const contents = made === 0 ? transactions : [];
        previousHash = await this.#blocks.beside(previousHash, this.#faucet.lockingScript, contents);
        hashes.push(previousHash);
      }
      await this.#changed(await this.#ledger.activate());
      if (this.#ledger.tip.hash === previousHash) return hashes;
      throw new PlanchetError('sandbox.branch-invalid');
    });
  }

  /** Submits a serialised block from outside, on the tip or on a branch. */
  submitBlock(raw: Uint8Array): Promise<BlockResult> {
    const bytes = Uint8Array.from(raw);
    return this.#exclusive(async () => {
      const block = blockFrom(bytes);
      if (block === undefined) return { ok: false, hash: null, reason: 'bad-block' };
      const { hash } = block;
      if (await this.#ledger.has(hash)) {
        return { ok: false, hash, reason: this.#ledger.isInvalid(hash) ? 'duplicate-invalid' : 'duplicate' };
      }
      const origin = { hash, source: 'submitblock' } as const;
      try {
        await this.#ledger.keep(block);
      } catch (error) {
        if (!(error instanceof BlockRejectedError)) throw error;
        const previous = await this.#ledger.context(block.header.previousHash);
        this.#events.refusedBlock({ block, height: (previous?.height ?? -1) + 1, error }, origin);
        return { ok: false, hash, reason: error.reason };
      }
      await this.#changed(await this.#ledger.activate(), origin);
      const failure = this.#ledger.failureOf(hash);
      if (failure !== undefined) return { ok: false, hash, reason: failure };
      return { ok: true, hash, active: this.#ledger.sideBlock(hash) === undefined };
    });
  }

  /**
   * Invalidates a block and its descendants, and activates the best other branch.
   * @returns false for an unknown block and for the genesis block
   */
  invalidateBlock(hash: string): Promise<boolean> {
    return this.#exclusive(async () => {
      const known = this.#ledger.sideBlock(hash) ?? (await blockByHash(this.db, hash));
      if (known === undefined || known.height === 0) return false;
      await this.#changed(await this.#ledger.invalidate(hash));
      return true;
    });
  }

  /** Reverts {@link invalidateBlock}. @returns false for an unknown block */
  reconsiderBlock(hash: string): Promise<boolean> {
    return this.#exclusive(async () => {
      if (!(await this.#ledger.has(hash))) return false;
      await this.#changed(await this.#ledger.reconsider(hash), { hash, source: 'reconsiderblock' });
      return true;
    });
  }

  /**
   * Pays from the faucet.
   * @returns the txid.
   * @throws PlanchetError `invalid-input` for a zero amount, `funds-insufficient` if the faucet's coins do not suffice.
   */
  fund(lockingScript: Uint8Array, amount: Satoshis): Promise<string> {
    return this.#exclusive(async () => {
      const coins = await this.spendable(this.#faucet.lockingScript);
      const tx = this.#faucet.pay(lockingScript, amount, coins);
      const raw = serializeTx(tx);
      const candidate = candidateOf({ txid: txidOf(raw), tx, raw }, { source: 'wallet' });
      const prepared = await this.#acceptance.prepare([candidate], this.#ledger.tip);
      const [result] = await this.#take([candidate], prepared);
      if (result?.ok) return result.txid;
      throw new PlanchetError('sandbox.faucet-refused', { reason: result?.reason ?? '' });
    });
  }

  /** Drops expired transactions; also done on every change of the chain. */
  expire(): Promise<void> {
    return this.#exclusive(async () => this.#events.removed(await this.#expire()));
  }

  /** Adds a listener for every new tip, called after it is stored. @returns a function that removes it. */
  onTip(listener: TipListener): () => void {
    return this.#events.tips.add(listener);
  }

  /** Adds a listener for accepted transactions, called after they are stored. @returns a function that removes it. */
  onTransactions(listener: TransactionsListener): () => void {
    return this.#events.transactions.add(listener);
  }

  /** Adds a listener for every disconnected block, newest first. @returns a function that removes it. */
  onDisconnect(listener: DisconnectListener): () => void {
    return this.#events.disconnects.add(listener);
  }

  /** Adds a listener for every transaction that leaves the mempool without being mined. @returns a function that removes it. */
  onRemoved(listener: RemovalListener): () => void {
    return this.#events.removals.add(listener);
  }

  /** Adds a listener for every refused transaction. @returns a function that removes it. */
  onRefused(listener: RefusalListener): () => void {
    return this.#events.refusals.add(listener);
  }

  /** Finishes pending work and refuses new work. The store stays open. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#queue.idle();
  }

  override transaction(txid: string): Promise<NodeTransaction | undefined> {
    return this.#found(() => super.transaction(txid));
  }

  override utxo(outpoint: Outpoint, includeMempool: boolean): Promise<NodeUtxo | undefined> {
    return this.#found(() => super.utxo(outpoint, includeMempool));
  }

  /**
   * Repeats a failed search after pending changes: while a block is connected or disconnected, its transactions are briefly in neither
   * chain nor mempool.
   */
  async #found<T>(seek: () => Promise<T | undefined>): Promise<T | undefined> {
    return (await seek().catch(() => undefined)) ?? this.#queue.run(seek);
  }

  /** Serialises state changes in call order: script checks are asynchronous and must not interleave with blocks. */
  #exclusive<T>(change: () => Promise<T>): Promise<T> {
    if (this.#closed) return Promise.reject(new PlanchetError('sandbox.node-stopped'));
    return this.#queue.run(change);
  }

  /** Reports a chain change and updates the waiting transactions accordingly. */
  async #changed(steps: readonly ChainStep[], origin?: BlockOrigin): Promise<void> {
    this.#events.chain(steps, origin);
    if (steps.length === 0) return;
    await this.#promote();
    await this.#adopt(
      steps.flatMap((step) => (step.kind === 'connected' ? step.block.transactions.map(({ txid }) => txid) : [])),
    );
    this.#events.removed(await this.#expire());
  }

  #expire(): Promise<Removal[]> {
    this.#expiredAt = this.clock.now();
    this.orphans.expire();
    return this.#acceptance.expire();
  }

  /** Moves transactions whose lock time has passed to the mempool, and drops those that can never be mined. */
  async #promote(): Promise<void> {
    if (this.nonFinal.size === 0) return;
    const { tip } = this.#ledger;
    const due = [...this.nonFinal.entries()].filter(({ tx }) => isFinal(tx, tip.height + 1, tip.medianTime));
    // the fee rule was applied at their arrival
    const options = { checkFee: false, source: 'finalised' } as const;
    const candidates = due.map((entry) => ({ ...candidateOf(entry, options), promoted: true }));
    const results = await this.#take(candidates, await this.#acceptance.prepare(candidates, tip));
    await this.#acceptance.forgetNonFinal(results.flatMap((result) => (result.ok ? [] : (result.txid ?? []))));
  }
}

function taken(results: readonly SubmitResult[]): string[] {
  return results.flatMap((result) => (result.ok ? result.txid : []));
}
