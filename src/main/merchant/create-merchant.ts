import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fromHex, type UncheckedSignature } from '../../chain/index.ts';
import type { TrackedTransaction, TransactionOrigin } from '../../contract/index.ts';
import type { Approvals } from '../ports/approvals.ts';
import type { ChainData, TipSource } from '../ports/chain-data.ts';
import type { Clock } from '../ports/clock.ts';
import type { Events } from '../ports/events.ts';
import type { HeaderChain, ProofVerifier } from '../ports/headers.ts';
import type { Notices } from '../ports/infrastructure/notices.ts';
import type { BatchMerchant } from '../ports/merchant/merchant.ts';
import type { Outbound } from '../ports/outbound.ts';
import { openStore, type SqliteStore } from '../store/store.ts';
import { Callbacks } from './callbacks/callbacks.ts';
import { StatusStreams } from './callbacks/status-streams.ts';
import { DoubleSpends } from './double-spends/double-spends.ts';
import { doubleSpendMigrations } from './double-spends/tables.ts';
import { EndpointStore } from './endpoints/endpoint-store.ts';
import { QuoteRenewal } from './endpoints/quote-renewal.ts';
import { endpointMigrations, type MinerEndpointRow } from './endpoints/tables.ts';
import { type MinerSystems, type OpenMinersOptions, openMiners } from './open-miners.ts';
import { endpointOf } from './protocols/mapi/merchant-keys.ts';
import { ServiceMerchant } from './service-merchant.ts';
import { GatewayBroadcast } from './submission/gateway-broadcast.ts';
import { ManualSubmission } from './submission/manual-submission.ts';
import { Submitter } from './submission/submitter.ts';
import { AnnouncedTransactions } from './tracking/announced-transactions.ts';
import { ChainFollower } from './tracking/chain-follower.ts';
import { publishChanges } from './tracking/publish-changes.ts';
import { ReorganisationReport } from './tracking/reorganisation-report.ts';
import { takeCallbacks, takeProofs } from './tracking/reported-proofs.ts';
import { trackingMigrations } from './tracking/storage/tables.ts';
import { TrackedChain } from './tracking/storage/tracked-chain.ts';
import { TransactionStore } from './tracking/storage/transaction-store.ts';
import { Tracker } from './tracking/tracker.ts';
import { StateWebhook } from './webhook/state-webhook.ts';
import { webhookMigrations } from './webhook/tables.ts';

export interface MerchantServiceOptions extends Omit<OpenMinersOptions, 'endpointStore' | 'known' | 'outbound'> {
  dataDir: string;
  chainData: ChainData;
  headers: HeaderChain;
  proofs: ProofVerifier;
  tip: TipSource;
  outbound: Outbound;
  /** Checks signatures with compressed keys, many at once. */
  verifySignatures: (signatures: readonly UncheckedSignature[]) => Promise<boolean[]>;
  approvals: Approvals;
  /** Whether no node answers programs; left out where there is always one. */
  isWithoutNode?: () => boolean;
  events: Events;
  notices: Pick<Notices, 'add' | 'dismiss'>;
}

/** Everything that submits transactions to miners and follows them. */
export interface MerchantSystems extends MinerSystems {
  transactions: TransactionStore;
  tracker: Tracker;
  /** Follows tracked transactions to their blocks and proofs; to be started and stopped. */
  follower: ChainFollower;
  /** Reads quotes before they expire; to be started and stopped. */
  quoteRenewal: QuoteRenewal;
  submitter: Submitter;
  /** Takes the transactions that the node announces. */
  announced: AnnouncedTransactions;
  /** Receives what miners report by themselves. */
  callbacks: Callbacks;
  doubleSpends: DoubleSpends;
  /** Posts the states of transactions to an address of the person's own; to be started and stopped. */
  webhook: StateWebhook;
  /** Transactions that a person or another program hands over. */
  manual: ManualSubmission;
  /** Takes what programs send through the node endpoint. */
  broadcast: GatewayBroadcast;
  reorganisations: ReorganisationReport;
  /** The miners for one service; what it submits is tracked under its name. */
  merchantFor(origin: TransactionOrigin): BatchMerchant;
  close(): Promise<void>;
}

/**
 * The studio leaves it to a person whether a mint that the network lost is sent again, and the writer's queue sends its own transactions.
 */
const SENT_BY_THEIR_SERVICE: readonly TransactionOrigin[] = ['mint', 'writer'];

// biome-ignore lint/suspicious/noExplicitAny: the tables of four owners, see `SharedStore`
function openTransactionStore(dataDir: string): Promise<SqliteStore<any>> {
  return openStore({
    file: join(dataDir, 'transactions.db'),
    migrations: [...trackingMigrations, ...endpointMigrations, ...doubleSpendMigrations, ...webhookMigrations],
    synchronous: 'full',
  });
}

/**
 * The miners that were added on a network, in use or not, and the ids of the built-in ones that are switched off.
 * @param dataDir of the network
 * @throws PlanchetError `store-failed`
 */
export async function readMiners(
  dataDir: string,
  clock: Clock,
): Promise<{ added: MinerEndpointRow[]; switchedOff: ReadonlySet<string> }> {
  if (!existsSync(join(dataDir, 'transactions.db'))) return { added: [], switchedOff: new Set() };
  const store = await openTransactionStore(dataDir);
  try {
    const endpoints = new EndpointStore({ store, clock });
    return { added: await endpoints.rows(), switchedOff: await endpoints.switchedOff() };
  } finally {
    await store.close();
  }
}

/** @throws PlanchetError `store-failed`, `disk-full` */
export async function createMerchant(options: MerchantServiceOptions): Promise<MerchantSystems> {
  const { network, settings, chainData, tip, proofs, clock, logger } = options;
  const store = await openTransactionStore(options.dataDir);
  const transactions = new TransactionStore({ store, clock, tipHeight: () => tip.current()?.height ?? null });
  const tracker = new Tracker({ transactions, clock, logger });
  const doubleSpends = new DoubleSpends({
    ...options,
    store,
    tracked: (txid) => trackedTransaction(transactions, txid),
    record: (txid, sentence) =>
      tracker.change([txid], () => ({ change: {}, events: [{ kind: 'double-spend', sentence }] })),
  });
  tracker.onConflicts = (txid, conflicts, { name }) => doubleSpends.heardOf(txid, conflicts, name);
  tracker.onChange(({ transaction }) => doubleSpends.settled(transaction));
  const webhook = new StateWebhook({ ...options, store, onChange: (listener) => tracker.onChange(listener) });
  const stopPublishing = publishChanges(options.events, tracker, clock);
  const minerOptions = { ...options, endpointStore: store, known: transactions };
  const opened = await openMiners(minerOptions).catch(async (error: unknown) => {
    stopPublishing();
    await store.close();
    throw error;
  });
  const { merchantKeys, miners, minerHistory } = opened;
  const callbacks = new Callbacks({
    ...options,
    miners,
    trusts: (minerId, publicKey) => {
      const endpoint = endpointOf(miners.setupOf(minerId).config.url());
      return merchantKeys.isTrusted({ endpoint, publicKey });
    },
    answered: (miner, verdicts, sent) => takeCallbacks({ tracker, proofs }, miner, verdicts, sent),
    isRecorded: (txid, minerId, raw) => transactions.hasCallback(txid, minerId, raw),
  });
  const streams = new StatusStreams({
    miners,
    take: (miner, verdicts) => takeCallbacks({ tracker, proofs }, miner, verdicts, new Map()),
    clock,
    logger,
  });
  const submitter = new Submitter({
    miners,
    tracker,
    clock,
    logger,
    expect: (miner, txids) => {
      streams.listen(miner);
      return callbacks.expect(miner, txids);
    },
    takeProofs: (miner, verdicts) => takeProofs({ tracker, proofs }, miner, verdicts),
  });
  const follower = new ChainFollower({
    network,
    chain: new TrackedChain(store, clock),
    tracker,
    chainData,
    tip,
    clock,
    logger,
    sendAgain: async (lost) => void (await submitter.submit(lost)),
    sentByTheirService: SENT_BY_THEIR_SERVICE,
  });
  const announced = new AnnouncedTransactions({ tracker, clock, logger });
  const reorganisations = new ReorganisationReport({ ...options, tracker, follower });
  const manual = new ManualSubmission({ network, submitter, tracker, transactions, chainData, tip, settings, clock });
  return {
    ...opened,
    transactions,
    tracker,
    follower,
    quoteRenewal: new QuoteRenewal({ miners, clock, logger }),
    submitter,
    announced,
    callbacks,
    doubleSpends,
    webhook,
    manual,
    broadcast: new GatewayBroadcast({
      submission: manual,
      chainData,
      settings,
      approvals: options.approvals,
      isWithoutNode: options.isWithoutNode ?? (() => false),
    }),
    reorganisations,
    merchantFor: (origin) => new ServiceMerchant({ miners, submitter, settings, origin }),
    close: async () => {
      stopPublishing();
      await streams.close();
      await reorganisations.close();
      await announced.close();
      manual.close();
      await minerHistory.close();
      await doubleSpends.idle();
      await webhook.close();
      await store.close();
    },
  };
}

async function trackedTransaction(
  transactions: TransactionStore,
  txid: string,
): Promise<{ transaction: TrackedTransaction; rawTx: Uint8Array } | undefined> {
  const transaction = await transactions.find(txid);
  const hex = transaction && (await transactions.get({ txid })).rawTx;
  return transaction && hex ? { transaction, rawTx: fromHex(hex) } : undefined;
}
