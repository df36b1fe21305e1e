import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { satoshis, serializeTx, type Tx, txidOf, type Utxo } from '../../../chain/index.ts';
import type { Tip } from '../../../contract/index.ts';
import { createNodeChainData } from '../../chain-data/node/node-chain-data.ts';
import type { ChainHeader } from '../../ports/headers.ts';
import type { MinerEndpoint, MinerVerdict } from '../../ports/merchant/miners.ts';
import type { NodeRpc } from '../../ports/node.ts';
import type { Store } from '../../ports/store.ts';
import type { SubmitResult } from '../../sandbox/node/node.ts';
import { createNodeRpc } from '../../sandbox/node/rpc/dispatcher.ts';
import { lockingScriptOf, openTestNode, type TestNode, walletKey } from '../../sandbox/node/test-support/open-node.ts';
import { textOf } from '../../sandbox/node/test-support/rpc-world.ts';
import { outputCoin, spend } from '../../sandbox/node/test-support/spend.ts';
import { openStore } from '../../store/store.ts';
import { reasonOf, refusalError } from '../refusals.ts';
import { Submitter } from '../submission/submitter.ts';
import { ChainFollower } from '../tracking/chain-follower.ts';
import { type TrackingTables, trackingMigrations } from '../tracking/storage/tables.ts';
import { TrackedChain } from '../tracking/storage/tracked-chain.ts';
import { TransactionStore } from '../tracking/storage/transaction-store.ts';
import { Tracker } from '../tracking/tracker.ts';
import { minersOf } from './miners.ts';

const logger = pino({ level: 'silent' });
const walletScript = lockingScriptOf(walletKey);

/** A tracker that follows a real node over its RPC commands, with a miner that hands transactions to that node. */
export class TrackedNode implements NodeRpc {
  readonly opened: TestNode;
  readonly folder = mkdtempSync(join(tmpdir(), 'planchet-tracked-'));
  /** Commands called since it was last emptied. */
  calls: string[] = [];
  /** Stands in for the node's answer where it returns one; may resolve later. */
  answer: (method: string, params: readonly unknown[]) => unknown = () => undefined;
  /** Verified headers; none unless a test has some. */
  readonly headers = {
    at: (_height: number): ChainHeader | undefined => undefined,
    tip: null as ChainHeader | null,
    refresh: async (): Promise<void> => undefined,
  };
  readonly chainData = createNodeChainData(this, this.headers);
  #tip: Tip | null = null;
  #store: Store<TrackingTables> | undefined;
  #tracker: Tracker | undefined;
  #follower: ChainFollower | undefined;
  #submitter: Submitter | undefined;
  #transactions: TransactionStore | undefined;
  readonly #rpc: ReturnType<typeof createNodeRpc>;

  static async open(options: Parameters<typeof openTestNode>[0] = {}): Promise<TrackedNode> {
    const node = new TrackedNode(await openTestNode(options));
    await node.start();
    return node;
  }

  private constructor(opened: TestNode) {
    this.opened = opened;
    this.#rpc = createNodeRpc(opened.node);
  }

  get tracker(): Tracker {
    return this.#tracker as Tracker;
  }

  get follower(): ChainFollower {
    return this.#follower as ChainFollower;
  }

  get submitter(): Submitter {
    return this.#submitter as Submitter;
  }

  get transactions(): TransactionStore {
    return this.#transactions as TransactionStore;
  }

  /** Opens the journal and begins to follow, as a new process does. */
  async start(): Promise<void> {
    const { clock } = this.opened;
    const store = await openStore<TrackingTables>({
      file: join(this.folder, 'transactions.db'),
      migrations: trackingMigrations,
    });
    this.#store = store;
    this.#transactions = new TransactionStore({ store, clock, tipHeight: () => this.#tip?.height ?? null });
    this.#tracker = new Tracker({ transactions: this.#transactions, clock, logger });
    this.#submitter = new Submitter({ miners: minersOf(this.#miner()), tracker: this.#tracker, clock, logger });
    this.#follower = new ChainFollower({
      network: 'main',
      chain: new TrackedChain(store, clock),
      tracker: this.#tracker,
      chainData: this.chainData,
      tip: { onTip: () => () => undefined },
      clock,
      logger,
      sendAgain: async (lost) => void (await this.submitter.submit(lost)),
      sentByTheirService: ['mint', 'writer'],
    });
    this.#follower.start();
    await this.#follower.check();
  }

  async stop(): Promise<void> {
    await this.#follower?.stop();
    await this.#store?.close();
  }

  async remove(): Promise<void> {
    await this.stop();
    await this.opened.remove();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Looks at the chain until nothing is due within a second. */
  async settle(): Promise<void> {
    this.#tip = this.opened.node.tip();
    await this.follower.check();
    for (let step = 0; step < 4; step++) {
      this.opened.clock.advance(350);
      await this.follower.check();
    }
  }

  async call<T>(method: string, params: readonly unknown[] = []): Promise<T> {
    this.calls.push(method);
    const other = await this.answer(method, params);
    if (other instanceof Error) throw other;
    if (other !== undefined) return other as T;
    return JSON.parse(await textOf(await this.#rpc.dispatch(method, params))) as T;
  }

  /** Coins of the wallet in a block, each of so many satoshis. */
  async coins(count: number, value = 100_000): Promise<Utxo[]> {
    const { node } = this.opened;
    const coin = (await node.spendable(walletScript)).find(({ satoshis: worth }) => worth > count * value + 50_000);
    if (coin === undefined) throw new Error('the wallet has no coin');
    const payments = Array.from({ length: count }, () => ({ satoshis: value, script: walletScript }));
    const change = coin.satoshis - count * value - 50_000;
    const tx = spend([coin], walletKey, [...payments, { satoshis: change, script: walletScript }]);
    const result = await node.submit(serializeTx(tx));
    if (!result.ok) throw new Error(result.reason);
    await node.mine(1);
    return payments.map((_, vout) => outputCoin(tx, result.txid, vout));
  }

  /** A payment of a coin; another `fee` makes another transaction. */
  payment(coin: Utxo, fee = 500, to: Uint8Array = walletScript): { tx: Tx; txid: string; rawTx: Uint8Array } {
    const tx = spend([coin], walletKey, [{ satoshis: satoshis(coin.satoshis - fee), script: to }]);
    const rawTx = serializeTx(tx);
    return { tx, txid: txidOf(rawTx), rawTx };
  }

  /** One payment of several coins. */
  joined(coins: readonly Utxo[]): { tx: Tx; txid: string; rawTx: Uint8Array } {
    const value = coins.reduce((sum, coin) => sum + coin.satoshis, 0);
    const tx = spend([...coins], walletKey, [{ satoshis: satoshis(value - 2_000), script: walletScript }]);
    const rawTx = serializeTx(tx);
    return { tx, txid: txidOf(rawTx), rawTx };
  }

  /** Submits a transaction through the miner, tracked. */
  async submit(rawTx: Uint8Array, origin: 'manual' | 'mint' = 'manual'): Promise<string> {
    const [result] = await this.submitter.submit([{ rawTx, origin }]);
    return result?.txid as string;
  }

  async state(txid: string): Promise<string | undefined> {
    return (await this.tracker.get(txid))?.state;
  }

  /** All the states that a transaction has been in, in order. */
  async statesOf(txid: string): Promise<(string | null)[]> {
    const { events } = await this.transactions.get({ txid });
    return events.filter(({ state }) => state !== null).map(({ state }) => state);
  }

  #miner(): MinerEndpoint {
    return {
      id: 'node',
      name: 'node',
      kind: 'mapi',
      quote: () => Promise.reject(new Error('not asked')),
      status: () => Promise.reject(new Error('not asked')),
      submit: async (batch) => {
        const results = await this.opened.node.submitBatch(batch.map(({ rawTx }) => rawTx));
        return results.map((result, at) => verdictOf(batch[at]?.txid ?? '', result));
      },
    };
  }
}

function verdictOf(txid: string, result: SubmitResult): MinerVerdict {
  const nothing = { txid, block: null, bump: null, conflicts: [], raw: '', signature: 'none' } as const;
  const error = result.ok ? undefined : refusalError(`${result.code} ${result.reason}`);
  if (error === undefined) return { ...nothing, status: 'accepted', word: 'success', reason: null, failure: null };
  return { ...nothing, status: 'rejected', word: 'failure', reason: reasonOf(error), failure: error.toFailure() };
}
