/** Follows the tracked transactions of a folder through a node behind HTTP, and prints a line for each new state: `<folder> <url>`. */
import { join } from 'node:path';
import { pino } from 'pino';
import { createNodeChainData } from '../../chain-data/node/node-chain-data.ts';
import { systemClock } from '../../clock.ts';
import { type NodeRpc, NodeRpcError } from '../../ports/node.ts';
import { openStore } from '../../store/store.ts';
import { ChainFollower } from '../tracking/chain-follower.ts';
import { type TrackingTables, trackingMigrations } from '../tracking/storage/tables.ts';
import { TrackedChain } from '../tracking/storage/tracked-chain.ts';
import { TransactionStore } from '../tracking/storage/transaction-store.ts';
import { Tracker } from '../tracking/tracker.ts';

const [folder = '', url = ''] = process.argv.slice(2);
const clock = systemClock;
const logger = pino({ level: 'silent' });
const node: NodeRpc = {
  call: async (method, params = []) => {
    const response = await fetch(url, { method: 'POST', body: JSON.stringify({ method, params }) });
    const { result, error } = (await response.json()) as { result: never; error?: { code: number; message: string } };
    if (error) throw new NodeRpcError(error.code, error.message);
    return result;
  },
};
const store = await openStore<TrackingTables>({
  file: join(folder, 'transactions.db'),
  migrations: trackingMigrations,
});
const transactions = new TransactionStore({ store, clock, tipHeight: () => null });
const tracker = new Tracker({ transactions, clock, logger });
tracker.onChange(({ txid, transaction }) => process.stdout.write(`${txid} ${transaction.state}\n`));
const follower = new ChainFollower({
  network: 'sandbox',
  chain: new TrackedChain(store, clock),
  tracker,
  chainData: createNodeChainData(node),
  tip: { onTip: () => () => undefined },
  clock,
  logger,
  sendAgain: async () => undefined,
  sentByTheirService: [],
});
follower.start();
process.on('disconnect', () => process.exit(0));
setInterval(() => void follower.check(), 50);
