import type { Logger } from 'pino';
import { formatOutpoint, parseTx, type Tx, txidOf } from '../../../chain/index.ts';
import {
  type doubleSpendsContract,
  type Network,
  type Phrase,
  PlanchetError,
  phrase,
  type RivalTransaction,
  type Serves,
  type TrackedTransaction,
} from '../../../contract/index.ts';
import { Sequencer } from '../../async/sequencer.ts';
import type { ChainData } from '../../ports/chain-data.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Notices } from '../../ports/infrastructure/notices.ts';
import type { MinerVerdict } from '../../ports/merchant/miners.ts';
import type { Store } from '../../ports/store.ts';
import type { DoubleSpendTables } from './tables.ts';
import { viewOf } from './view.ts';

/** Most rivals of one transaction that are recorded; an attacker could make any number. */
const MAX_RIVALS = 20;

export interface DoubleSpendsOptions {
  network: Network;
  store: Store<DoubleSpendTables>;
  chainData: ChainData;
  notices: Pick<Notices, 'add'>;
  /** A tracked transaction with its bytes; undefined for any other. */
  tracked: (txid: string) => Promise<{ transaction: TrackedTransaction; rawTx: Uint8Array } | undefined>;
  /** Adds a line to the history of a tracked transaction. */
  record: (txid: string, sentence: Phrase) => Promise<void>;
  clock: Clock;
  logger: Logger;
}

type Rival = MinerVerdict['conflicts'][number];

/**
 * Transactions that spend the same coins as tracked ones: recorded with their bytes, and shown to the person at once. A miner may lie about
 * one, so what does not spend a coin of ours is left out.
 */
export class DoubleSpends implements Serves<typeof doubleSpendsContract> {
  readonly #options: DoubleSpendsOptions;
  readonly #work = new Sequencer();

  constructor(options: DoubleSpendsOptions) {
    this.#options = options;
  }

  /**
   * Records rivals in the background.
   * @param txid of a tracked transaction
   * @param source name of the miner that reported them, or `chain`
   */
  heardOf(txid: string, rivals: readonly Rival[], source: string): void {
    void this.#work
      .run(() => this.#note(txid, rivals, source))
      .catch((error: unknown) => this.#options.logger.error({ err: error, txid }, 'a double spend was not recorded'));
  }

  /** A transaction entered another state. */
  settled(transaction: TrackedTransaction): void {
    const { txid, state, doubleSpentBy } = transaction;
    if (state !== 'double-spent' || doubleSpentBy === null) return;
    this.heardOf(txid, [{ txid: doubleSpentBy, rawTx: null }], 'chain');
    this.#options.notices.add({
      id: noticeId(txid),
      level: 'error',
      failure: new PlanchetError('notices.coin-taken', { txid, rival: doubleSpentBy }).toFailure(),
    });
  }

  /** Resolves when everything heard of so far is recorded. */
  idle(): Promise<void> {
    return this.#work.idle();
  }

  /**
   * The rivals of a tracked transaction, oldest first, decoded beside it.
   * @throws PlanchetError `not-found`
   */
  async doubleSpends({ txid }: { txid: string }): Promise<RivalTransaction[]> {
    await this.#work.idle();
    const { store, network, tracked } = this.#options;
    const ours = await tracked(txid);
    if (ours === undefined) throw new PlanchetError('merchant.transaction-unknown', { txid });
    const rows = await store.db
      .selectFrom('transaction_rivals')
      .selectAll()
      .where('txid', '=', txid)
      .orderBy('at')
      .orderBy('rival_txid')
      .execute();
    const tx = parseTx(ours.rawTx);
    const parents = new Set<string>();
    for (const parent of new Set(tx.inputs.map((input) => input.txid)))
      if ((await tracked(parent)) !== undefined) parents.add(parent);
    return rows.map((row) =>
      viewOf({
        network,
        transaction: ours.transaction,
        ours: tx,
        rival: {
          txid: row.rival_txid,
          rawTx: row.raw_tx && Uint8Array.from(row.raw_tx),
          at: Number(row.at),
          source: row.source,
        },
        isOwn: (parent) => parents.has(parent),
      }),
    );
  }

  async #note(txid: string, rivals: readonly Rival[], source: string): Promise<void> {
    const ours = await this.#options.tracked(txid);
    if (ours === undefined) return;
    const tx = parseTx(ours.rawTx);
    for (const rival of rivals) if (rival.txid !== txid) await this.#noteOne(ours.transaction, tx, rival, source);
  }

  async #noteOne({ txid, state }: TrackedTransaction, ours: Tx, told: Rival, source: string): Promise<void> {
    const { store, clock, notices, record } = this.#options;
    const known = await store.db
      .selectFrom('transaction_rivals')
      .select(['rival_txid', 'raw_tx'])
      .where('txid', '=', txid)
      .execute();
    const before = known.find((row) => row.rival_txid === told.txid);
    if (before !== undefined && before.raw_tx !== null) return;
    if (before === undefined && known.length >= MAX_RIVALS) return;
    const rawTx = told.rawTx ?? (await this.#fetch(told.txid));
    if (rawTx !== null && !conflicts(ours, told.txid, rawTx)) return;
    await store.db
      .insertInto('transaction_rivals')
      .values({ txid, rival_txid: told.txid, raw_tx: rawTx, at: clock.now(), source })
      .onConflict((conflict) => conflict.columns(['txid', 'rival_txid']).doUpdateSet({ raw_tx: rawTx }))
      .execute();
    if (before !== undefined) return;
    const rival =
      source === 'chain'
        ? phrase('event.rival-in-block', { txid: told.txid })
        : phrase('event.rival-of', { miner: source, txid: told.txid });
    await record(txid, rival);
    // The refusal of a submission says so already.
    if (source === 'chain' || state === 'queued' || state === 'failed') return;
    const failure = new PlanchetError('notices.coin-spent-twice', { txid, rival: told.txid, source }).toFailure();
    notices.add({ id: noticeId(txid), level: 'warning', failure });
  }

  /** The node has it if it is in its mempool or, with an index, in a block. */
  async #fetch(txid: string): Promise<Uint8Array | null> {
    try {
      return (await this.#options.chainData.transaction(txid)).value ?? null;
    } catch {
      return null;
    }
  }
}

/** Whether bytes are the transaction that is named, and spend a coin of ours. */
function conflicts(ours: Tx, txid: string, rawTx: Uint8Array): boolean {
  try {
    if (txidOf(rawTx) !== txid) return false;
    const spent = new Set(ours.inputs.map(formatOutpoint));
    return parseTx(rawTx).inputs.some((input) => spent.has(formatOutpoint(input)));
  } catch {
    return false;
  }
}

const noticeId = (txid: string): string => `double-spend:${txid}`;
