import type { PrivateKey } from '@bsv/sdk';
import {
  addSatoshis,
  ChainError,
  formatOutpoint,
  merkleBranch,
  type Outpoint,
  parseTx,
  plainBytes,
  type Satoshis,
  satoshis,
  serializeTx,
  toHex,
  txidOf,
  type Utxo,
} from '../../../chain/index.ts';
import { PlanchetError, type Tip } from '../../../contract/index.ts';
import type { Clock, Logger, Store } from '../../ports.ts';
import { Acceptance, type Candidate, defaultLimits, parentsFirst, type Removal } from './acceptance.ts';
import { Claims, SerialQueue } from './admission.ts';
import { BlockRejectedError, type BlockTransaction, makeBlock, type NewBlock, serializeNewBlock } from './blocks.ts';
import {
  blockAtHeight,
  blockByHash,
  blockTxids,
  findUtxos,
  locateTransaction,
  mempoolRows,
  minedTransaction,
  type NodeDb,
  utxosPaying,
} from './chain-store.ts';
import { buildFirstChain, type ChainTip, readBlock } from './chainstate.ts';
import { COINBASE_MATURITY, policy, subsidyAt } from './consensus.ts';
import { Faucet } from './faucet.ts';
import { type ChainStep, Ledger, storedTip } from './ledger.ts';
import { Mempool, type MempoolEntry } from './mempool.ts';
import { NonFinalPool } from './nonfinal-pool.ts';
import { Pause } from './pause.ts';
import type { NodeTables } from './tables.ts';
import type {
  BlockResult,
  ChainEnd,
  DisconnectListener,
  MempoolLimits,
  NodeProof,
  NodeTransaction,
  NodeUtxo,
  RefusalListener,
  Rejection,
  RemovalListener,
  RemovedTransaction,
  ScriptJob,
  SubmitOptions,
  SubmitResult,
  TipListener,
  TransactionListener,
  VerifyBatch,
  VerifyScripts,
} from './types.ts';
import { checkStandard, checkTransaction, isFinal, readTransaction } from './validate.ts';

export { type NodeTables, nodeMigrations } from './tables.ts';
export type * from './types.ts';

export interface SandboxNodeOptions {
  /** Opened with {@link nodeMigrations} among its migrations and `synchronous: 'full'`; whoever opened it closes it after the node. */
  readonly store: Store<NodeTables>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly verify: VerifyScripts;
  /** Runs the scripts of many transactions at once; left out, `verify` is called for each. */
  readonly verifyBatch?: VerifyBatch;
  /** Bounds of the mempool other than those of the policy. */
  readonly limits?: Partial<MempoolLimits>;
  readonly genesis: {
    /** Locking script that the first ten blocks of a new chain pay. */
    readonly wallet: Uint8Array;
    /** Owner of all other coins. */
    readonly faucet: PrivateKey;
  };
}

/** Looking through all waiting transactions with every one that comes would be too slow. */
const EXPIRY_CHECK_MS = 60_000;

/**
 * The node of the sandbox network: a regtest chain with its mempool, in process and kept in the store. State changes happen one after
 * the other; each is in the database before anybody is told of it.
 */
export class SandboxNode {
  /** What the RPC commands read directly. */
  readonly db: NodeDb;
  readonly mempool: Mempool;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Transactions that wait for their lock time. */
  readonly nonFinal: NonFinalPool;
  readonly #faucet: Faucet;
  readonly #ledger: Ledger;
  readonly #acceptance: Acceptance;
  readonly #tipListeners = new Set<TipListener>();
  readonly #transactionListeners = new Set<TransactionListener>();
  readonly #disconnectListeners = new Set<DisconnectListener>();
  readonly #removalListeners = new Set<RemovalListener>();
  readonly #refusalListeners = new Set<RefusalListener>();
  readonly #claims = new Claims();
  readonly #queue = new SerialQueue();
  #closed = false;
  #expiredAt = 0;

  /** Opens the chain in the store; an empty store gets a new chain of 120 blocks, the first ten of which pay `genesis.wallet`. */
  static async open(options: SandboxNodeOptions): Promise<SandboxNode> {
    const { store, clock, genesis } = options;
    const faucet = new Faucet(genesis.faucet);
    const tip =
      (await storedTip(store)) ??
      (await store.db
        .transaction()
        .execute((db) =>
          buildFirstChain(db, { wallet: genesis.wallet, faucet: faucet.lockingScript }, Math.floor(clock.now() / 1000)),
        ));
    const mempool = await loadMempool(store.db);
    const nonFinal = await loadNonFinal(store.db);
    const verify = options.verifyBatch ?? oneByOne(options.verify);
    const ledger = await Ledger.open(
      { store, mempool, now: () => clock.now(), runScripts: (jobs) => firstFailure(verify, jobs) },
      tip,
    );
    const acceptance = new Acceptance({
      store,
      mempool,
      nonFinal,
      verify,
      limits: { ...defaultLimits, ...options.limits },
      now: () => clock.now(),
    });
    return new SandboxNode(options, { faucet, mempool, nonFinal, ledger, acceptance });
  }

  private constructor(
    options: SandboxNodeOptions,
    parts: { faucet: Faucet; mempool: Mempool; nonFinal: NonFinalPool; ledger: Ledger; acceptance: Acceptance },
  ) {
    this.db = options.store.db;
    this.clock = options.clock;
    this.logger = options.logger;
    this.#faucet = parts.faucet;
    this.mempool = parts.mempool;
    this.nonFinal = parts.nonFinal;
    this.#ledger = parts.ledger;
    this.#acceptance = parts.acceptance;
  }

  /** The newest block; `time` is its header's, in milliseconds. */
  tip(): Tip {
    return tipOf(this.#ledger.tip);
  }

  /** The tip with what the next block is held against. */
  chainTip(): ChainTip {
    return this.#ledger.tip;
  }

  /**
   * Validates a transaction and takes it into the mempool. Transactions are decided in the order of the calls.
   * @returns a rejection as a value, with the node's code and reason; nothing changes then.
   */
  async submit(raw: Uint8Array, options: SubmitOptions = {}): Promise<SubmitResult> {
    const [result] = await this.submitBatch([raw], options);
    return result as SubmitResult;
  }

  /**
   * Validates transactions and takes those that pass into the mempool, in one turn and one transaction of the database. They may
   * build on each other in any order; one that comes twice is `known` the second time.
   * @returns a result for each, in the order given
   */
  async submitBatch(raws: readonly Uint8Array[], options: SubmitOptions = {}): Promise<SubmitResult[]> {
    const results: SubmitResult[] = [];
    // scripts run now, beside whatever else goes on; the turn in the queue waits for them
    const prepared = this.#prepare(raws, options, results);
    prepared.catch(() => undefined);
    let candidates: readonly Candidate[] = [];
    try {
      return await this.#exclusive(async () => {
        const { places, ordered, work } = await prepared;
        candidates = ordered;
        const decided = await this.#take(ordered, await work);
        for (const [index, result] of decided.entries()) {
          for (const [nth, place] of (places.get(result.txid ?? '') ?? []).entries()) {
            results[place] = nth > 0 && result.ok ? { ...result, known: true } : (decided[index] as SubmitResult);
          }
        }
        return results;
      });
    } finally {
      for (const { tx, txid } of candidates) this.#claims.remove(tx.inputs.map(formatOutpoint), txid);
    }
  }

  async #prepare(raws: readonly Uint8Array[], options: SubmitOptions, results: SubmitResult[]) {
    const places = new Map<string, number[]>();
    const candidates: Candidate[] = [];
    const pause = new Pause();
    for (const [index, given] of raws.entries()) {
      // nothing waits for the first ones, so that calls of one turn of the event loop keep their order
      if (index % 50 === 49) await pause.here();
      // the caller may use its buffer again while the scripts run
      const raw = Uint8Array.from(given);
      const tx = readTransaction(raw);
      const txid = 'code' in tx ? null : txidOf(raw);
      const rejection = 'code' in tx ? tx : (checkTransaction(tx) ?? checkStandard(tx));
      if (rejection !== undefined) {
        results[index] = { ok: false, txid, ...rejection };
        if (txid !== null) this.#refused(txid, raw, rejection);
        continue;
      }
      if ('code' in tx || txid === null) continue;
      const same = places.get(txid);
      if (same) {
        same.push(index);
        continue;
      }
      places.set(txid, [index]);
      candidates.push({ txid, tx, raw, options, rivals: this.#claims.add(tx.inputs.map(formatOutpoint), txid) });
    }
    const ordered = parentsFirst(candidates);
    const work = this.#acceptance.prepare(ordered, this.#ledger.tip);
    work.catch(() => undefined);
    return { places, ordered, work };
  }

  /** Decides candidates in the turn that is running. */
  async #take(
    candidates: readonly Candidate[],
    prepared: Awaited<ReturnType<Acceptance['prepare']>>,
  ): Promise<SubmitResult[]> {
    if (this.clock.now() - this.#expiredAt >= EXPIRY_CHECK_MS) this.#tellRemoved(await this.#expire());
    const { results, accepted, removed } = await this.#acceptance.accept(candidates, prepared, this.#ledger.tip);
    for (const { txid, raw } of accepted) this.#tell(this.#transactionListeners, (listener) => listener({ txid, raw }));
    this.#tellRemoved(removed);
    if (this.#refusalListeners.size > 0) {
      for (const [index, result] of results.entries()) {
        const candidate = candidates[index] as Candidate;
        if (!result.ok) this.#refused(candidate.txid, candidate.raw, result);
      }
    }
    return results;
  }

  /** A transaction of the mempool or the chain. */
  async transaction(txid: string): Promise<NodeTransaction | undefined> {
    const waiting = this.mempool.get(txid);
    const held = waiting ?? this.nonFinal.get(txid);
    if (held) return { raw: held.raw, blockHash: null, blockHeight: null, confirmations: 0 };
    const at = await locateTransaction(this.db, txid);
    if (at === undefined) return undefined;
    return {
      raw: await minedTransaction(this.db, at),
      blockHash: at.block_hash,
      blockHeight: at.height,
      confirmations: this.#ledger.tip.height - at.height + 1,
    };
  }

  /**
   * An unspent output.
   * @param includeMempool true also finds outputs of waiting transactions and does not find what they spend.
   */
  async utxo(outpoint: Outpoint, includeMempool: boolean): Promise<NodeUtxo | undefined> {
    const key = formatOutpoint(outpoint);
    if (includeMempool) {
      if (this.mempool.spender(key)) return undefined;
      const waiting = this.mempool.output(outpoint);
      if (waiting) return waiting;
    }
    return (await findUtxos(this.db, [key])).get(key);
  }

  /** Unspent outputs that pay a script, of the chain and of waiting transactions; immature coinbases are left out. */
  async spendable(lockingScript: Uint8Array): Promise<(Utxo & NodeUtxo)[]> {
    const height = this.#ledger.tip.height + 1;
    const confirmed = (await utxosPaying(this.db, lockingScript)).filter((utxo) => isMature(utxo, height));
    const script = Buffer.from(lockingScript);
    const waiting: (Utxo & NodeUtxo)[] = [];
    for (const { txid, tx } of this.mempool.entries()) {
      for (const [vout, output] of tx.outputs.entries()) {
        const utxo = script.equals(output.script) ? this.mempool.output({ txid, vout }) : undefined;
        if (utxo) waiting.push({ txid, vout, ...utxo });
      }
    }
    return [...confirmed, ...waiting].filter((utxo) => !this.mempool.spender(formatOutpoint(utxo)));
  }

  /**
   * Mines blocks at once, each with the waiting transactions.
   * @param payTo locking script of the coinbases; the faucet's where none is given.
   * @returns their hashes in order.
   */
  async mine(blocks: number, payTo: Uint8Array = this.#faucet.lockingScript): Promise<string[]> {
    const hashes: string[] = [];
    while (hashes.length < blocks) hashes.push(await this.#exclusive(() => this.#mineBlock(payTo)));
    return hashes;
  }

  /**
   * Replaces the newest blocks by a branch that is one block longer. Their transactions return to the mempool, but for those that
   * `transactions` conflict with.
   * @param depth blocks that are replaced, at least one.
   * @param options.transactions what the first block of the branch holds besides its coinbase, parents before children; they need
   *   not have been in the mempool.
   * @returns hashes of the new blocks in order
   * @throws PlanchetError `invalid-input` for a depth the chain does not have and for transactions no block may hold
   */
  async reorg(depth: number, options: { readonly transactions?: readonly Uint8Array[] } = {}): Promise<string[]> {
    const transactions = (options.transactions ?? []).map((raw) => ({ txid: txidOf(raw), tx: parseTx(raw), raw }));
    return this.#exclusive(async () => {
      const { height, hash: oldTip } = this.#ledger.tip;
      if (!Number.isSafeInteger(depth) || depth < 1 || depth >= height) {
        throw new PlanchetError('invalid-input', `A reorganisation of ${depth} blocks is not possible.`, {
          hint: `Give a whole number from 1 to ${height - 1}.`,
        });
      }
      const fork = await blockAtHeight(this.db, height - depth);
      const hashes: string[] = [];
      let previousHash = fork?.hash ?? oldTip;
      for (let made = 0; made <= depth; made++) {
        previousHash = await this.#mineBeside(previousHash, made === 0 ? transactions : []);
        hashes.push(previousHash);
      }
      await this.#changed(await this.#ledger.activate());
      if (this.#ledger.tip.hash === previousHash) return hashes;
      throw new PlanchetError('invalid-input', 'The branch breaks a rule of the chain, so the old one stays.', {
        hint: 'Check that the transactions spend what exists before the fork, and are signed.',
      });
    });
  }

  /** Takes a whole block from outside: on the tip, on a branch, or not at all. */
  submitBlock(raw: Uint8Array): Promise<BlockResult> {
    const bytes = Uint8Array.from(raw);
    return this.#exclusive(async () => {
      let hash: string | null = null;
      try {
        const block = readBlock(bytes);
        hash = block.hash;
        if (await this.#ledger.has(hash)) {
          return { ok: false, hash, reason: this.#ledger.isInvalid(hash) ? 'duplicate-invalid' : 'duplicate' };
        }
        await this.#ledger.keep(block);
        await this.#changed(await this.#ledger.activate());
        const failure = this.#ledger.failureOf(hash);
        if (failure !== undefined) return { ok: false, hash, reason: failure };
        return { ok: true, hash, active: this.#ledger.sideBlock(hash) === undefined };
      } catch (error) {
        if (error instanceof BlockRejectedError) return { ok: false, hash, reason: error.reason };
        if (error instanceof ChainError) return { ok: false, hash, reason: 'bad-block' };
        throw error;
      }
    });
  }

  /**
   * Declares a block and all that follows it invalid; the best other branch takes over.
   * @returns false for a block nobody knows and for the first block, which always stands
   */
  invalidateBlock(hash: string): Promise<boolean> {
    return this.#exclusive(async () => {
      const known = this.#ledger.sideBlock(hash) ?? (await blockByHash(this.db, hash));
      if (known === undefined || known.height === 0) return false;
      await this.#changed(await this.#ledger.invalidate(hash));
      return true;
    });
  }

  /** Takes back {@link invalidateBlock}. @returns false for a block nobody knows */
  reconsiderBlock(hash: string): Promise<boolean> {
    return this.#exclusive(async () => {
      if (!(await this.#ledger.has(hash))) return false;
      await this.#changed(await this.#ledger.reconsider(hash));
      return true;
    });
  }

  /** The ends of all branches, highest first. */
  chainEnds(): ChainEnd[] {
    const { hash, height } = this.#ledger.tip;
    const side = [...this.#ledger.sideBlocks()];
    const parents = new Set(side.map(({ previous_hash }) => previous_hash));
    const ends: ChainEnd[] = [{ height, hash, branchLength: 0, status: 'active' }];
    for (const row of side) {
      if (parents.has(row.hash)) continue;
      const status = this.#ledger.isInvalid(row.hash)
        ? 'invalid'
        : row.validity === 'scripts'
          ? 'valid-fork'
          : 'valid-headers';
      ends.push({
        height: row.height,
        hash: row.hash,
        branchLength: row.height - this.#ledger.forkHeight(row.hash),
        status,
      });
    }
    return ends.sort((a, b) => b.height - a.height || (a.hash < b.hash ? -1 : 1));
  }

  /** Whether a side block or one it builds on is invalid. */
  isInvalidBlock(hash: string): boolean {
    return this.#ledger.isInvalid(hash);
  }

  /**
   * Pays from the faucet.
   * @returns the txid.
   * @throws PlanchetError `invalid-input` for an amount of nothing, `funds-insufficient` where the faucet's coins do not suffice.
   */
  fund(lockingScript: Uint8Array, amount: Satoshis): Promise<string> {
    return this.#exclusive(async () => {
      const coins = await this.spendable(this.#faucet.lockingScript);
      const tx = this.#faucet.pay(lockingScript, amount, coins);
      const raw = serializeTx(tx);
      const candidate: Candidate = { txid: txidOf(raw), tx, raw, options: {}, rivals: new Set() };
      const prepared = await this.#acceptance.prepare([candidate], this.#ledger.tip);
      const [result] = await this.#take([candidate], prepared);
      if (result?.ok) return result.txid;
      throw new PlanchetError('rejected', `The sandbox node refused the faucet's payment: ${result?.reason}`);
    });
  }

  /** Drops transactions that have waited too long; also done with every change of the chain. */
  expire(): Promise<void> {
    return this.#exclusive(async () => this.#tellRemoved(await this.#expire()));
  }

  /** Txids of the waiting transactions in the order they came. */
  mempoolTxids(): string[] {
    return this.mempool.txids();
  }

  /** The Merkle proof of a mined transaction, against its block's header. */
  async proof(txid: string): Promise<NodeProof | undefined> {
    const at = await locateTransaction(this.db, txid);
    if (at === undefined) return undefined;
    const block = await blockByHash(this.db, at.block_hash);
    if (block === undefined) return undefined;
    const nodes = merkleBranch(await blockTxids(this.db, block.hash), at.position);
    return {
      proof: { index: at.position, txOrId: txid, targetType: 'header', target: toHex(block.header), nodes },
      blockHash: block.hash,
      blockHeight: block.height,
    };
  }

  /** Calls the listener with every new tip, after it is stored. @returns the way to stop it. */
  onTip(listener: TipListener): () => void {
    this.#tipListeners.add(listener);
    return () => this.#tipListeners.delete(listener);
  }

  /** Calls the listener with every transaction the mempool takes, after it is stored. @returns the way to stop it. */
  onTransaction(listener: TransactionListener): () => void {
    this.#transactionListeners.add(listener);
    return () => this.#transactionListeners.delete(listener);
  }

  /** Calls the listener with every block that is taken off the main chain, newest first. @returns the way to stop it. */
  onDisconnect(listener: DisconnectListener): () => void {
    this.#disconnectListeners.add(listener);
    return () => this.#disconnectListeners.delete(listener);
  }

  /** Calls the listener with every transaction that leaves the mempool other than mined. @returns the way to stop it. */
  onRemoved(listener: RemovalListener): () => void {
    this.#removalListeners.add(listener);
    return () => this.#removalListeners.delete(listener);
  }

  /** Calls the listener with every transaction that is refused. @returns the way to stop it. */
  onRefused(listener: RefusalListener): () => void {
    this.#refusalListeners.add(listener);
    return () => this.#refusalListeners.delete(listener);
  }

  /** Finishes what was asked for and takes nothing more. The store stays open. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#queue.idle();
  }

  /** One state change at a time, in the order asked for: script checks are asynchronous and must not interleave with blocks. */
  #exclusive<T>(change: () => Promise<T>): Promise<T> {
    if (this.#closed) {
      return Promise.reject(
        new PlanchetError('not-running', 'The sandbox node is stopped.', { hint: 'Start it again.' }),
      );
    }
    return this.#queue.run(change);
  }

  async #mineBlock(payTo: Uint8Array): Promise<string> {
    const { hash: previousHash, height, medianTime } = this.#ledger.tip;
    const chosen = chooseTransactions(this.mempool);
    const block = this.#make((extraNonce) =>
      makeBlock({
        height: height + 1,
        previousHash,
        time: Math.max(Math.floor(this.clock.now() / 1000), medianTime + 1),
        payTo,
        reward: addSatoshis(subsidyAt(height + 1), ...chosen.map(({ fee }) => fee)),
        transactions: chosen,
        extraNonce,
      }),
    );
    await this.#changed(await this.#ledger.extend(await block));
    return (await block).hash;
  }

  /** Makes a block on any block that is known, and keeps it beside the main chain. @returns its hash */
  async #mineBeside(previousHash: string, transactions: readonly BlockTransaction[]): Promise<string> {
    const previous = await this.#ledger.context(previousHash);
    if (previous === undefined) throw new Error(`block ${previousHash} is not known`);
    const block = await this.#make((extraNonce) =>
      makeBlock({
        height: previous.height + 1,
        previousHash,
        time: Math.max(Math.floor(this.clock.now() / 1000), previous.medianTime + 1),
        payTo: this.#faucet.lockingScript,
        reward: subsidyAt(previous.height + 1),
        transactions,
        extraNonce,
      }),
    );
    await this.#ledger.keep(block);
    return block.hash;
  }

  /** A block that is not known yet: two of one second on one parent would else be the same. */
  async #make(build: (extraNonce: number) => NewBlock): Promise<NewBlock> {
    for (let extraNonce = 0; ; extraNonce++) {
      const block = build(extraNonce);
      if (!(await this.#ledger.has(block.hash))) return block;
    }
  }

  /** Tells of a change of the chain and does what follows from it for the waiting transactions. */
  async #changed(steps: readonly ChainStep[]): Promise<void> {
    this.#announce(steps);
    if (steps.length === 0) return;
    await this.#promote();
    this.#tellRemoved(await this.#expire());
  }

  #expire(): Promise<Removal[]> {
    this.#expiredAt = this.clock.now();
    return this.#acceptance.expire();
  }

  /** Takes those whose lock time has come into the mempool, and drops those that can never be mined. */
  async #promote(): Promise<void> {
    if (this.nonFinal.size === 0) return;
    const { tip } = this.#ledger;
    const due = [...this.nonFinal.entries()].filter(({ tx }) => isFinal(tx, tip.height + 1, tip.medianTime));
    const candidates: Candidate[] = due.map(({ txid, tx, raw }) => ({
      txid,
      tx,
      raw,
      // it was held against the fee rule when it came
      options: { checkFee: false },
      rivals: new Set(),
      promoted: true,
    }));
    const results = await this.#take(candidates, await this.#acceptance.prepare(candidates, tip));
    await this.#acceptance.forgetNonFinal(results.flatMap((result) => (result.ok ? [] : (result.txid ?? []))));
  }

  #announce(steps: readonly ChainStep[]): void {
    const last = steps.findLast(({ kind }) => kind === 'connected');
    for (const step of steps) {
      if (step.kind === 'connected') this.#announceBlock(step, step === last);
      else if (step.kind === 'disconnected') {
        const { hash, transactions } = step.block;
        const block = { hash, height: step.height, transactions: transactions.map(({ txid, raw }) => ({ txid, raw })) };
        this.#tell(this.#disconnectListeners, (listener) => listener(block));
      } else this.#tell(this.#removalListeners, (listener) => listener(removalOf(step)));
    }
  }

  #announceBlock(step: ChainStep & { kind: 'connected' }, newest: boolean): void {
    if (this.#tipListeners.size === 0) return;
    const { block, fromMempool } = step;
    const transactions = block.transactions.map(({ txid, raw }) => ({ txid, raw, fromMempool: fromMempool.has(txid) }));
    const connected = { hash: block.hash, newest, raw: serializeNewBlock(block).raw, transactions };
    this.#tell(this.#tipListeners, (listener) => listener(tipOf(step.tip), connected));
  }

  #tellRemoved(removed: readonly Removal[]): void {
    for (const { entry, reason } of removed) {
      this.#tell(this.#removalListeners, (listener) => listener({ txid: entry.txid, raw: entry.raw, reason }));
    }
  }

  #refused(txid: string, raw: Uint8Array, { code, reason, conflictedWith }: Rejection): void {
    const refused = { txid, raw, code, reason, ...(conflictedWith ? { conflictedWith } : {}), time: this.clock.now() };
    this.#tell(this.#refusalListeners, (listener) => listener(refused));
  }

  #tell<L>(listeners: ReadonlySet<L>, call: (listener: L) => void): void {
    for (const listener of [...listeners]) {
      try {
        call(listener);
      } catch (error) {
        // the chain has moved on already, whatever a listener makes of it
        this.logger.error({ err: error }, 'a listener of the sandbox node failed');
      }
    }
  }
}

function isMature(utxo: NodeUtxo, height: number): boolean {
  return !utxo.coinbase || (utxo.height !== null && height - utxo.height >= COINBASE_MATURITY);
}

function chooseTransactions(mempool: Mempool): MempoolEntry[] {
  const chosen: MempoolEntry[] = [];
  let bytes = 0;
  for (const entry of mempool.entries()) {
    bytes += entry.raw.length;
    // stopping at the first that does not fit keeps parents before children
    if (bytes > policy.maxMinedBlockBytes) break;
    chosen.push(entry);
  }
  return chosen;
}

function tipOf({ hash, height, time }: ChainTip): Tip {
  return { hash, height, time: time * 1000 };
}

function removalOf(step: ChainStep & { kind: 'collision' | 'dropped' }): RemovedTransaction {
  const { txid, raw } = step.entry;
  return step.kind === 'dropped'
    ? { txid, raw, reason: 'reorg' }
    : { txid, raw, reason: 'collision-in-block-tx', collidedWith: step.collidedWith, blockHash: step.blockHash };
}

function oneByOne(verify: VerifyScripts): VerifyBatch {
  return (jobs) => Promise.all(jobs.map(({ tx, spent }) => verify(tx, [...spent])));
}

async function firstFailure(verify: VerifyBatch, jobs: readonly ScriptJob[]): Promise<string | undefined> {
  const failed = (await verify(jobs)).find(({ ok }) => !ok);
  return failed === undefined || failed.ok ? undefined : failed.reason;
}

async function loadMempool(db: NodeDb): Promise<Mempool> {
  const mempool = new Mempool();
  const pause = new Pause();
  for (const row of await mempoolRows(db)) {
    await pause.here();
    const raw = plainBytes(row.raw);
    const tx = parseTx(raw, true);
    mempool.add({ ...row, raw, tx, fee: satoshis(row.fee), ancestors: mempool.ancestorsOf(tx) });
  }
  return mempool;
}

async function loadNonFinal(db: NodeDb): Promise<NonFinalPool> {
  const pool = new NonFinalPool();
  for (const row of await db.selectFrom('node_nonfinal').selectAll().orderBy('time').execute()) {
    const raw = plainBytes(row.raw);
    pool.add({ ...row, raw, tx: parseTx(raw), fee: satoshis(row.fee) });
  }
  return pool;
}
